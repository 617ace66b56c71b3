"""Makes files as a process of its own, which the service starts where they are of another version.

Whoever it was started by may end: it goes on, and the next start waits for it.
"""

import asyncio
import sys
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

from services.retriever.live_rebuild import drop_old, is_complete, rebuild_live, rebuild_lock
from services.retriever.rebuild import make
from services.retriever.store.index import ScopeIndex
from shared.contracts.errors import MemstreamError, outcome_of
from shared.runtime.file_lock import FileLock
from shared.runtime.generations import Generations
from shared.runtime.logs import configure_logs, log
from shared.runtime.long_work import LongWork
from shared.runtime.processes import be_patient
from shared.runtime.settings import RuntimeSettings, child_environment

FIRST, RENEW = "first", "renew"
_NAME = "retriever"
_MODULE = "services.retriever.made_apart"
_HOME = Path(__file__).parents[2]
_BEING_MADE = "projection.being_made"


async def make_first(runtime: RuntimeSettings) -> None:
    """Make everybody's files before anybody is answered, where those that count hold nothing; wait for another who does it."""
    generations, lock = Generations(runtime.files, _NAME), FileLock(rebuild_lock(runtime.files))
    await lock.wait()
    try:
        if not _is_empty(generations.current):
            return
        fresh = generations.next
        if not is_complete(fresh):
            await make(runtime, fresh, LongWork(_BEING_MADE, _NAME))
        generations.point_at(fresh)
    finally:
        lock.release()


async def renew(runtime: RuntimeSettings) -> None:
    """Make files of today's version beside those of an earlier one, which answer meanwhile and go then.

    Others that were kept go first: they are of an earlier version too, and there are two generations at most.
    """
    await drop_old(runtime, is_running=True)
    found = await rebuild_live(runtime, is_running=True, on_progress=LongWork(_BEING_MADE, _NAME))
    if found.is_switched:
        await drop_old(runtime, is_running=True)
    else:
        do = "memstream rebuild --live --anyway"
        log.error("projection.differs", projection=_NAME, people=len(found.differing), generation=found.generation, do=do)


def main(arguments: Sequence[str]) -> None:
    """Make files as a process of its own, with settings from the environment: `first` or `renew`."""
    settings = RuntimeSettings()
    configure_logs(level=settings.log_level, as_json=settings.log_json)
    be_patient()
    try:
        asyncio.run({FIRST: make_first, RENEW: renew}[arguments[0]](settings))
    except MemstreamError as error:
        log.critical("projection.not_made", projection=_NAME, code=error.code, reason=error.message)
        raise SystemExit(outcome_of(error).exit_code) from error


async def apart(runtime: RuntimeSettings, what: str) -> int:
    """Run `first` or `renew` as a process of its own, to its end; its exit code."""
    environment = {
        "MEMSTREAM_DATA_DIR": str(runtime.files.root),
        "MEMSTREAM_NATS_URL": runtime.nats_url or "",
        "PYTHONPATH": str(_HOME),
    }
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-P", "-m", _MODULE, what),
        stdin=asyncio.subprocess.DEVNULL,
        env=child_environment(environment),
        start_new_session=True,
    )
    try:
        return await process.wait()
    except asyncio.CancelledError:
        process.kill()  # what it leaves goes with the next start
        await process.wait()
        raise


def _is_empty(folder: Path) -> bool:
    """True if files hold nothing yet, as after those of another version were deleted."""
    index = ScopeIndex(folder)
    with closing(index):
        return index.position == 0


if __name__ == "__main__":
    main(sys.argv[1:])
