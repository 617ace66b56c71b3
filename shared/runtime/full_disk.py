"""A full disk, or too many open files: told to the operator, and waited out, for nothing that waits for room is lost."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from typing import TypeVar

from shared.contracts.errors import DiskFull, FilesExhausted
from shared.runtime.logs import log
from shared.runtime.metrics import WRITES_REFUSED

T = TypeVar("T")
_ROOM_S = 5.0
"""While a disk is full, it is tried again so often."""

_EVENTS: Mapping[type[DiskFull], str] = {DiskFull: "disk.full", FilesExhausted: "files.exhausted"}


def tell_full(error: DiskFull, **more: str) -> None:
    """Tell the operator: by the log, with more where it is known, and by the metric that raises the alarm."""
    WRITES_REFUSED.labels(error.code).inc()
    log.error(_EVENTS[type(error)], reason=error.message, **more)


async def until_there_is_room(write: Callable[[], Awaitable[T]], *, what: str, waits: bool = True) -> T:
    """What `write` returns, called again as long as its disk is full. Without `waits` it raises DiskFull."""
    while True:
        try:
            return await write()
        except DiskFull as error:
            if not waits:
                raise
            await wait_for_room(error, what=what)


async def wait_for_room(error: DiskFull, *, what: str) -> None:
    """Say that somebody's disk is full, and return when it may be tried again."""
    tell_full(error, what=what)
    await asyncio.sleep(_ROOM_S)
