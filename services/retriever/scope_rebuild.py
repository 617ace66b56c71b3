"""Rebuilds the files of scopes from whose log something was erased: no trace stays in indexes or free pages."""

from collections.abc import AsyncGenerator
from contextlib import aclosing

from services.retriever.store.memory_folder import MemoryFolder, place_of_user_forgotten
from shared.contracts.errors import Unavailable
from shared.contracts.ids import Scope
from shared.contracts.privacy import ForgettingTakenBack
from shared.domain.taking_back import taken_back
from shared.runtime.connection import Client
from shared.runtime.logs import log
from shared.runtime.projector import Recorded, scope_batches, without_taken_back
from shared.runtime.tasks import in_thread


async def rebuild_scope(client: Client, memories: MemoryFolder, scope: Scope) -> None:
    """Build one file anew beside the old one, which answers until it is replaced. Raises Unavailable."""
    asked = memories.index.rebuilds_asked(scope)
    fresh = await in_thread(memories.beside, scope)
    try:
        async with aclosing(_batches(client, scope)) as batches:
            async for events in batches:
                if (start := place_of_user_forgotten(events)) is not None:  # what comes before it is being erased still
                    fresh.close()
                    fresh = await in_thread(memories.beside, scope)
                await in_thread(fresh.apply, events[start or 0 :], allow_gaps=True)
        await in_thread(fresh.derive_arrays)  # now, so that no question waits for it
    except BaseException:
        fresh.close()
        raise
    await in_thread(memories.replace, scope, fresh, asked)
    log.info("scope.rebuilt", scope=scope, number=fresh.number)


async def _batches(client: Client, scope: Scope) -> AsyncGenerator[list[Recorded]]:
    """The events of a scope, with empty ones for what was taken back. Raises Unavailable where that happens meanwhile."""
    back = frozenset[str]()
    async for batch in scope_batches(client, scope, types=(ForgettingTakenBack,)):
        back |= taken_back(recorded.event for recorded in batch)
    async with aclosing(scope_batches(client, scope)) as batches:
        async for events in batches:
            if not taken_back(recorded.event for recorded in events) <= back:
                raise Unavailable("something was taken back meanwhile; the file is built once more")
            yield without_taken_back(events, back)
