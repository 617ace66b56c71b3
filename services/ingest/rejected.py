"""Keeps refused messages in REJECTED, with the reason in headers."""

import re
from collections import Counter
from collections.abc import Hashable, Sequence
from contextlib import aclosing

from services.ingest.command_group import Decided
from services.ingest.domain.allowance import Allowance, Amount, Meter, Spent
from services.ingest.domain.dead_letters import may_be_kept, quoted
from services.ingest.domain.lacks import Needs
from services.ingest.domain.masking import kinds_in
from services.ingest.domain.policy import Policy
from services.ingest.domain.withholding import is_private
from services.ingest.sent_message import named_what
from services.ingest.store import Store
from shared.contracts.dead_letters import CODE_HEADER, REASON_HEADER, SEQUENCE_HEADER, SIZE_HEADER, WHOLE_HEADER
from shared.contracts.errors import ENDING, MemstreamError, Unavailable, VersionConflict
from shared.contracts.ids import Scope
from shared.contracts.privacy import MemoryForgotten, UserForgotten
from shared.contracts.subjects import SentSubject, meant_names, rejected_subject
from shared.domain.digests import Digester
from shared.domain.moments import moment
from shared.runtime.background import BACKGROUND
from shared.runtime.connection import Client
from shared.runtime.eventlog.pull import Delivery
from shared.runtime.eventlog.read import StreamReader
from shared.runtime.gate import BOT_HEADER, bot_of
from shared.runtime.keys import Keys
from shared.runtime.logs import log
from shared.runtime.metrics import DEAD_LETTERS, DEAD_LETTERS_LOST
from shared.runtime.sending import publish
from shared.runtime.tasks import note_failure
from shared.runtime.topology import (
    MAX_REJECTED_OF_A_BOT,
    MAX_REJECTED_OF_A_PERSON,
    REJECTED,
    REJECTED_DAYS,
)

