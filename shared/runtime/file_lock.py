"""A lock that one process holds at a time, whoever waits for it; it goes with its process, however that ends."""

import asyncio
import fcntl
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from shared.runtime.private_files import private_file


class FileLock:
    """The lock that is a file. Several objects of one file exclude each other, in one process too."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._handle: int | None = None

    def take(self) -> bool:
        """Take the lock if nobody has it; tell whether it is held now."""
        if self._handle is None:
            handle = _opened(self._path)
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                os.close(handle)
                return False
            self._handle = handle
        return True

    async def wait(self) -> None:
        """Take the lock as soon as nobody has it: at the very moment when the process ends that has it now."""
        if self.take():
            return
        loop = asyncio.get_running_loop()
        taken: asyncio.Future[int] = loop.create_future()

        def hand_over(handle: int) -> None:
            if taken.cancelled():
                os.close(handle)
            else:
                taken.set_result(handle)

        def block() -> None:
            handle = _opened(self._path)
            fcntl.flock(handle, fcntl.LOCK_EX)
            try:
                loop.call_soon_threadsafe(hand_over, handle)
            except RuntimeError:  # the loop has ended meanwhile
                os.close(handle)

        threading.Thread(target=block, name="file-lock", daemon=True).start()  # nothing can wake it, so nobody joins it
        self._handle = await taken

    def release(self) -> None:
        """Give the lock to whoever waits for it."""
        if self._handle is not None:
            os.close(self._handle)
            self._handle = None


@contextmanager
def one_at_a_time(path: Path) -> Iterator[None]:
    """Run the block when no other process runs one with this file. Only for what takes a moment: it blocks its thread."""
    handle = _opened(path)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)


def _opened(path: Path) -> int:
    private_file(path)
    return os.open(path, os.O_RDWR | os.O_CLOEXEC)
