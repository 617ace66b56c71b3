"""Runs several pieces of work as one, and really ends them.

Not `asyncio.TaskGroup`: it cancels each task once, and nats-py waits with `asyncio.wait_for`, which before Python 3.12 forgets
a cancellation that comes together with a reply. A service would then never stop.
"""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Iterable
from typing import Any

_AGAIN_S = 0.5


async def together(*works: Coroutine[Any, Any, None]) -> None:
    """Run all of them until the first ends or fails; then end the others, and raise what it raised."""
    tasks = [asyncio.ensure_future(work) for work in works]
    try:
        done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        for task in done:
            task.result()
    finally:
        await end(tasks)


async def end(tasks: Iterable[asyncio.Future[None]]) -> None:
    """Cancel these, again and again, until they are done; a cancellation of the caller waits for that."""
    cancelled = False
    while waiting := [task for task in tasks if not task.done()]:
        for task in waiting:
            task.cancel()
        try:
            await asyncio.wait(waiting, timeout=_AGAIN_S)
        except asyncio.CancelledError:
            cancelled = True
    if cancelled:
        raise asyncio.CancelledError