OF_THE_LANE = (*ENDING, Unavailable, VersionConflict)
"""The errors that no message is to blame for: the lane begins again, or ends because a person must look."""
_NOT_IN_HEADERS = re.compile(r"[^ -~]+")
MOST_BODY_BYTES = 65_536
_MOST_CHARACTERS = 1000
OTHERS = "*"
"""All bots that are not limited to spaces, and the services: nobody can tell them apart."""
_LEAST_BYTES = 2_048
"""Bytes that a letter counts as, however small: so a share is no more than 16,384 of them."""
_PERIOD_S = REJECTED_DAYS * 86_400.0
SHARE = Allowance(Amount(messages=0, bytes=MAX_REJECTED_OF_A_BOT / _PERIOD_S), _PERIOD_S)
SHARE_OF_A_PERSON = Allowance(Amount(messages=MAX_REJECTED_OF_A_PERSON // 4 / _PERIOD_S, bytes=0), _PERIOD_S)
"""Of the letters that are kept of a person by one command, so many are those of one bot that is limited to spaces."""
_MOST_REASONS = 10_000
_FORGETTING = MemoryForgotten | UserForgotten
_MOST_READ_BYTES = 65_536
"""Bytes. A larger refused message of a person who had something forgotten is not searched, and kept without its body."""


def may_keep_words_of(scope: Scope, store: Store) -> bool:
    """False for whoever keeps something from memory or had something forgotten, and was spelt wrongly."""
    return not (is_private(store.load({scope: Needs()})[scope]) or store.has_forgotten(scope))


def may_keep_unread(delivery: Delivery, store: Store, keys: Keys, policy: Policy) -> bool:
    """True if a message that names no person may lie in REJECTED with its words. False where that cannot be told."""
    try:
        names = meant_names(SentSubject.parse(delivery.subject))
        may = names is None or may_keep_words_of(keys.scope_of(*names), store)
        return may and (policy.secrets == "keep" or not kinds_in(delivery.data))
    except OF_THE_LANE:
        raise
    except Exception as error:  # noqa: BLE001 - it is refused all the same
        note_failure(error, what="refusing")
        return False


async def without_the_forgotten(decided: Sequence[Decided], store: Store) -> list[Decided]:
    """What was decided, with refused messages marked private if they may say what their person had forgotten.

    Of who has something forgotten in this very group, which ingest.db does not know yet, that is every refused message.
    """
    forgetting = {each.sent.scope for each in decided if any(isinstance(event.data, _FORGETTING) for event in each.events)}
    return [
        each._replace(is_private=True)
        if each.sent.scope in forgetting and each.is_rejected
        else await _without_the_forgotten(each, store)
        for each in decided
    ]


async def _without_the_forgotten(result: Decided, store: Store) -> Decided:
    sent = result.sent
    if not result.is_rejected or result.is_private or not store.has_forgotten(sent.scope):
        return result
    payload, digester = sent.delivery.data, sent.keys.digester
    said = None
    if len(payload) <= _MOST_READ_BYTES:  # half a second
        said = await BACKGROUND.run(quoted, payload, scope=sent.scope, digester=digester)
    if said is None:
        return result._replace(is_private=True)
    need = Needs(commands=set(said.commands), values=set(said.values))
    return result._replace(is_private=not may_be_kept(said, store.load({sent.scope: need})[sent.scope].privacy))


class DeadLetters:
    """Keeps refused messages, of each bot that is limited to spaces, and of all others together, up to a share.

    A limited bot also has a share of what is kept of each person: else it could push out the letters of another in its space.
    """

    def __init__(self, digester: Digester, share: Allowance = SHARE) -> None:
        self._digester = digester
        self._meter = Meter(share)
        self._of_people = Meter(SHARE_OF_A_PERSON)
        self.lost: Counter[str] = Counter()
        """Messages that were not kept since the start, by bot."""
        self._reasons: dict[int, str] = {}

    def reason_of(self, sequence: int) -> str | None:
        """Why this message of SEND was refused, if it is one of the last 10,000 since the start. Names fields, never values."""
        return self._reasons.get(sequence)

    async def learn(self, client: Client) -> None:
        """Learn from REJECTED how much of its share each bot has used. Raises Unavailable."""
        reader = StreamReader(client, REJECTED, name="shares", headers_only=True)
        async with aclosing(reader.to_end()) as batches:
            async for batch in batches:
                for letter in batch:
                    bot, size = letter.headers.get(BOT_HEADER, OTHERS), int(letter.headers.get(SIZE_HEADER, 0))
                    for meter, sender, used in self._used(bot, letter.subject, size, letter):
                        meter.note(sender, used)

    def _note(self, sequence: int, error: MemstreamError) -> None:
        self._reasons[sequence] = error.message[:_MOST_CHARACTERS]
        if len(self._reasons) > _MOST_REASONS:
            del self._reasons[next(iter(self._reasons))]

    async def keep(
        self, client: Client, delivery: Delivery, error: MemstreamError, *, send_id: str, with_body: bool = True
    ) -> None:
        """Publish a refused message, as it came or without its body, with code and reason. Raises Unavailable.

        Of a body over 64 KiB the beginning is kept, and its length in a header. The same message twice in two minutes is kept
        once. What is beyond the share of its bot is not kept, but counted.
        """
        sent, body = SentSubject.parse(delivery.subject), delivery.data if with_body else b""
        sent = sent._replace(what=named_what(sent.what))
        bot = bot_of(delivery.headers, self._digester, sent.space_token, sent.user_token) or OTHERS
        subject = rejected_subject(sent)
        spent = self._used(bot, subject, min(len(body), MOST_BODY_BYTES), delivery)
        log.info("command.rejected", code=error.code, sequence=delivery.sequence)
        self._note(delivery.sequence, error)
        if any(used.exceeds(meter.allowance) for meter, _, used in spent):
            self.lost[bot] += 1
            DEAD_LETTERS_LOST.labels(bot).inc()
            if self.lost[bot].bit_count() == 1:  # 1, 2, 4, ...: who floods this does not flood the log as well
                log.warning("dead_letters.lost", bot=bot, count=self.lost[bot])
            return
        for meter, sender, used in spent:  # before another lane counts
            meter.note(sender, used)
        headers = {
            "Nats-Msg-Id": f"{send_id}.{delivery.sequence}",
            CODE_HEADER: error.code,
            REASON_HEADER: _NOT_IN_HEADERS.sub(" ", error.message)[:_MOST_CHARACTERS],
            SEQUENCE_HEADER: str(delivery.sequence),
            BOT_HEADER: bot,
        }
        if len(body) > MOST_BODY_BYTES:
            headers[WHOLE_HEADER] = str(len(body))
        await publish(client, subject, body[:MOST_BODY_BYTES], headers)
        DEAD_LETTERS.labels(error.code).inc()

    def _used(self, bot: str, subject: str, size: int, letter: Delivery) -> list[tuple[Meter, Hashable, Spent]]:
        metered: list[tuple[Meter, Hashable]] = [(self._meter, bot)]
        if bot != OTHERS:
            metered.append((self._of_people, hash((bot, subject))))  # no name is kept
        now = moment(letter.timestamp_ns // 1_000)
        return [(meter, sender, meter.after(sender, max(size, _LEAST_BYTES), now)) for meter, sender in metered]
