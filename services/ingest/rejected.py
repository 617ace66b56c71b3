"""Keeps what was refused in REJECTED, with the reason in headers: nothing that was sent is lost."""

from __future__ import annotations

import re

from shared.contracts.errors import Rejected
from shared.contracts.subjects import SentSubject, rejected_subject
from shared.runtime.connection import Client
from shared.runtime.eventlog.pull import Delivery
from shared.runtime.logs import log
from shared.runtime.sending import publish

CODE_HEADER = "Memstream-Code"
REASON_HEADER = "Memstream-Reason"
_NOT_IN_HEADERS = re.compile(r"[^ -~]+")
_MOST_CHARACTERS = 1000


async def keep_rejected(client: Client, delivery: Delivery, error: Rejected, *, send_id: str, with_body: bool = True) -> None:
    """Publish the message as it came, with code and reason. Raises Unavailable; twice in two minutes keeps one copy.

    Without its body where the person wants nothing kept.
    """
    subject = rejected_subject(SentSubject.parse(delivery.subject))
    headers = {
        "Nats-Msg-Id": f"{send_id}.{delivery.sequence}",
        CODE_HEADER: error.code,
        REASON_HEADER: _NOT_IN_HEADERS.sub(" ", error.message)[:_MOST_CHARACTERS],
        "Memstream-Sequence": str(delivery.sequence),
    }
    await publish(client, subject, delivery.data if with_body else b"", headers)
    log.info("command.rejected", code=error.code, sequence=delivery.sequence)
