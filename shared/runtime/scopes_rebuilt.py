"""Keeps the scopes of a projection's file rebuilt of which something was erased from the log."""

import asyncio
from collections.abc import Awaitable, Callable

from shared.contracts.errors import ENDING, Unavailable
from shared.contracts.ids import Scope
from shared.runtime.logs import log
from shared.runtime.projection_file import ProjectionFile
from shared.runtime.tasks import in_thread, note_failure

_AGAIN_S = 0.2


async def keep_scopes_rebuilt(file: ProjectionFile, rebuild_scope: Callable[[Scope], Awaitable[None]]) -> None:
    """Rebuild the requested scopes, for ever. A request is kept until its rebuild is complete, so a crash repeats it."""
    failed: set[Scope] = set()  # until the next start
    while True:
        seen = file.requests.count
        for scope in await in_thread(file.scopes_to_rebuild):
            if file.requests.count != seen:  # the newest come first: what is erased does not wait for everybody's files
                break
            if scope in failed:
                continue
            try:
                await rebuild_scope(scope)
            except Unavailable as error:
                log.info("scope_rebuild.postponed", scope=scope, reason=error.message)
            except ENDING:
                raise
            except Exception as error:  # noqa: BLE001 - one person's rows must not keep all others from being rebuilt
                note_failure(error, what="scope_rebuild", scope=scope)
                failed.add(scope)
        if file.requests.count == seen:
            if set(await in_thread(file.scopes_to_rebuild)) - failed:  # the log did not answer
                await asyncio.sleep(_AGAIN_S)
            else:
                await file.requests.beyond(seen)
