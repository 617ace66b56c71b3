"""Long work is done in one thread, and rests while somebody asks."""

from __future__ import annotations

import asyncio
import threading

import pytest

from shared.runtime.attention import Attention
from shared.runtime.background import Background


async def test_pieces_are_done_one_after_the_other_and_not_in_the_event_loop() -> None:
    background = Background()
    threads = await asyncio.gather(*(background.run(threading.current_thread) for _ in range(3)))
    assert len(set(threads)) == 1
    assert threads[0] is not threading.current_thread()


async def test_a_piece_rests_only_while_somebody_asks_six_times_as_long_as_the_last_one_took(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rests: list[float] = []
    monkeypatch.setattr("shared.runtime.background.time.sleep", rests.append)
    now = [0.0]
    background = Background(Attention(lambda: now[0]), clock=lambda: now[0])

    def work(seconds: float) -> None:
        now[0] += seconds

    await background.run(work, 0.05)
    await background.run(work, 0.06)
    assert rests == [], "nobody asked"
    background.note_question()
    await background.run(work, 0.0)
    assert rests == pytest.approx([6 * 0.06])


async def test_an_error_of_the_work_reaches_whoever_wanted_it() -> None:
    with pytest.raises(ZeroDivisionError):
        await Background().run(lambda: 1 // 0)


async def test_who_works_in_the_event_loop_gives_way_while_somebody_asks(monkeypatch: pytest.MonkeyPatch) -> None:
    rests: list[float] = []

    async def rest(seconds: float) -> None:
        rests.append(seconds)

    monkeypatch.setattr("shared.runtime.background.asyncio.sleep", rest)
    background = Background(Attention(lambda: 0.0))
    await background.give_way(5.0)
    assert rests == [], "nobody asked"
    background.note_question()
    await background.give_way(0.1)
    assert rests == [0.1]
