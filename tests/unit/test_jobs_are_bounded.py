"""Every job works on no more than it may, says so, begins nothing when its time is over, and goes on in the next run."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from datetime import timedelta
from types import SimpleNamespace
from typing import Any, cast

import pytest

from services.maintenance.jobs import decay as decay_job
from services.maintenance.jobs.ageing import Ageing
from services.maintenance.jobs.consolidation import ConsolidationSweep
from services.maintenance.jobs.decay import Decay
from services.maintenance.jobs.enrichment import NightlyEnrichment
from services.maintenance.jobs.job import Budget, Job, Limits
from services.maintenance.jobs.reflection import ReflectionRenewal, WeeklyReflection
from services.maintenance.jobs.retention import Retention
from services.maintenance.settings import MaintenanceSettings
from services.maintenance.store import Falling, PersonChoices
from shared.contracts.ids import MemoryId, Position, Scope
from shared.runtime.background import BACKGROUND
from tests.support.clocks import MovedClock
from tests.support.scopes import T0

_ALL, _AT_MOST = 5, 2


class World:
    """Five things to do, and which of them are done; it stands for store, reader, sender and clock."""

    is_accurate = True

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.left = [str(number) for number in range(_ALL)]
        self.clock = MovedClock(T0)
        self.settings = MaintenanceSettings()
        self.patch = monkeypatch.setattr

    def do(self, one: str) -> None:
        self.left.remove(one)

    def decay(self) -> Job:
        async def read(_: object, positions: list[int]) -> list[Any]:
            return [SimpleNamespace(space="home", user=str(position)) for position in positions]

        async def send(_: object, event: SimpleNamespace, __: object) -> None:
            self.do(event.user)

        self.patch(decay_job, "read_at", read)
        self.patch(decay_job, "send_work", send)
        return Decay(cast("Any", None), self, self.clock, below=0.05)

    def falling(self, *, after: object = None, **_: object) -> list[Falling]:
        return [] if after else [Falling(Scope(x), MemoryId(f"fact_{x}"), Position(int(x)), 0.1, 0.0, 0) for x in self.left]

    def reflection(self) -> Job:
        return WeeklyReflection(cast("Any", self), cast("Any", self), self.clock)

    def to_reflect_on(self, *, after: str, **_: object) -> list[Scope]:
        return [Scope(each) for each in self.left if each > after]

    async def reflect(self, occasion: SimpleNamespace, **_: object) -> bool:
        self.do(occasion.scope)
        return True

    def renewal(self) -> Job:
        return ReflectionRenewal(cast("Any", self), cast("Any", self))

    def lost_reflections(self, *, after: int, **_: object) -> list[Any]:
        return [SimpleNamespace(position=int(each) + 1) for each in self.left if int(each) + 1 > after]

    async def renew(self, lost: SimpleNamespace) -> bool:
        self.do(str(lost.position - 1))
        return True

    def enrichment(self) -> Job:
        return NightlyEnrichment(cast("Any", self), None)

    async def due(self, limit: int) -> list[str]:
        return self.left[:limit]

    async def read(self, memory: str) -> int:
        self.do(memory)
        return 1

    def consolidation(self) -> Job:
        return ConsolidationSweep(self, self, idle=timedelta(minutes=30))

    async def sweep(self, _: timedelta, *, limit: int | None = None) -> int:
        done = self.left[:limit]
        self.left = self.left[len(done) :]
        return len(done)

    async def retry(self) -> int:
        return 0

    def ageing(self) -> Job:
        async def clustered(_: object, page: list[Any]) -> list[list[Any]]:
            return [page]

        async def roll_up(_: object, scope: str, __: object, ___: object) -> bool:
            self.do(scope)
            return True

        self.patch(Ageing, "_clustered", clustered)
        self.patch(Ageing, "_roll_up", roll_up)
        given = (cast("Any", None), cast("Any", self), self.clock, self.settings)
        return Ageing(*given, model="m", summariser=cast("Any", None))

    def ageing_scopes(self, _: object, *, start: str) -> list[str]:
        return list(self.left) if start else []

    def ageing_page(self, scope: str, _: object, *, after: int, most: int) -> list[Any]:
        return [] if after or not most else [SimpleNamespace(position=1, scope=scope)]

    def person_choices(self, _: object) -> PersonChoices:
        return PersonChoices()

    def retention(self) -> Job:
        async def due(_: object, __: object) -> AsyncIterator[SimpleNamespace]:
            for each in list(self.left):
                yield SimpleNamespace(memories=[each])

        async def forget(_: object, batch: SimpleNamespace) -> tuple[int, int]:
            self.do(batch.memories[0])
            return 1, 1

        self.patch(Retention, "_due", due)
        self.patch(Retention, "_forget", forget)
        return Retention(cast("Any", None), cast("Any", self), self.clock, self.settings)


_JOBS = (World.decay, World.reflection, World.renewal, World.enrichment, World.consolidation, World.ageing, World.retention)
_IN_STEPS = [make for make in _JOBS if make is not World.consolidation]


@pytest.fixture
def world(monkeypatch: pytest.MonkeyPatch) -> World:
    return World(monkeypatch)


@pytest.mark.parametrize("make", _JOBS, ids=lambda make: str(make.__name__))
async def test_a_run_does_no_more_than_it_may_and_the_next_ones_do_the_rest(make: Callable[[World], Job], world: World) -> None:
    job = make(world)
    left = []
    while world.left:
        await job.run(Budget(Limits(seconds=600, items=_AT_MOST)))
        left.append(len(world.left))
    assert left == [3, 1, 0]
    await job.run(budget := Budget(Limits(seconds=600, items=_AT_MOST)))
    assert (world.left, budget.was_refused) == ([], False)


@pytest.mark.parametrize(
    "make", [make for make in _JOBS if make is not World.consolidation], ids=lambda make: str(make.__name__)
)
async def test_a_run_whose_time_is_over_begins_nothing_and_says_so(make: Callable[[World], Job], world: World) -> None:
    moments = iter([0.0, 0.0, *[11.0] * 99])
    await make(world).run(budget := Budget(Limits(seconds=10, items=99), clock=lambda: next(moments)))
    assert len(world.left) == _ALL
    assert budget.was_refused


async def test_while_somebody_asks_a_job_rests_for_what_it_leaves_to_others(monkeypatch: pytest.MonkeyPatch) -> None:
    rested = list[float]()

    async def sleep(seconds: float) -> None:
        rested.append(seconds)

    monkeypatch.setattr("services.maintenance.jobs.job.asyncio.sleep", sleep)
    budget = Budget(Limits(seconds=10, items=9), clock=lambda: 0.0)
    monkeypatch.setattr(BACKGROUND.attention, "_asked", float("inf"))
    for events in (0, 1, 10, 1_000):
        await budget.give_way(events=events)
    assert rested == pytest.approx([0.0, 0.04, 0.4, 2.0])
