"""Looks back at the last week of each person, and writes anew what a forgetting took with a source.

Source: ../reference/memory-system.md, "memory_reflection" and "Weekly reflection".
"""

from __future__ import annotations

from datetime import timedelta
from typing import ClassVar

from services.maintenance.jobs.job import Budget, Counts
from services.maintenance.reflecting import Occasion, Reflector
from services.maintenance.store import MaintenanceStore
from shared.contracts.ids import MessageId
from shared.domain.moments import microseconds
from shared.runtime.clock import Clock
from shared.runtime.tasks import in_thread

WEEK = timedelta(days=7)
AT_MOST_EVERY = timedelta(days=6)
LEAST_FACTS = 3
_PAGE = 100


class WeeklyReflection:
    """Once in 6 days for everybody of whom at least 3 facts that hold were learned in the past 7."""

    name: ClassVar = "reflection"
    schedule: ClassVar = "0 3 * * 0"
    about: ClassVar = "Puts what the last week brought into a few sentences, for each person."

    def __init__(self, reflector: Reflector, store: MaintenanceStore, clock: Clock) -> None:
        self._reflector = reflector
        self._store = store
        self._clock = clock

    async def run(self, budget: Budget) -> Counts:
        """Write them."""
        now, after, written = self._clock.now(), "", 0
        since, last = microseconds(now - WEEK), microseconds(now - AT_MOST_EVERY)
        while page := await in_thread(
            self._store.to_reflect_on, since=since, last=last, least_facts=LEAST_FACTS, after=after, limit=_PAGE
        ):
            for scope in page:
                if not budget.allows():
                    return {"reflections": written}
                occasion = Occasion(scope, MessageId(f"weekly/{now:%Y-%m-%d}"), now)
                written += await self._reflector.reflect(occasion, since=since)
                budget.spend()
                await budget.give_way(events=1)
            after = page[-1]
        return {"reflections": written}


class ReflectionRenewal:
    """What went because of one source is written from the others, under its old date."""

    name: ClassVar = "reflection_renewal"
    schedule: ClassVar = "30 3 * * *"
    about: ClassVar = "Writes reflections anew that were forgotten with a source."

    def __init__(self, reflector: Reflector, store: MaintenanceStore) -> None:
        self._reflector = reflector
        self._store = store

    async def run(self, budget: Budget) -> Counts:
        """Write them."""
        after, written = 0, 0
        while page := await in_thread(self._store.lost_reflections, after=after, limit=_PAGE):
            for lost in page:
                if not budget.allows():
                    return {"reflections": written}
                written += await self._reflector.renew(lost)
                budget.spend()
                await budget.give_way(events=1)
            after = page[-1].position
        return {"reflections": written}
