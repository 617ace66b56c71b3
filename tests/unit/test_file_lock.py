"""Who has a part of the people has its lock: one at a time, and whoever waits has it at the moment when its holder ends."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

from shared.runtime.file_lock import FileLock
from tests.support.installations import PATIENCE_S

_HOLDER = """
import sys, time
from pathlib import Path
from shared.runtime.file_lock import FileLock
assert FileLock(Path(sys.argv[1])).take()
print("held", flush=True)
time.sleep(60)
"""


def test_one_has_it_at_a_time(tmp_path: Path) -> None:
    one, other = FileLock(tmp_path / "a.lock"), FileLock(tmp_path / "a.lock")
    assert one.take()
    assert one.take()  # it has it already
    assert not other.take()
    one.release()
    assert other.take()


async def test_whoever_waits_has_it_when_it_is_released(tmp_path: Path) -> None:
    one, other = FileLock(tmp_path / "a.lock"), FileLock(tmp_path / "a.lock")
    await one.wait()
    waiting = asyncio.create_task(other.wait())
    await asyncio.sleep(0.05)
    assert not waiting.done()
    one.release()
    await asyncio.wait_for(waiting, PATIENCE_S)
    assert not one.take()


async def test_who_gives_up_waiting_does_not_keep_it_from_others(tmp_path: Path) -> None:
    one, other, third = (FileLock(tmp_path / "a.lock") for _ in range(3))
    await one.wait()
    waiting = asyncio.create_task(other.wait())
    await asyncio.sleep(0.05)
    waiting.cancel()
    one.release()
    await asyncio.wait_for(third.wait(), PATIENCE_S)


async def test_it_goes_with_a_process_that_is_killed(tmp_path: Path) -> None:
    path = tmp_path / "a.lock"
    holder = await asyncio.create_subprocess_exec(sys.executable, "-c", _HOLDER, str(path), stdout=asyncio.subprocess.PIPE)
    try:
        assert holder.stdout
        await holder.stdout.readline()
        lock = FileLock(path)
        assert not lock.take()
        waiting = asyncio.create_task(lock.wait())
        await asyncio.sleep(0.05)
    finally:
        holder.kill()
        await holder.wait()
    await asyncio.wait_for(waiting, PATIENCE_S)
