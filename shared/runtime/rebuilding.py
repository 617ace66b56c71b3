"""Rebuilds a projection beside the old one, in parts, on all cores.

The log is read once. Everything of a person is in one part, in order, so each of their rows and files is made in one go, and
what is built does not depend on how it was split.
"""

import asyncio
import shutil
from collections.abc import AsyncIterator, Awaitable, Callable
from concurrent.futures import Executor
from concurrent.futures.process import BrokenProcessPool
from contextlib import asynccontextmanager
from functools import partial
from math import ceil
from pathlib import Path
from typing import Generic, NamedTuple, TypeVar

from shared.contracts.errors import EventsLost, Poison, Unavailable
from shared.contracts.events import decode
from shared.contracts.ids import Position
from shared.runtime.anchors import Anchor
from shared.runtime.connection import Client, operator_connection
from shared.runtime.eventlog.new_event import ID_HEADER
from shared.runtime.eventlog.read import LogReader, Record
from shared.runtime.heap import collecting_afterwards
from shared.runtime.log_parts import LogPart, LogPartWriter
from shared.runtime.processes import processes_for, workers
from shared.runtime.projection_file import ProjectionFile
from shared.runtime.projector import Projection, Recorded, decoded, without_taken_back
from shared.runtime.settings import RuntimeSettings
from shared.runtime.tasks import in_thread
from shared.runtime.topology import identify_log

_PORTION = 10_000
"""Events that a process decodes and applies at a time: about 60 MB."""

_MOST_PARTS = 8_192

_PARTS_EACH = 2
"""Least events of a part: a process with less to do costs more than it saves."""

T = TypeVar("T")
RebuildProgress = Callable[[int, int], None]
"""Called with the numbers of events applied, and left."""


class Built(NamedTuple, Generic[T]):
    """All parts with what `build` returned for each, and the end of the log."""

    log_id: str
    position: Position  # of the last event
    newest: Anchor | None  # the last event
    parts: list[tuple[LogPart, T]]


async def rebuild_in_parts(
    runtime: RuntimeSettings,
    folder: Path,
    build: Callable[[LogPart], T],
    put_together: Callable[[Path, Built[T]], str],
    on_progress: RebuildProgress | None = None,
) -> str:
    """Replay the whole log into a new folder that then replaces the old one; return the digest that `put_together` returns.

    Raises Poison, EventsLost, or what these raise: nothing is replaced then. The service must not run meanwhile.
    """

    async def built(fresh: Path) -> str:
        async with built_in_parts(runtime, fresh, build, on_progress) as parts:
            return await in_thread(put_together, fresh, parts)

    return await rebuild_beside(folder, built)


async def rebuild_beside(folder: Path, build: Callable[[Path], Awaitable[str]]) -> str:
    """Have `build` fill a new folder, then replace the old one by it; return the digest that `build` returns.

    A failure leaves the old folder as it was, and removes the new one.
    """
    remove_leftovers(folder)
    fresh = _beside(folder)
    try:
        digest = await build(fresh)
    except BaseException:
        remove_leftovers(folder)
        raise
    shutil.rmtree(folder, ignore_errors=True)
    fresh.rename(folder)
    return digest


def remove_leftovers(folder: Path) -> None:
    """Remove what a killed rebuild left: it may hold text that was forgotten since."""
    shutil.rmtree(_beside(folder), ignore_errors=True)


def _beside(folder: Path) -> Path:
    return folder.with_name(f"{folder.name}.new")


@asynccontextmanager
async def built_in_parts(
    runtime: RuntimeSettings, fresh: Path, build: Callable[[LogPart], T], on_progress: RebuildProgress | None = None
) -> AsyncIterator[Built[T]]:
    """Split the log and build every part with `build`, which is pickled where there are several.

    The parts exist until the block ends. Raises Poison, or what `build` raises.
    """
    scratch = fresh / "parts"
    async with operator_connection(runtime) as client:
        identity = await identify_log(client)
        most = _number_of_parts(await LogReader(client).count())
        processes = most // _PARTS_EACH
        with workers(processes, _module_of(build)) as pool:
            for _ in range(processes):
                pool.submit(_get_ready, build)  # while the log is read
            newest, parts = await _split(client, scratch, most)
            results = await _built(pool, parts, build, on_progress)
    position = Position(newest.position if newest else 0)
    yield Built(identity.log_id, position, newest, list(zip(parts, results, strict=True)))
    shutil.rmtree(scratch)


def apply_part(projection: Projection, part: LogPart) -> None:
    """Apply all events of a part, as if what was taken back had never been forgotten.

    Raises Poison if one cannot be read or applied.
    """
    for records in part.portions(_PORTION):
        events = without_taken_back([_decoded(record) for record in records], part.taken_back)
        first, last = records[0].position, records[-1].position
        try:
            projection.apply(events, last)
        except Unavailable:  # no event is to blame: the disk is full
            raise
        except Exception as error:
            raise Poison(f"the rebuild stopped between positions {first} and {last}") from error


def require_whole(file: ProjectionFile) -> None:
    """Raises EventsLost if the log lacks events: a projection built without them must not replace the old one."""
    if lacking := {scope for scope, *_ in file.missing()}:
        raise EventsLost(f"the log lacks events of {len(lacking)} scopes; restore it from a backup")


def _decoded(record: Record) -> Recorded:
    try:
        return decoded(record, decode)
    except Poison as error:
        raise Poison(f"position {record.position}: {error.message}") from error


def _number_of_parts(events: int) -> int:
    """So many that each is about a portion, and no process has one more than others."""
    parts = events // _PORTION + 1
    processes = max(1, processes_for(parts // _PARTS_EACH))
    return min(ceil(parts / processes) * processes, _MOST_PARTS)


async def _split(client: Client, folder: Path, most: int) -> tuple[Anchor | None, list[LogPart]]:
    writer = LogPartWriter(folder, most)
    newest = None
    async for batch in LogReader(client).to_end():
        writer.add(batch)
        newest = Anchor(batch[-1].position, batch[-1].headers.get(ID_HEADER, ""))
    return newest, sorted(writer.parts(), key=lambda part: part.events, reverse=True)  # a large one at the end is waited for


async def _built(
    pool: Executor, parts: list[LogPart], build: Callable[[LogPart], T], on_progress: RebuildProgress | None
) -> list[T]:
    loop = asyncio.get_running_loop()
    left = sum(part.events for part in parts)
    applied = 0

    async def one(part: LogPart) -> T:
        nonlocal applied, left
        result = await loop.run_in_executor(pool, _build, build, part)
        applied, left = applied + part.events, left - part.events
        if on_progress:
            on_progress(applied, left)
        return result

    try:
        return await asyncio.gather(*map(one, parts))
    except BrokenProcessPool as error:
        raise Unavailable("a process of the rebuild was killed; is there enough memory?") from error


def _module_of(build: Callable[[LogPart], T]) -> str:
    return build.func.__module__ if isinstance(build, partial) else build.__module__


def _get_ready(_: object) -> None:
    """Do nothing: to receive this call, a worker imports what its work needs."""


def _build(build: Callable[[LogPart], T], part: LogPart) -> T:
    with collecting_afterwards():
        result = build(part)
    part.file.unlink()
    return result
