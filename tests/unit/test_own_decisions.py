"""What is asked over a connection knows what was decided over it, whichever of its `for_user` asks."""

from __future__ import annotations

import json
from typing import Any, cast

from memstream.client import Memories
from memstream.client.decisions import LateDecisions
from shared.contracts.queries import ListAnswer, OutcomeAnswer, Verdict

POSITION = 7


class Connection:
    """Stands for a wire: everything is decided at one position; it keeps the positions for which a question waits."""

    def __init__(self) -> None:
        self.incognito: set[object] = set()
        self.decisions = LateDecisions()
        self.waited_for: list[int] = []

    def of(self, user: str, space: str = "home") -> Memories:
        return Memories(cast("Any", self), space=space, user=user)

    async def publish(self, *_: object, **__: object) -> int:
        return 1

    async def request(self, subject: str, payload: bytes, **_: object) -> bytes:
        if subject.endswith(".outcome"):
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


def test_after_a_minute_it_is_known_everywhere_and_nobody_waits() -> None:
    now_s = [0.0]
    decisions = LateDecisions(lambda: now_s[0])
    decisions.note("home", "anna", 7)
    decisions.note("home", "anna", 5)
    assert decisions.newest("home", "anna") == 7
    now_s[0] += 59
    decisions.note("home", "ben", 9)
    assert decisions.newest("home", "anna") == 7
    now_s[0] += 1
    assert (decisions.newest("home", "anna"), decisions.newest("home", "ben")) == (0, 9)


def test_no_more_is_kept_than_of_the_last_minute() -> None:
    now_s = [0.0]
    decisions = LateDecisions(lambda: now_s[0])
    for user in range(100):
        decisions.note("home", f"person-{user}", user)
        now_s[0] += 6
    assert len(decisions._seen) == 10
