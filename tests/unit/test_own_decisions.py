"""What is asked over a connection knows what was decided over it, whichever of its `for_user` asks."""

from __future__ import annotations

import json
from typing import Any, cast

import pytest

from memstream.client import Memories, decisions
from memstream.client.decisions import LatePositions
from shared.contracts.queries import ListAnswer, OutcomeAnswer, Verdict

POSITION = 7


class Connection:
    """Stands for a wire: everything is decided at one position; it keeps the positions for which a question waits."""

    def __init__(self) -> None:
        self.incognito: set[object] = set()
        self.decisions = LatePositions[tuple[str, str]]()
        self.outcomes = LatePositions[tuple[str, str, int]]()
        self.waited_for: list[int] = []
        self.asked_for_outcomes = 0
        self._sequence = 0

    def of(self, user: str, space: str = "home") -> Memories:
        return Memories(cast("Any", self), space=space, user=user)

    async def publish(self, *_: object, **__: object) -> int:
        self._sequence += 1
        return self._sequence

    async def request(self, subject: str, payload: bytes, **_: object) -> bytes:
        if subject.endswith(".outcome"):
            self.asked_for_outcomes += 1
            return OutcomeAnswer(verdict=Verdict.RECORDED, position=POSITION).model_dump_json().encode()
        self.waited_for.append(json.loads(payload)["min_position"])
        return ListAnswer(position=POSITION, items=()).model_dump_json().encode()


async def test_whoever_asks_over_it_waits_for_what_was_decided_of_the_same_person() -> None:
    connection = Connection()
    await connection.of("anna").remember("Anna likes tea")
    for memories in (connection.of("anna"), connection.of("ben"), connection.of("anna", "work")):
        await memories.list()
    assert connection.waited_for == [POSITION, 0, 0]


async def test_what_waited_for_nothing_before_does_after_a_decision_of_another() -> None:
    connection = Connection()
    one, other = connection.of("anna"), connection.of("anna")
    await other.list()
    await one.forget(query="tea")
    await other.list()
    assert connection.waited_for == [0, POSITION]


async def test_the_outcome_of_a_message_is_asked_for_once_however_often_something_is_asked_after_it() -> None:
    connection = Connection()
    memories = connection.of("anna")
    one, other = [await memories.add(text, session_id="s") for text in ("I like tea", "I like coffee")]
    for receipt in (one, one, other, one):
        await memories.list(after=receipt)
    await connection.of("anna").list(after=one)
    assert connection.waited_for == [POSITION] * 5
    assert connection.asked_for_outcomes == 2


async def test_a_message_of_another_person_is_another_message() -> None:
    connection = Connection()
    receipt = await connection.of("anna").add("I like tea", session_id="s")
    await connection.of("anna").list(after=receipt)
    await connection.of("ben").list(after=receipt)
    assert connection.asked_for_outcomes == 2


def test_after_a_minute_it_is_known_everywhere_and_nobody_waits() -> None:
    now_s = [0.0]
    late = LatePositions[str](lambda: now_s[0])
    late.note("anna", 7)
    late.note("anna", 5)
    assert late.newest("anna") == 7
    now_s[0] += 59
    late.note("ben", 9)
    assert late.newest("anna") == 7
    now_s[0] += 1
    assert (late.newest("anna"), late.newest("ben")) == (0, 9)


def test_no_more_is_kept_than_of_the_last_minute() -> None:
    now_s = [0.0]
    late = LatePositions[int](lambda: now_s[0])
    for user in range(100):
        late.note(user, user)
        now_s[0] += 6
    assert len(late._seen) == 10


def test_of_very_many_the_last_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(decisions, "_MOST", 3)
    late = LatePositions[int]()
    for user in range(1, 6):
        late.note(user, user)
    assert [late.newest(user) for user in range(1, 6)] == [0, 0, 3, 4, 5]
