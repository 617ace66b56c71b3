"""Long work is done in one thread, and rests while somebody asks."""

from __future__ import annotations

import asyncio
import threading
import time

import pytest

from shared.runtime.background import Background


def _busy(seconds: float) -> None:
    """Compute for so long."""
    until = time.thread_time() + seconds
    while time.thread_time() < until:
        pass


async def test_pieces_are_done_one_after_the_other_and_not_in_the_event_loop() -> None:
    background = Background()
    threads = await asyncio.gather(*(background.run(threading.current_thread) for _ in range(3)))
    assert len(set(threads)) == 1
    assert threads[0] is not threading.current_thread()


async def test_a_piece_rests_only_while_somebody_asks(monkeypatch: pytest.MonkeyPatch) -> None:
    rests: list[float] = []
    monkeypatch.setattr("shared.runtime.background.time.sleep", rests.append)
    background = Background()
    await background.run(_busy, 0.05)
    await background.run(_busy, 0.05)
    assert rests == [], "nobody asked"
    background.note_question()
    await background.run(_busy, 0.0)
    assert [3 * 0.05 <= rest <= 3 * 0.1 for rest in rests] == [True]


async def test_an_error_of_the_work_reaches_whoever_wanted_it() -> None:
    with pytest.raises(ZeroDivisionError):
        await Background().run(lambda: 1 // 0)


async def test_who_works_in_the_event_loop_gives_way_while_somebody_asks() -> None:
    background = Background()
    began = time.monotonic()
    await background.give_way(5.0)
    assert time.monotonic() - began < 1
    background.note_question()
    began = time.monotonic()
    await background.give_way(0.1)
    assert time.monotonic() - began >= 0.1
