"""Worker processes for the pieces of one task, on all cores. They end with their parent, however that ends."""

import multiprocessing
import os
import signal
import sys
import threading
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Executor, ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import contextmanager
from multiprocessing.connection import wait
from multiprocessing.context import BaseContext

from shared.runtime.heap import settle_heap
from shared.runtime.logs import configure_logs
from shared.runtime.settings import child_environment, take_environment

_PATIENCE = 10
"""Of 19: such a process gets a tenth of the time of one that is waited for, where both want a core."""


def be_patient() -> None:
    """Leave the processor to other processes, where they want it.

    For a process in which nobody waits for anything. In another one, a thread that does not come to its turn may hold Python's
    lock, and the others would wait for it.
    """
    if sys.platform == "linux":
        for thread in threading.enumerate():  # there each has a niceness of its own
            if thread.native_id is not None and os.getpriority(os.PRIO_PROCESS, thread.native_id) < _PATIENCE:
                os.setpriority(os.PRIO_PROCESS, thread.native_id, _PATIENCE)
    elif hasattr(os, "nice"):  # not on Windows
        os.nice(_PATIENCE)


def processes_for(pieces: int) -> int:
    """How many processes work on so many pieces: one for each core, but no more than pieces."""
    return min(pieces, os.cpu_count() or 1)


@contextmanager
def workers(pieces: int, *modules: str) -> Iterator[Executor]:
    """An executor with a process for each core, but no more than pieces; for one piece a thread of this process.

    What has not begun when the block ends is dropped. `modules`: what the pieces need is imported once for all processes, where
    the system can do so.
    """
    count = processes_for(pieces)
    if count > 1:
        environment = child_environment({})  # as it is now, and not when the first worker of this process began
        pool: Executor = ProcessPoolExecutor(count, mp_context=_context(modules), initializer=_begin, initargs=(environment,))
    else:
        pool = ThreadPoolExecutor(1)
    try:
        yield pool
    finally:
        pool.shutdown(cancel_futures=True)


def _context(modules: Sequence[str]) -> BaseContext:
    """How processes begin. Not as forks of this one: a copy of a process with threads may hold a lock for ever.

    They are forks of one that has imported the modules and does nothing else. Importing takes a worker .8 s of a processor.
    """
    if sys.platform == "linux":  # Windows has no forks, and on macOS the system's libraries may have threads
        context = multiprocessing.get_context("forkserver")
        context.set_forkserver_preload(["__main__", *modules])
        return context
    return multiprocessing.get_context("spawn")


def _begin(environment: Mapping[str, str]) -> None:
    """Prepare a worker process before its first piece."""
    take_environment(environment)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the terminal sends it to all; the first process ends the others
    threading.Thread(target=_end_with_parent, daemon=True).start()
    configure_logs(level="error")
    settle_heap()


def _end_with_parent() -> None:
    """Wait for the parent process to end, then end this one: an orphan would write where the next worker begins."""
    if parent := multiprocessing.parent_process():
        wait([parent.sentinel])
        os._exit(1)
