"""One thread does all work, and others help where it is busy for long with one piece."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from threading import Event, current_thread

import pytest

from shared.runtime import lead_thread
from shared.runtime.lead_thread import _LONG_S, LeadThread
from tests.support.installations import until

_PATIENCE_S = 30.0


@pytest.fixture
async def threads() -> AsyncIterator[LeadThread]:
    made = LeadThread("lead", helpers=3)
    yield made
    made.close()


def _thread() -> str:
    return current_thread().name


async def _is_done_by_the_lead(threads: LeadThread) -> bool:
    return await threads.begin(_thread) == "lead_0"


async def test_what_is_short_is_done_by_one_thread(threads: LeadThread, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lead_thread, "_LONG_S", _PATIENCE_S)  # however long a busy machine leaves it lying
    assert set(await asyncio.gather(*(threads.begin(_thread) for _ in range(50)))) == {"lead_0"}


async def test_whoever_comes_after_an_outcome_finds_the_lead_at_rest(threads: LeadThread) -> None:
    for _ in range(500):
        await threads.begin(_thread)
        assert not threads._is_to_look, "a look for helpers is on its way, and wakes the loop for nothing"


async def test_what_waits_behind_something_long_is_done_by_others(threads: LeadThread) -> None:
    is_done = Event()
    long = threads.begin(lambda: is_done.wait(_PATIENCE_S))
    async with asyncio.timeout(_PATIENCE_S / 2):
        others = await asyncio.gather(*(threads.begin(_thread) for _ in range(8)))
    assert all(name.startswith("lead-beside") for name in others)
    is_done.set()
    assert await long
    await until(lambda: _is_done_by_the_lead(threads), what="the lead does it again")


async def test_each_piece_is_done_once_whoever_comes_first(threads: LeadThread) -> None:
    done, is_done = list[int](), Event()
    long = threads.begin(lambda: is_done.wait(_PATIENCE_S))
    pieces = [threads.begin(lambda number=number: done.append(number)) for number in range(200)]  # type: ignore[misc]
    await until(lambda: bool(done))  # the others have begun to help
    is_done.set()  # and now the first one does what is left, too
    await asyncio.gather(long, *pieces)
    assert sorted(done) == list(range(200))


async def test_whoever_asks_gets_the_error_that_the_work_raised(threads: LeadThread) -> None:
    def fails() -> None:
        raise LookupError("of the work")

    with pytest.raises(LookupError, match="of the work"):
        await threads.begin(fails)
    assert await threads.begin(_thread) == "lead_0"


async def test_work_of_whoever_waits_no_longer_is_not_begun(threads: LeadThread) -> None:
    is_done, begun = Event(), list[int]()
    long = threads.begin(lambda: is_done.wait(_PATIENCE_S))
    given_up = threads.begin(lambda: begun.append(1))
    await asyncio.sleep(0)
    given_up.cancel()
    await asyncio.wait([given_up])
    is_done.set()
    await long
    await until(lambda: _is_done_by_the_lead(threads))  # behind it
    assert not begun


async def test_at_the_end_the_lead_does_what_waits_still(threads: LeadThread) -> None:
    is_done, told = Event(), list[object]()
    asyncio.get_running_loop().set_exception_handler(lambda _, context: told.append(context))
    long = threads.begin(lambda: is_done.wait(_PATIENCE_S))
    waiting = threads.begin(_thread)
    threads.close()
    await asyncio.sleep(3 * _LONG_S)  # the look that it is waiting for comes and finds the helpers gone
    is_done.set()
    assert await long
    assert await waiting == "lead_0"
    assert not told


async def test_after_the_end_nothing_is_taken(threads: LeadThread) -> None:
    threads.close()
    with pytest.raises(RuntimeError):
        await threads.begin(_thread)
