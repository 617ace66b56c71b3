"""What services ask for their own work gives way to all others: they wait for its answer, which knows what they know."""

from __future__ import annotations

import json
from types import SimpleNamespace
from typing import Any, cast

import pytest

from services.consolidator.domain.extraction import SaidTurn
from services.consolidator.known_facts import PersonsFacts
from services.maintenance import enrichment
from services.maintenance.enrichment import EnrichmentJob
from services.maintenance.settings import MaintenanceSettings
from services.maintenance.store import Sparse
from services.maintenance.store.due_people import DuePeople
from shared.contracts.answers import ListAnswer, SearchAnswer, SimilarAnswer
from shared.contracts.ids import MemoryId, Position, Scope
from shared.contracts.parts import Role
from tests.support.scopes import T0

POSITION = 7
_ANSWERS = {
    "list": ListAnswer(position=POSITION, items=()),
    "search": SearchAnswer(position=POSITION, items=()),
    "similar": SimilarAnswer(position=POSITION, model="m", items=()),
}
_ANNA = cast("Any", SimpleNamespace(space="home", user="anna"))
_TURN = SaidTurn(MemoryId("ep_1"), 1, Role.USER, None, "I live in Leeds.", T0)


class Retriever:
    """Answers everything with nothing; keeps what it was asked, and how long the answer is waited for."""

    def __init__(self) -> None:
        self.asked: dict[str, Any] = {}
        self.waited_for_s = 0.0

    async def request(self, subject: str, payload: bytes, *, timeout: float, **_: object) -> SimpleNamespace:  # noqa: ASYNC109
        self.asked, self.waited_for_s = json.loads(payload), timeout
        return SimpleNamespace(data=_ANSWERS[subject.rpartition(".")[2]].model_dump_json().encode())


async def test_what_is_known_of_who_is_learned_from() -> None:
    retriever = Retriever()
    await PersonsFacts(cast("Any", retriever), _ANNA, most_near=4, min_position=POSITION).near([_TURN])
    _is_patient(retriever)


async def test_what_is_like_a_fact(monkeypatch: pytest.MonkeyPatch) -> None:
    async def read(_: object, positions: list[int]) -> list[Any]:
        return [_ANNA for _ in positions]

    monkeypatch.setattr(enrichment, "read_at", read)
    retriever, facts = Retriever(), [Sparse(Scope("s"), MemoryId("fact_1"), Position(5), 1)]
    store = SimpleNamespace(
        due=DuePeople(),
        sparse=lambda *_: [*facts],
        looked_at=facts.remove,
        checkpoint=lambda: SimpleNamespace(position=POSITION),
    )
    assert await EnrichmentJob(cast("Any", retriever), cast("Any", store), "m", MaintenanceSettings()).next_batch() == 1
    _is_patient(retriever)


def _is_patient(retriever: Retriever) -> None:
    assert retriever.asked["min_position"] == POSITION
    assert retriever.waited_for_s > retriever.asked["timeout_s"] >= 10
