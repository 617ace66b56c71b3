"""Long work waits for those who are being answered, as far as its patience goes, and never for ever."""

from __future__ import annotations

import asyncio
import threading

import pytest
from hypothesis import given as for_all
from hypothesis import strategies as st

from services.maintenance.domain.lanes import in_turns
from shared.domain.patience import Patience
from shared.domain.pauses import may_pause, pausing
from shared.runtime.attention import Attention
from shared.runtime.background import Background
from shared.runtime.giving_way import GivingWay
from tests.support.installations import until

seconds = st.floats(0, 10, allow_nan=False)


class AlwaysAnswering(Attention):
    """Somebody is being answered at every moment: whoever waits does so for as long as he may."""

    def __init__(self) -> None:
        super().__init__()
        self.waits: list[float] = []

    def wait(self, longest_s: float) -> float:
        self.waits.append(longest_s)
        return longest_s


@for_all(st.lists(seconds))
def test_of_the_time_of_work_that_never_finds_a_gap_a_seventh_is_left_to_it(worked: list[float]) -> None:
    patience, waited = Patience.full(0.5), 0.0
    for piece_s in worked:
        waited += patience.left_s
        patience = patience.waited(patience.left_s).worked(piece_s)
    assert waited <= 0.5 + 6 * sum(worked) + 1e-6


@for_all(st.lists(st.tuples(seconds, seconds)))
def test_patience_is_never_less_than_none_nor_more_than_may_be_saved_up(done: list[tuple[float, float]]) -> None:
    patience = Patience.full(0.5)
    for worked_s, waited_s in done:
        patience = patience.waited(waited_s).worked(worked_s)
        assert 0 <= patience.left_s <= 0.5


def test_work_waits_once_for_all_that_it_may_and_then_for_what_it_has_earned() -> None:
    attention, now = AlwaysAnswering(), [0.0]
    way = GivingWay(attention, Patience.full(0.5), clock=lambda: now[0])
    way.begin()
    now[0] = 0.01
    way.pause()
    now[0] = 0.03
    way.pause()
    assert attention.waits == pytest.approx([0.5, 0.06, 0.12])
    now[0] = 0.07
    assert way.end() == pytest.approx(0.07)


def test_what_passes_between_two_pieces_earns_nothing() -> None:
    attention, now = AlwaysAnswering(), [0.0]
    way = GivingWay(attention, Patience.full(0.5), clock=lambda: now[0])
    way.begin()
    now[0] = 60.0
    way.begin()
    assert attention.waits == [0.5, 0.0]


def test_work_that_has_hardly_gone_on_since_does_not_look_again() -> None:
    attention, now = AlwaysAnswering(), [0.0]
    way = GivingWay(attention, Patience.full(0.5), clock=lambda: now[0])
    way.begin()
    now[0] = 0.0001
    way.pause()
    assert attention.waits == [0.5]


def test_a_place_where_work_may_pause_does_nothing_by_itself() -> None:
    paused: list[str] = []
    may_pause()
    with pausing(lambda: paused.append("here")):
        may_pause()
    may_pause()
    assert paused == ["here"]


def test_somebody_is_being_answered_until_the_last_answer_ends() -> None:
    attention = Attention()
    with attention.answering():
        with attention.answering():
            pass
        assert attention.is_answering
    assert not attention.is_answering
    assert attention.wait(60) == 0.0


async def test_a_piece_of_background_work_begins_when_the_answer_has_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shared.runtime.background._MOST_PATIENCE_S", 60)
    background, begun = Background(), threading.Event()
    with background.attention.answering():
        piece = asyncio.create_task(background.run(begun.set))
        await until(lambda: bool(background.attention._changed._waiters))  # type: ignore[attr-defined] # of threading
        assert not begun.is_set()
    await piece
    assert begun.is_set()


async def test_background_work_stops_within_for_an_answer_that_begins(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shared.runtime.background._MOST_PATIENCE_S", 60)
    monkeypatch.setattr("shared.runtime.giving_way._SHORTEST_S", 0)
    background, begun, goes_on = Background(), threading.Event(), threading.Event()
    steps: list[str] = []

    def work() -> None:
        begun.set()
        goes_on.wait(60)
        may_pause()
        steps.append("after the pause")

    piece = asyncio.create_task(background.run(work))
    await until(begun.is_set)
    with background.attention.answering():
        goes_on.set()
        await until(lambda: bool(background.attention._changed._waiters))  # type: ignore[attr-defined] # of threading
        assert steps == []
    await piece
    assert steps == ["after the pause"]


async def test_who_works_in_the_event_loop_waits_for_the_end_of_an_answer() -> None:
    attention = Attention()
    with attention.answering():
        waiting = asyncio.create_task(attention.within(60))
        await until(lambda: bool(attention._ended._waiting))
        assert not waiting.done()
    await waiting


@for_all(st.lists(st.tuples(st.sampled_from("abc"), st.integers())))
def test_in_turns_nobody_comes_twice_before_another_who_waits(waiting: list[tuple[str, int]]) -> None:
    turns = in_turns(waiting, lambda each: each[0])
    assert sorted(turns) == sorted(waiting)
    for owner in "abc":
        assert [each for each in turns if each[0] == owner] == [each for each in waiting if each[0] == owner]
    for start in range(len(turns) - 1):
        taken = [owner for owner, _ in turns[: start + 1]]
        left = {owner for owner, _ in turns[start + 1 :]}
        assert all(taken.count(other) >= taken.count(turns[start][0]) - 1 for other in left)
