"""One service asks another, over the subjects that bots use."""

from __future__ import annotations

from nats.aio.client import Client
from nats.errors import Error as NatsError

from shared.contracts.errors import Unavailable


async def ask(client: Client, subject: str, payload: bytes, timeout_s: float) -> bytes:
    """The reply as it came. Raises Unavailable where none comes in time."""
    try:
        return (await client.request(subject, payload, timeout=timeout_s)).data
    except (NatsError, TimeoutError, OSError) as error:
        raise Unavailable("the other service did not answer in time") from error
