"""Messages of SEND as a lane gets them."""

from datetime import datetime

from services.ingest.domain.policy import SHIPPED, Policy
from services.ingest.sent_message import SentMessage
from shared.contracts.command import Command
from shared.contracts.ids import Space, User
from shared.contracts.subjects import encode_token, slot_of
from shared.runtime.eventlog.pull import Delivery
from tests.support.scopes import ANNA, KEYS, SEND_ID, SPACE, T0


def delivery(
    what: str,
    payload: bytes,
    *,
    sequence: int = 1,
    user: User = ANNA,
    space: Space = SPACE,
    channel: str = "send",
    now: datetime = T0,
    headers: dict[str, str] | None = None,
) -> Delivery:
    """A stored message with any payload."""
    subject = f"{channel}.{slot_of(user)}.{encode_token(space)}.{encode_token(user)}.{what}"
    stored_ns = round(now.timestamp() * 1_000_000) * 1000
    return Delivery(sequence, stored_ns, subject, payload, headers or {}, "$JS.ACK.SEND.lane", 0)


def sent(
    command: Command,
    *,
    sequence: int = 1,
    user: User = ANNA,
    space: Space = SPACE,
    now: datetime = T0,
    policy: Policy = SHIPPED,
) -> SentMessage:
    """A stored command, read."""
    payload = command.model_dump_json(exclude_none=True).encode()
    stored = delivery(command.what, payload, sequence=sequence, user=user, space=space, channel=command.channel, now=now)
    return SentMessage.read(stored, keys=KEYS, send_id=SEND_ID, policy=policy)
