"""Spaces and people take turns with their questions; whoever asks many at once waits for himself."""

from __future__ import annotations

import asyncio
from collections.abc import Hashable

import pytest

from services.retriever import turns as module
from services.retriever.turns import Turns
from shared.contracts.errors import TooMany
from shared.runtime.background import Background
from tests.support.clocks import LoopTime
from tests.support.installations import until

PATIENCE_S = 5.0


class Hall:
    """Questions that are answered until they are let go, in the order in which they began."""

    def __init__(self) -> None:
        self.turns = Turns()
        self.begun: list[tuple[Hashable, Hashable]] = []
        self._ends: list[asyncio.Event] = []

    def ask(self, space: str, user: str = "anna", *, patience_s: float = PATIENCE_S) -> asyncio.Task[None]:
        """Ask, and answer until `end`."""

        async def asked() -> None:
            async with self.turns.turn(space, user, patience_s=patience_s):
                self.begun.append((space, user))
                self._ends.append(asyncio.Event())
                await self._ends[-1].wait()

        return asyncio.create_task(asked())

    async def settle(self) -> None:
        """Let whoever may begin do so."""
        for _ in range(5):
            await asyncio.sleep(0)

    def end(self, index: int) -> None:
        """End the answer that was begun at this place."""
        self._ends[index].set()


@pytest.fixture
def hall() -> Hall:
    return Hall()


async def test_of_several_people_of_a_space_each_has_one_question_answered_at_a_time(hall: Hall) -> None:
    tasks = [hall.ask("home", f"user {number % 3}") for number in range(6)]
    await hall.settle()
    assert hall.begun == [("home", "user 0"), ("home", "user 1"), ("home", "user 2")]
    for task in tasks:
        task.cancel()


async def test_one_person_alone_has_four_at_once(hall: Hall) -> None:
    tasks = [hall.ask("home") for _ in range(6)]
    await hall.settle()
    assert len(hall.begun) == 4
    hall.end(0)
    await hall.settle()
    assert len(hall.begun) == 5
    for task in tasks:
        task.cancel()


async def test_another_space_need_not_wait_for_those_who_wait(hall: Hall) -> None:
    flood = [hall.ask("loud", f"user {number}") for number in range(50)]
    quiet = hall.ask("quiet")
    await hall.settle()
    assert ("quiet", "anna") in hall.begun
    for task in [*flood, quiet]:
        task.cancel()


async def test_while_others_ask_a_space_that_has_more_waiting_rests_after_each(
    hall: Hall, monkeypatch: pytest.MonkeyPatch
) -> None:
    time = LoopTime(monkeypatch)
    quiet = hall.ask("quiet")
    flood = [hall.ask("loud") for _ in range(3)]
    await hall.settle()
    assert hall.begun == [("quiet", "anna"), ("loud", "anna")]
    await time.passes(0.05)
    hall.end(1)
    await hall.settle()
    await time.passes(0.2)
    assert len(hall.begun) == 2, "it began with the next before it had rested"
    await time.passes(0.06)
    assert len(hall.begun) == 3
    for task in [*flood, quiet]:
        task.cancel()


async def test_after_an_answer_that_took_very_long_the_next_question_still_comes_to_its_turn(
    hall: Hall, monkeypatch: pytest.MonkeyPatch
) -> None:
    time = LoopTime(monkeypatch)
    tasks = [hall.ask("quiet"), *(hall.ask("loud") for _ in range(2))]
    await hall.settle()
    await time.passes(4.0)
    hall.end(1)
    await hall.settle()
    assert len(hall.begun) == 2, "it rests nevertheless"
    await time.passes(module._LONGEST_REST_S)
    assert len(hall.begun) == 3
    for task in tasks:
        task.cancel()


async def test_whose_turn_does_not_come_in_time_is_told_so(hall: Hall) -> None:
    others = [hall.ask("quiet"), hall.ask("loud")]
    await hall.settle()
    with pytest.raises(TooMany):
        await hall.ask("loud", patience_s=0.05)
    hall.end(1)
    await hall.settle()
    later = hall.ask("loud")
    await hall.settle()
    assert hall.begun[-1] == ("loud", "anna"), "the place of the one that gave up was kept"
    for task in [*others, later]:
        task.cancel()


