"""Rebuilds the files of scopes from whose log something was erased: no trace stays in indexes or free pages."""

from collections.abc import AsyncGenerator
from contextlib import aclosing, suppress

from services.retriever.store.forgetting_events import place_of_user_forgotten
from services.retriever.store.memory_folder import FileBehind, MemoryFolder
from shared.contracts.errors import Unavailable
from shared.contracts.ids import Scope
from shared.contracts.privacy import ForgettingTakenBack
from shared.domain.taking_back import taken_back
from shared.runtime.background import BACKGROUND
from shared.runtime.connection import Client
from shared.runtime.logs import log
from shared.runtime.projector import Aside, Recorded, read_scope, scope_batches, without_taken_back
from shared.runtime.tasks import in_thread

_MOST_REPAIRS = 3
"""After so many, whoever asks brings the file up to date: events keep coming."""


async def rebuild_scope(client: Client, memories: MemoryFolder, scope: Scope, *, aside: Aside | None = None) -> None:
    """Build one file anew beside the old one, which answers until it is replaced. Raises Unavailable, or what an event raises.

    What came meanwhile is in it as well before the request is dropped: no file is left behind the log. `aside`: what is left
    out, where that is not what the index has in quarantine.
    """
    asked = memories.index.rebuilds_asked(scope)
    aside = await in_thread(lambda: memories.index.aside) if aside is None else aside
    fresh = await in_thread(memories.beside, scope)
    try:
        async with aclosing(_batches(client, scope, aside)) as batches:
            async for events in batches:
                if (start := place_of_user_forgotten(events)) is not None:  # what comes before it is being erased still
                    fresh.close()
                    fresh = await in_thread(memories.beside, scope)
                await BACKGROUND.run(fresh.apply, events[start or 0 :], allow_gaps=True)
    except BaseException:
        fresh.close()
        raise
    await in_thread(memories.replace, scope, fresh)
    await _bring_up(client, memories, scope, aside)
    with suppress(FileBehind):  # then it says so again: only what is not given any more is known for longer
        await in_thread(memories.take_up_recipients, scope)
    await in_thread(memories.index.scope_rebuilt, scope, asked)
    log.info("scope.rebuilt", scope=scope, number=fresh.number)


async def _bring_up(client: Client, memories: MemoryFolder, scope: Scope, aside: Aside) -> None:
    """Apply the events that came while the file was made. Raises Unavailable."""
    for _ in range(_MOST_REPAIRS):
        if (behind := await in_thread(lacking, memories, scope)) is None:
            return
        await in_thread(memories.repair, scope, await read_scope(client, scope, after=behind.after, aside=aside))


def lacking(memories: MemoryFolder, scope: Scope) -> FileBehind | None:
    """What a person's file lacks; None where it has everything."""
    try:
        with memories.reading(scope):
            return None
    except FileBehind as behind:
        return behind


async def read_lacking(client: Client, memories: MemoryFolder, behind: FileBehind) -> list[Recorded]:
    """From the log what a file lacks, without what its folder has put aside. Raises Unavailable or Poison."""
    aside = await in_thread(lambda: memories.index.aside)
    return await read_scope(client, behind.scope, after=behind.after, aside=aside)


async def _batches(client: Client, scope: Scope, aside: Aside) -> AsyncGenerator[list[Recorded]]:
    """The events of a scope, with empty ones for what was taken back. Raises Unavailable where that happens meanwhile."""
    back = frozenset[str]()
    async for batch in scope_batches(client, scope, types=(ForgettingTakenBack,), aside=aside):
        back |= taken_back(recorded.event for recorded in batch)
    async with aclosing(scope_batches(client, scope, aside=aside)) as batches:
        async for events in batches:
            if not taken_back(recorded.event for recorded in events) <= back:
                raise Unavailable("something was taken back meanwhile; the file is built once more")
            yield without_taken_back(events, back)
