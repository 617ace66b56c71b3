"""Builds the retriever's files anew from the log: beside the old ones, which are replaced only by a complete copy."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import Callable

from services.retriever.projection import RetrieverProjection
from services.retriever.settings import RetrieverSettings
from services.retriever.store.file import MemoryFile
from services.retriever.store.library import Library
from shared.contracts.errors import EventsLost
from shared.runtime.connection import operator_connection
from shared.runtime.projector import Projector
from shared.runtime.settings import RuntimeSettings


async def rebuild(runtime: RuntimeSettings, on_progress: Callable[[int, int], None] | None = None) -> str:
    """Replay the whole log; return the projection digest. The service must not run on this data folder meanwhile.

    `on_progress` gets (events applied, events left). Raises Poison or EventsLost: nothing is replaced then.
    """
    folder = runtime.files.retriever
    fresh = folder.with_name(f"{folder.name}.new")
    shutil.rmtree(fresh, ignore_errors=True)
    settings = RetrieverSettings()
    library = Library(fresh, open_files=settings.open_files, allow_gaps=True)
    try:
        projection = RetrieverProjection(library, pending_events=settings.rebuild_events, live=False)
        async with operator_connection(runtime) as client:
            await Projector(client, projection, live=False).catch_up(on_progress)
        await asyncio.to_thread(projection.flush)
        if lost := library.index.missing():
            raise EventsLost(f"the log lacks events of {len({scope for scope, *_ in lost})} scopes; restore it from a backup")
        digest = await asyncio.to_thread(library.each_file, MemoryFile.digest)
    finally:
        await asyncio.to_thread(library.close)
    shutil.rmtree(folder, ignore_errors=True)
    fresh.rename(folder)
    return digest


def digests(runtime: RuntimeSettings) -> dict[str, str | int]:
    """Projection and content digest of the files as they lie there. The service must not run meanwhile."""
    library = Library(runtime.files.retriever, open_files=RetrieverSettings().open_files)
    try:
        return {
            "position": int(library.index.meta("position") or 0),
            "projection": library.each_file(MemoryFile.digest),
            "content": library.each_file(MemoryFile.content_digest),
        }
    finally:
        library.close()