async def test_no_more_of_a_person_wait_than_there_is_room_for_and_others_find_theirs(
    hall: Hall, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_MOST_WAITING", 3)
    tasks = [hall.ask("loud", "ben") for _ in range(4 + 3)]
    await hall.settle()
    with pytest.raises(TooMany):
        await hall.ask("loud", "ben")
    tasks.append(hall.ask("loud", "anna"))
    await hall.settle()
    assert hall.begun == [("loud", "ben")] * 4, "four of a space are answered at once"
    hall.end(0)
    await hall.settle()
    assert hall.begun[-1] == ("loud", "anna")
    for task in tasks:
        task.cancel()


@pytest.mark.parametrize("elsewhere", [False, True])
async def test_whoever_asks_once_comes_before_the_next_question_of_whoever_asks_many(hall: Hall, *, elsewhere: bool) -> None:
    tasks = [hall.ask("work", "zoe")] if elsewhere else []
    tasks += [hall.ask("home", "ben") for _ in range(60)]
    await hall.settle()
    tasks += [hall.ask("home", user) for user in ("anna", "cleo")]
    await hall.settle()
    for _ in range(4):  # those of Ben that had begun before anybody else came
        if ("home", "cleo") not in hall.begun:
            hall.end(len(hall.begun) - 1)
            await hall.settle()
    first, second = (hall.begun.index(("home", user)) for user in ("anna", "cleo"))
    assert first < second
    assert hall.begun[first:].count(("home", "ben")) <= 1
    for task in tasks:
        task.cancel()


async def test_a_loud_person_s_long_answer_keeps_nobody_of_the_space_waiting(hall: Hall) -> None:
    tasks = [hall.ask("work"), *(hall.ask("home", "ben") for _ in range(5))]
    await hall.settle()
    hall.end(1)
    await until(lambda: hall.begun == [("work", "anna"), ("home", "ben"), ("home", "ben")])
    tasks.append(hall.ask("home", "anna"))
    await hall.settle()
    assert hall.begun[-1] == ("home", "anna")
    for task in tasks:
        task.cancel()


async def test_who_has_not_asked_for_long_does_not_count(hall: Hall, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_PRESENT_S", 0.01)
    async with hall.turns.turn("quiet", "anna", patience_s=1):
        pass
    await asyncio.sleep(0.02)
    tasks = [hall.ask("loud") for _ in range(2)]
    await hall.settle()
    assert len(hall.begun) == 2
    for task in tasks:
        task.cancel()


async def test_who_has_more_waiting_while_others_ask_is_loud_and_nobody_gives_way(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    background = Background()
    monkeypatch.setattr(module, "BACKGROUND", background)
    turns = Turns()

    async def ask(space: str) -> bool:
        async with turns.turn(space, "anna", patience_s=PATIENCE_S) as is_loud:
            return is_loud

    async with turns.turn("loud", "anna", patience_s=PATIENCE_S) as is_loud:
        assert not is_loud, "it is alone"
        flood = [asyncio.create_task(ask("loud")) for _ in range(5)]
        async with turns.turn("quiet", "anna", patience_s=PATIENCE_S) as is_quiet_loud:
            assert not is_quiet_loud
            assert background.attention.is_answering
        await asyncio.sleep(0)
    found = await asyncio.gather(*flood)
    assert found[-1] is False, "nothing more waited"
    assert any(found)
    assert not background.attention.is_answering


async def test_several_ask_while_more_than_one_question_has_its_turn_whoever_asks_and_however_it_ends(hall: Hall) -> None:
    assert not hall.turns.are_several
    tasks = [hall.ask("home"), hall.ask("work"), hall.ask("club")]
    await hall.settle()
    assert hall.turns.are_several
    tasks[0].cancel()
    hall.end(1)
    await hall.settle()
    assert not hall.turns.are_several
    hall.end(2)
    await asyncio.wait(tasks)
    hall.ask("home")
    await hall.settle()
    assert not hall.turns.are_several  # nobody was counted twice, and nobody was left
