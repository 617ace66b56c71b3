"""Keeps refused messages in REJECTED, with the reason in headers."""

import re
from collections.abc import Sequence

from services.ingest.command_group import Decided
from services.ingest.domain.dead_letters import may_be_kept, quoted
from services.ingest.domain.lacks import Needs
from services.ingest.store import Store
from shared.contracts.errors import Rejected
from shared.contracts.privacy import MemoryForgotten, UserForgotten
from shared.contracts.subjects import SentSubject, rejected_subject
from shared.runtime.connection import Client
from shared.runtime.eventlog.pull import Delivery
from shared.runtime.logs import log
from shared.runtime.sending import publish
from shared.runtime.tasks import in_thread

CODE_HEADER = "Memstream-Code"
REASON_HEADER = "Memstream-Reason"
_NOT_IN_HEADERS = re.compile(r"[^ -~]+")
WHOLE_HEADER = "Memstream-Body-Bytes"
MOST_BODY_BYTES = 65_536
_MOST_CHARACTERS = 1000
_FORGETTING = MemoryForgotten | UserForgotten
_MOST_READ_BYTES = 65_536
"""Bytes. A larger refused message of a person who had something forgotten is not searched, and kept without its body."""


async def without_the_forgotten(decided: Sequence[Decided], store: Store) -> list[Decided]:
    """What was decided, with refused messages marked private if they may say what their person had forgotten.

    Of who has something forgotten in this very group, which ingest.db does not know yet, that is every refused message.
    """
    forgetting = {each.sent.scope for each in decided if any(isinstance(event.data, _FORGETTING) for event in each.events)}
    return [
        each._replace(is_private=True)
        if each.sent.scope in forgetting and isinstance(each.refusal, Rejected)
        else await _without_the_forgotten(each, store)
        for each in decided
    ]


async def _without_the_forgotten(result: Decided, store: Store) -> Decided:
    sent = result.sent
    if not isinstance(result.refusal, Rejected) or result.is_private or not store.has_forgotten(sent.scope):
        return result
    payload, digester = sent.delivery.data, sent.keys.digester
    said = None
    if len(payload) <= _MOST_READ_BYTES:  # half a second
        said = await in_thread(quoted, payload, scope=sent.scope, digester=digester)
    if said is None:
        return result._replace(is_private=True)
    need = Needs(commands=set(said.commands), values=set(said.values))
    return result._replace(is_private=not may_be_kept(said, store.load({sent.scope: need})[sent.scope].privacy))


async def keep_rejected(client: Client, delivery: Delivery, error: Rejected, *, send_id: str, with_body: bool = True) -> None:
    """Publish a refused message, as it came or without its body, with code and reason. Raises Unavailable.

    Of a body over 64 KiB the beginning is kept, and its length in a header. The same message twice in two minutes is kept once.
    """
    subject = rejected_subject(SentSubject.parse(delivery.subject))
    headers = {
        "Nats-Msg-Id": f"{send_id}.{delivery.sequence}",
        CODE_HEADER: error.code,
        REASON_HEADER: _NOT_IN_HEADERS.sub(" ", error.message)[:_MOST_CHARACTERS],
        "Memstream-Sequence": str(delivery.sequence),
    }
    body = delivery.data if with_body else b""
    if len(body) > MOST_BODY_BYTES:
        headers[WHOLE_HEADER] = str(len(body))
    await publish(client, subject, body[:MOST_BODY_BYTES], headers)
    log.info("command.rejected", code=error.code, sequence=delivery.sequence)
