"""Writes many messages to the server at once.

nats-py 2.16 checks, encodes and queues each message by itself, which takes longer than the server takes to store it.
"""

from collections.abc import Iterable
from typing import NamedTuple

from nats.aio.client import Client
from nats.errors import ConnectionReconnectingError, MaxPayloadError

_VERSION = "NATS/1.0\r\n"


class OutgoingMessage(NamedTuple):
    """A message to publish. Subject and headers must have no line break; they are not checked."""

    subject: str
    headers: dict[str, str]
    data: bytes


async def write(client: Client, messages: Iterable[OutgoingMessage]) -> None:
    """Send the messages in order, before whatever is published next.

    Raises MaxPayloadError, or ConnectionReconnectingError where there is no connection: nothing is kept for later.
    """
    if not client.is_connected:
        raise ConnectionReconnectingError
    frames = b"".join([_frame(message, client.max_payload) for message in messages])
    await client._send_command(frames)  # noqa: SLF001 - what `publish` ends with


def _frame(message: OutgoingMessage, most: int) -> bytes:
    lines = "".join([f"{name}: {value}\r\n" for name, value in message.headers.items()])
    head = f"{_VERSION}{lines}\r\n".encode()
    size = len(head) + len(message.data)
    if size > most:  # the server would close the connection
        raise MaxPayloadError
    return b"HPUB %b %d %d\r\n%b%b\r\n" % (message.subject.encode(), len(head), size, head, message.data)
