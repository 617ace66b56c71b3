"""Worker processes for the pieces of one task, on all cores. They end with their parent, however that ends."""

import multiprocessing
import os
import signal
import threading
from collections.abc import Iterator
from concurrent.futures import Executor, ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import contextmanager
from multiprocessing.connection import wait

from shared.runtime.heap import settle_heap
from shared.runtime.logs import configure_logs


@contextmanager
def workers(pieces: int) -> Iterator[Executor]:
    """An executor with a process for each core, but no more than pieces; for one piece a thread of this process.

    What has not begun when the block ends is dropped.
    """
    count = min(pieces, os.cpu_count() or 1)
    if count > 1:
        # Not forked: a copy of a process with threads may hold a lock for ever.
        context = multiprocessing.get_context("spawn")
        pool: Executor = ProcessPoolExecutor(count, mp_context=context, initializer=_begin)
    else:
        pool = ThreadPoolExecutor(1)
    try:
        yield pool
    finally:
        pool.shutdown(cancel_futures=True)


def _begin() -> None:
    """Prepare a worker process before its first piece."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the terminal sends it to all; the first process ends the others
    threading.Thread(target=_end_with_parent, daemon=True).start()
    configure_logs(level="error")
    settle_heap()


def _end_with_parent() -> None:
    """Wait for the parent process to end, then end this one: an orphan would write where the next worker begins."""
    if parent := multiprocessing.parent_process():
        wait([parent.sentinel])
        os._exit(1)
