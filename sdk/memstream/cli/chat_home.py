"""The memstream that a chat talks to: the one that runs, else one that runs as long as the chat."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import NamedTuple

from memstream.cli.children import memstream_up, temporary_session
from memstream.cli.session import CliSession
from memstream.client import Memories, MemoryClient, Unavailable
from shared.contracts.errors import NotInitialised


class Home(NamedTuple):
    """A person's memories, and where they are."""

    memories: Memories
    session: CliSession
    is_ours: bool
    """True if this memstream was started for the chat, and ends with it."""

    is_temporary: bool = False


@asynccontextmanager
async def home(session: CliSession, *, is_temporary: bool) -> AsyncIterator[Home]:
    """This person's memories. A temporary home is empty at first, and leaves nothing behind."""
    if is_temporary:
        with temporary_session(session) as empty:
            async with _started(replace(session, settings=empty.settings)) as found:
                yield found._replace(is_temporary=True)
    elif client := await _running(session):
        try:
            yield Home(client, session, is_ours=False)
        finally:
            await client.close()
    else:
        async with _started(session) as found:
            yield found


async def _running(session: CliSession) -> MemoryClient | None:
    """A client of what runs on this data folder, or on the server that the settings name."""
    try:
        return await session.client().__aenter__()
    except (NotInitialised, Unavailable):
        if session.settings.nats_url:  # somebody else runs that one
            raise
        return None


@asynccontextmanager
async def _started(session: CliSession) -> AsyncIterator[Home]:
    session.files.create()
    async with memstream_up(session, space=session.space) as client:
        yield Home(client.for_user(session.user), session, is_ours=True)
