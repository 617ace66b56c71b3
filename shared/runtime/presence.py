"""Says on a subject that somebody is there, and asks others whether they are: the server knows at once who has gone."""

from collections.abc import Awaitable, Callable

from nats.aio.msg import Msg
from nats.errors import NoRespondersError

from shared.contracts.errors import MemstreamError, Unavailable
from shared.runtime.connection import Client, answering
from shared.runtime.logs import log

_REPLY_S = 1.0


async def reply_on(client: Client, subject: str, reply: Callable[[bytes], Awaitable[bytes]]) -> None:
    """Answer requests on a subject from now on; not at all where `reply` raises an error of ours. Raises Unavailable."""

    async def answer(message: Msg) -> None:
        try:
            await message.respond(await reply(message.data))
        except MemstreamError as error:
            log.info("request.not_answered", subject=subject, reason=error.message)

    with answering("the server did not answer"):
        await client.subscribe(subject, cb=answer)


async def be_present(client: Client, subject: str) -> None:
    """Say on a subject, to whoever asks, that somebody is there. Raises Unavailable."""

    async def here(_: bytes) -> bytes:
        return b""

    await reply_on(client, subject, here)


async def is_present(client: Client, subject: str) -> bool:
    """False if nobody is there, or does not answer within a second. True also where this connection is lost: who knows?"""
    try:
        with answering("the server did not answer"):
            await client.request(subject, b"", timeout=_REPLY_S)
    except Unavailable as error:
        return not (client.is_connected and isinstance(error.__cause__, NoRespondersError | TimeoutError))
    return True
