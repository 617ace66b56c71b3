"""Builds the retriever's files anew from the log: beside the old ones, which are replaced only by a complete copy."""

from contextlib import closing
from functools import partial
from pathlib import Path

from services.retriever.projection import RetrieverProjection
from services.retriever.scope_rebuild import ScopeRebuilds
from services.retriever.settings import RetrieverSettings
from services.retriever.store.memory_file import MemoryFile
from services.retriever.store.memory_folder import FileBehind, MemoryFolder, add_digests
from shared.contracts.errors import Unavailable
from shared.runtime.comparing import CompareRequest, Comparison
from shared.runtime.connection import Client
from shared.runtime.log_parts import LogPart
from shared.runtime.rebuilding import Built, RebuildProgress, apply_part, rebuild_in_parts, require_whole
from shared.runtime.settings import RuntimeSettings


async def rebuild(runtime: RuntimeSettings, on_progress: RebuildProgress | None = None) -> str:
    """Replay the whole log, and put what it leads to in the place of the old files; see `rebuild_in_parts`."""
    build = partial(_build, RetrieverSettings().open_files)
    return await rebuild_in_parts(runtime, runtime.files.projection("retriever"), build, _put_together, on_progress)


def digests(runtime: RuntimeSettings) -> dict[str, str | int]:
    """Projection and content digest of the files as they lie there. The service must not run meanwhile.

    Raises Unavailable where a file is to be built again first.
    """
    with closing(MemoryFolder(runtime.files.projection("retriever"), open_files=RetrieverSettings().open_files)) as memories:
        try:
            return {
                "position": memories.index.position,
                "projection": memories.each_file(MemoryFile.digest),
                "content": memories.each_file(MemoryFile.content_digest),
            }
        except FileBehind as behind:
            raise Unavailable("a person's file is built again when it is asked for; until then there is no digest") from behind


async def compare(runtime: RuntimeSettings, client: Client, request: CompareRequest) -> Comparison:
    """Compare the files as they lie there with the log. The service must not run meanwhile."""
    with closing(MemoryFolder(runtime.files.projection("retriever"), open_files=RetrieverSettings().open_files)) as memories:
        return await ScopeRebuilds(memories).compare(client, request)


def _build(open_files: int, part: LogPart) -> str:
    """Build the files of a part in a folder of its own; return their digest."""
    with closing(MemoryFolder(part.folder, open_files=open_files, is_rebuild=True)) as memories:
        apply_part(RetrieverProjection(memories, pending_events=1, live=False), part)
        return memories.each_file(MemoryFile.digest)


def _put_together(folder: Path, built: Built[str]) -> str:
    """Move all files into one folder with one index; return their digest. Raises EventsLost."""
    with closing(MemoryFolder(folder, open_files=1)) as memories:
        for part, _ in built.parts:
            memories.take_over(part.folder)
        require_whole(memories.index)
        memories.index.adopt(built.log_id, built.newest)
        memories.index.save({}, built.position)
    return add_digests(digest for _, digest in built.parts)
