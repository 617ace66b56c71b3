"""Makes the retriever's files anew beside those that answer, in patient processes of its own, and has the service switch.

A crash at any moment harms nothing: what is half made is removed by the next start or rebuild, what is complete is taken over
by the next rebuild, and until the pointer names it, the old one counts.
"""

import asyncio
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any, NamedTuple

from services.retriever.adopting import AdoptionStage, AdoptRequest
from services.retriever.rebuild import make
from services.retriever.store.index import ScopeIndex
from shared.contracts.contract import Contract
from shared.contracts.errors import Misconfigured, ProjectionDamaged, Unavailable
from shared.runtime.asking import answer_on
from shared.runtime.connection import Client, operator_connection
from shared.runtime.datadir import DataDir
from shared.runtime.file_lock import FileLock
from shared.runtime.generations import Generations, clear
from shared.runtime.projection_file import leaving_files
from shared.runtime.rebuilding import RebuildProgress
from shared.runtime.settings import RuntimeSettings

_NAME = "retriever"
_LOOK_AGAIN_S = 0.2
_TIMEOUT_S = 60.0

OnCompared = Callable[[int, int], None]
"""Called with the numbers of people compared, and of all."""


class Switched(NamedTuple):
    """What a live rebuild led to."""

    generation: str
    is_switched: bool
    compared: int = 0
    differing: tuple[str, ...] = ()  # scopes
    untold: int = 0  # people who could not be compared: something came of them all the time, or their file is to be made anew


async def rebuild_live(
    runtime: RuntimeSettings,
    *,
    is_running: bool,
    in_any_case: bool = False,
    on_progress: RebuildProgress | None = None,
    on_compared: OnCompared | None = None,
) -> Switched:
    """Make everybody's files anew beside the old ones, which are kept, and switch if they are equal, or `in_any_case`.

    Raises Misconfigured where another does it or older files are kept still; Poison or EventsLost as a rebuild; Unavailable.
    """
    generations = Generations(runtime.files, _NAME)
    with _alone(runtime.files):
        if kept := generations.kept:
            raise Misconfigured(f"{kept[0].name} is kept still; delete it with: memstream rebuild --drop-old")
        fresh = generations.next
        if not is_complete(fresh):
            await make(runtime, fresh, on_progress)
        if not is_running:
            generations.point_at(fresh)
            return Switched(fresh.name, is_switched=True)
        async with operator_connection(runtime) as client:
            return await _switched(client, generations, fresh, on_compared, in_any_case=in_any_case)


async def _switched(
    client: Client, generations: Generations, fresh: Path, on_compared: OnCompared | None, *, in_any_case: bool
) -> Switched:
    await _ask(client, "adopt", AdoptRequest(generation=fresh.name))
    while True:
        workers = (await _ask(client, "adoption"))["workers"]
        if on_compared:
            on_compared(sum(each["compared"] for each in workers), sum(each["of"] for each in workers))
        if failed := [each["why"] for each in workers if each["stage"] in {AdoptionStage.FAILED, AdoptionStage.NONE}]:
            raise Unavailable(f"the service did not take the new files over: {failed[0] or 'it was restarted'}")
        if all(each["stage"] in {AdoptionStage.READY, AdoptionStage.SWITCHED} for each in workers):
            break
        await asyncio.sleep(_LOOK_AGAIN_S)
    differing = tuple(scope for each in workers for scope in each["differing"])
    told = Switched(
        fresh.name,
        not differing or in_any_case,
        sum(each["compared"] for each in workers),
        differing,
        sum(each["untold"] for each in workers),
    )
    if told.is_switched:
        generations.point_at(fresh)
        await _ask(client, "switch")
    return told


async def drop_old(runtime: RuntimeSettings, *, is_running: bool) -> int:
    """Delete the older files that are kept; return how many generations. Raises Misconfigured where they answer still."""
    generations = Generations(runtime.files, _NAME)
    with _alone(runtime.files):
        if is_running:
            async with operator_connection(runtime) as client:
                used = {each["generation"] for each in (await _ask(client, "adoption"))["workers"]}
            if used != {generations.current.name}:
                raise Misconfigured("the retriever answers from them still; restart it first")
        return generations.drop_kept()


@contextmanager
def _alone(files: DataDir) -> Iterator[None]:
    lock = FileLock(rebuild_lock(files))
    if not lock.take():
        raise Misconfigured("the retriever is being rebuilt in another process; wait for that")
    try:
        yield
    finally:
        lock.release()


def rebuild_lock(files: DataDir) -> Path:
    """The file whose lock whoever makes the files anew has."""
    return files.lock("retriever-rebuild")


def remove_half_made(files: DataDir) -> None:
    """Delete what a killed rebuild left, unless one is at work: it may hold text that was forgotten since."""
    left, lock = Generations(files, _NAME).leftovers(), FileLock(rebuild_lock(files))
    if left and lock.take():
        for folder in left:
            clear(folder)
        lock.release()


def is_complete(folder: Path) -> bool:
    """True if such files are there of this version; those of another are deleted."""
    if not folder.exists():
        return False
    with suppress(ProjectionDamaged), leaving_files(), closing(ScopeIndex(folder)) as index:
        if index.earlier is None:
            return True
    clear(folder)
    return False


async def _ask(client: Client, what: str, request: Contract | None = None) -> dict[str, Any]:
    payload, silence = request.model_dump_json().encode() if request else b"", "the retriever does not answer"
    return await answer_on(client, f"admin.{_NAME}.{what}", payload, silence=silence, timeout_s=_TIMEOUT_S)
