"""Builds the retriever's files anew from the log: beside the old ones, which are replaced only by a complete copy."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import NamedTuple

from services.retriever.projection import RetrieverProjection
from services.retriever.settings import RetrieverSettings
from services.retriever.store.index import Last
from services.retriever.store.memory_file import MemoryFile
from services.retriever.store.memory_folder import MemoryFolder, digest_of_files
from shared.contracts.ids import Scope
from shared.runtime.log_parts import LogPart
from shared.runtime.rebuilding import Built, apply_part, built_in_parts, rebuild_beside, require_whole
from shared.runtime.settings import RuntimeSettings
from shared.runtime.tasks import in_thread


class _Files(NamedTuple):
    """What the files of some scopes hold."""

    last: dict[Scope, Last]
    missing: list[tuple[Scope, int, int]]
    digests: dict[Scope, str]


async def rebuild(runtime: RuntimeSettings, on_progress: Callable[[int, int], None] | None = None) -> str:
    """Replay the whole log; return the projection digest. The service must not run on this data folder meanwhile.

    `on_progress` gets (events applied, events left). Raises Poison or EventsLost: nothing is replaced then.
    """
    build = partial(_build, RetrieverSettings().open_files)

    async def built(fresh: Path) -> str:
        async with built_in_parts(runtime, fresh, build, on_progress) as parts:
            return await in_thread(_put_together, fresh, parts)

    return await rebuild_beside(runtime.files.retriever, built)


def digests(runtime: RuntimeSettings) -> dict[str, str | int]:
    """Projection and content digest of the files as they lie there. The service must not run meanwhile."""
    memories = MemoryFolder(runtime.files.retriever, open_files=RetrieverSettings().open_files)
    try:
        return {
            "position": int(memories.index.meta("position") or 0),
            "projection": memories.each_file(MemoryFile.digest),
            "content": memories.each_file(MemoryFile.content_digest),
        }
    finally:
        memories.close()


def _build(open_files: int, part: LogPart) -> _Files:
    """The files of a part, in a folder of its own."""
    memories = MemoryFolder(part.folder, open_files=open_files, allow_gaps=True)
    try:
        apply_part(RetrieverProjection(memories, pending_events=1, live=False), part)
        index = memories.index
        return _Files(index.last(index.scopes()), index.missing(), memories.digests(MemoryFile.digest))
    finally:
        memories.close()


def _put_together(folder: Path, built: Built[_Files]) -> str:
    """All files in one folder with one index; return their digest."""
    require_whole({scope for _, files in built.parts for scope, *_ in files.missing})
    memories = MemoryFolder(folder, open_files=1)
    try:
        RetrieverProjection(memories, pending_events=1, live=False).adopt(built.log_id)
        for part, files in built.parts:
            memories.take_over(part.folder)
            memories.index.save(files.last, built.position)
        memories.index.save({}, built.position)
    finally:
        memories.close()
    return digest_of_files({scope: digest for _, files in built.parts for scope, digest in files.digests.items()})
