"""Dead letters: refused messages as REJECTED keeps them, and how one is sent again or erased."""

import json
from collections.abc import AsyncIterator, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from datetime import datetime

from memstream.cli.admin import ask_on
from shared.contracts.command import Command
from shared.contracts.commands import COMMANDS
from shared.contracts.dead_letters import CODE_HEADER, REASON_HEADER, SEQUENCE_HEADER, SIZE_HEADER, WHOLE_HEADER
from shared.contracts.errors import Malformed, NotFound
from shared.contracts.ids import Space, User
from shared.contracts.queries import OutcomeAnswer, Verdict
from shared.contracts.subjects import SentSubject, ask_subject, encode_token, meant_names, send_subject
from shared.domain.moments import moment
from shared.runtime.connection import Client
from shared.runtime.erasing import erase
from shared.runtime.eventlog.pull import Delivery
from shared.runtime.eventlog.read import StreamReader, message_at
from shared.runtime.sending import publish
from shared.runtime.topology import REJECTED

_TIMEOUT_S = 30.0
_MARGIN_S = 2.0
_WHEN = "occurred_at"


@dataclass(frozen=True, slots=True)
class DeadLetter:
    """A refused message."""

    number: int
    """Its sequence in REJECTED, by which it is named."""
    at: datetime
    space: str | None
    user: str | None
    what: str
    code: str
    reason: str
    sent: int
    """Its sequence in SEND."""
    bytes: int
    """Length of its body, as far as it is kept."""
    whole_bytes: int
    """Length of its body as it came."""

    @property
    def document(self) -> dict[str, object]:
        """As `--json` prints it."""
        return {name: getattr(self, name) for name in self.__slots__} | {"at": self.at.isoformat()}


@dataclass(frozen=True, slots=True)
class WantedLetters:
    """Which dead letters are meant."""

    numbers: Sequence[int] = ()
    space: str | None = None
    user: str | None = None
    code: str | None = None

    @property
    def subject(self) -> str:
        """The subject that the server filters by."""
        space = "*" if self.space is None else encode_token(self.space, "space")
        user = "*" if self.user is None else encode_token(self.user, "user id")
        return f"rejected.*.{space}.{user}.*"

    def fits(self, letter: DeadLetter) -> bool:
        """True if a letter is meant, by what no subject tells."""
        return (not self.numbers or letter.number in self.numbers) and self.code in {None, letter.code}


async def letters(client: Client, wanted: WantedLetters) -> AsyncIterator[DeadLetter]:
    """The letters that are meant, oldest first, without their bodies. Raises Unavailable."""
    reader = StreamReader(client, REJECTED, subjects=[wanted.subject], name="letters", headers_only=True)
    async with aclosing(reader.to_end()) as batches:
        async for batch in batches:
            for delivery in batch:
                if wanted.fits(letter := _letter(delivery)):
                    yield letter


async def body_of(client: Client, number: int) -> bytes:
    """What a letter says. Raises NotFound, Unavailable."""
    message = await message_at(client, REJECTED, number)
    if message is None:
        raise NotFound(f"there is no refused message {number}; `memstream rejected list` names them")
    return message.data


async def erase_letter(client: Client, number: int) -> bool:
    """Erase a letter, bytes and all; False if it was gone already. Raises Unavailable."""
    return await erase(client, REJECTED, [number]) > 0


async def send_again(client: Client, letter: DeadLetter, body: bytes, *, is_new: bool = False) -> OutcomeAnswer:
    """Send a letter's message once more, and erase the letter unless it is refused again and nothing is kept in its place.

    `is_new`: the body was mended by hand. Raises Malformed where it cannot be sent: what is said names what to do.
    """
    space, user, command = _to_be_sent(letter)
    if not is_new:
        if letter.bytes == 0:
            raise Malformed(f"message {letter.number} was kept without its words; only its sender has them")
        if letter.bytes < letter.whole_bytes:
            raise Malformed(f"of message {letter.number} only the beginning is kept; only its sender has the rest")
    sequence = await publish(client, send_subject(space, user, letter.what), _dated(body, letter, command))
    asked = json.dumps({"sequence": sequence, "timeout_s": _TIMEOUT_S}).encode()
    subject = ask_subject(space, user, "outcome")
    answer = await ask_on(client, subject, asked, who="ingest", timeout_s=_TIMEOUT_S + _MARGIN_S)
    outcome = OutcomeAnswer.model_validate(answer)
    if outcome.verdict is not Verdict.REJECTED or await _is_kept(client, letter, sequence):
        await erase_letter(client, letter.number)
    return outcome


def _letter(delivery: Delivery) -> DeadLetter:
    subject, headers = SentSubject.parse(delivery.subject), delivery.headers
    space, user = meant_names(subject) or (None, None)
    kept = int(headers.get(SIZE_HEADER, len(delivery.data)))
    return DeadLetter(
        number=delivery.sequence,
        at=moment(delivery.timestamp_ns // 1_000),
        space=space,
        user=user,
        what=subject.what,
        code=headers.get(CODE_HEADER, ""),
        reason=headers.get(REASON_HEADER, ""),
        sent=int(headers.get(SEQUENCE_HEADER, 0)),
        bytes=kept,
        whole_bytes=int(headers.get(WHOLE_HEADER, kept)),
    )


def _to_be_sent(letter: DeadLetter) -> tuple[Space, User, type[Command]]:
    command = COMMANDS.get(letter.what)
    if command is None:
        raise Malformed(f"message {letter.number}: there is no command {letter.what}; have its sender mend it, or erase it")
    if command.channel != "send":
        raise Malformed(f"message {letter.number}: {letter.what} is a service's, which tries by itself; erase it")
    if letter.space is None or letter.user is None:
        raise Malformed(f"message {letter.number} names nobody; have its sender mend the subject, or erase it")
    encode_token(letter.space, "space")  # raises InvalidToken
    encode_token(letter.user, "user id")
    return Space(letter.space), User(letter.user), command


def _dated(body: bytes, letter: DeadLetter, command: type[Command]) -> bytes:
    """The body, which says when it was sent first where it does not say when it happened."""
    if _WHEN not in command.model_fields:
        return body
    try:
        said = json.loads(body)
    except ValueError:
        return body
    if not isinstance(said, dict) or said.get(_WHEN) is not None:
        return body
    return json.dumps({**said, _WHEN: letter.at.isoformat()}).encode()


async def _is_kept(client: Client, letter: DeadLetter, sequence: int) -> bool:
    """True if the message that was sent again lies in REJECTED as well."""
    async for other in letters(client, WantedLetters(space=letter.space, user=letter.user)):
        if other.sent == sequence and other.number != letter.number:
            return True
    return False
