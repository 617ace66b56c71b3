"""Forgets what a roll-up has stood for long enough, with the erasure and the receipt of a person's own forgetting.

Whether it may still be forgotten is ingest's to say: what was restored, pinned or confirmed since stays. The job waits for the
erasures of what it sent before it sends more, so that they never pile up, and tells their rate.
"""

import asyncio
import time
from collections.abc import AsyncIterator, Sequence
from datetime import datetime, timedelta
from functools import partial
from hashlib import sha256
from typing import Any, ClassVar, Protocol

from services.maintenance.jobs.job import Budget, Counts
from services.maintenance.reading import read_in_pieces
from services.maintenance.settings import MaintenanceSettings
from services.maintenance.store import PersonChoices, RolledUp
from shared.contracts.ageing import MOST_ERASED, EraseRolledUp
from shared.contracts.envelope import Envelope
from shared.contracts.ids import MemoryId, MessageId, Scope
from shared.domain.moments import microseconds, moment
from shared.runtime.clock import Clock
from shared.runtime.connection import Client
from shared.runtime.sending import send_work
from shared.runtime.tasks import in_thread

_POLL_S = 0.25
_PATIENCE_S = 20.0
"""A batch of which less and less is left is waited for; one of which nothing went for so long is left for the next run."""

_PREVIEW = timedelta(days=7)
_MOST_PREVIEWED = 1_000


class RolledUpMemories(Protocol):
    """Knows what was rolled up, and what is erased of it."""

    def rolled_up_scopes(self, *, before: int, start: str) -> list[Scope]:
        """The people of whom something was rolled up by a moment, from one scope on, round to it."""

    def rolled_up(self, scope: Scope, *, before: int, after: int, most: int) -> list[RolledUp]:
        """The next memories of a person that were, after a position."""

    def person_choices(self, scope: Scope) -> PersonChoices:
        """What a person has set."""

    def left_to_erase(self, scope: Scope, memory_ids: Sequence[MemoryId]) -> tuple[int, int]:
        """How many of these are known still, and how many events of the person retention has still to erase."""


class Due:
    """Memories of one person that are to be forgotten, and until when they were rolled up."""

    def __init__(self, scope: Scope, event: Envelope, memories: Sequence[RolledUp], before: datetime) -> None:
        self.scope = scope
        self.event = event
        self.memories = memories
        self.before = before

    @property
    def memory_ids(self) -> tuple[MemoryId, ...]:
        """The ids of the memories."""
        return tuple(each.memory_id for each in self.memories)


class Retention:
    """Forgets for everybody what is due, a batch at a time. An item of its budget is a memory.

    Source: ../reference/memory-upgrade-spec.md, "Configure data retention".
    """

    name: ClassVar = "retention"
    schedule: ClassVar = "30 5 * * *"
    about: ClassVar = "Forgets for good what a roll-up has stood for long enough."

    def __init__(self, client: Client, memories: RolledUpMemories, clock: Clock, settings: MaintenanceSettings) -> None:
        self._client = client
        self._memories = memories
        self._clock = clock
        self._settings = settings

    async def run(self, budget: Budget) -> Counts:
        """Forget everything that is due by now."""
        forgotten, erased, took_s = 0, 0, 0.0
        async for due in self._due(self._clock.now()):
            if not budget.allows():
                break
            began = time.monotonic()
            gone, events = await self._forget(due)
            took_s += time.monotonic() - began
            forgotten, erased = forgotten + gone, erased + events
            budget.spend(len(due.memories))
            await budget.give_way()
        rate = round(erased / took_s) if took_s else 0
        return {"forgotten": forgotten, "erased_events": erased, "erasures_per_second": rate}

    async def preview(self, budget: Budget) -> list[dict[str, Any]]:
        """What is due within a week, by ids, each with the moment since which it is rolled up."""
        found: list[dict[str, Any]] = []
        async for due in self._due(self._clock.now() + _PREVIEW):
            whose = {"space": due.event.space, "user": due.event.user}
            found += [
                {**whose, "memory_id": each.memory_id, "rolled_up_at": moment(each.rolled_up_at).isoformat(timespec="seconds")}
                for each in due.memories
            ]
            if len(found) >= _MOST_PREVIEWED or not budget.allows():
                break
        return found[:_MOST_PREVIEWED]

    async def _due(self, now: datetime) -> AsyncIterator[Due]:
        start = sha256(now.date().isoformat().encode()).hexdigest()[:32]
        for scope in await in_thread(partial(self._memories.rolled_up_scopes, before=microseconds(now), start=start)):
            before = await self._before(scope, now)
            if before is None:
                continue
            after = 0
            while page := await self._page(scope, before, after):
                after = page[-1].position
                if event := next(filter(None, await read_in_pieces(self._client, [each.position for each in page])), None):
                    yield Due(scope, event, page, before)

    async def _page(self, scope: Scope, before: datetime, after: int) -> list[RolledUp]:
        asked = partial(self._memories.rolled_up, scope, before=microseconds(before), after=after, most=MOST_ERASED)
        return await in_thread(asked)

    async def _before(self, scope: Scope, now: datetime) -> datetime | None:
        """Until when a memory must have been rolled up to be forgotten now; None: nothing is to be."""
        days: float | None = (await in_thread(partial(self._memories.person_choices, scope))).retention_days
        if days is None:
            first = await in_thread(
                partial(self._memories.rolled_up, scope, before=microseconds(now), after=0, most=MOST_ERASED)
            )
            event = next(filter(None, await read_in_pieces(self._client, [each.position for each in first])), None)
            days = self._settings.retention_spaces.get(event.space, self._settings.retention_days) if event else 0
        return now - timedelta(days=days) if days else None

    async def _forget(self, due: Due) -> tuple[int, int]:
        """Have a batch forgotten, and wait until it is erased; how many memories and events that were."""
        key = sha256(" ".join(sorted(due.memory_ids)).encode()).hexdigest()
        command = EraseRolledUp(message_id=MessageId(f"retention/{key}"), memory_ids=due.memory_ids, before=due.before)
        await send_work(self._client, due.event, command)
        return await self._erased(due)

    async def _erased(self, due: Due) -> tuple[int, int]:
        asked = partial(self._memories.left_to_erase, due.scope, due.memory_ids)
        last, most, since = (-1, -1), 0, time.monotonic()
        while True:
            known, events = await in_thread(asked)
            most = max(most, events)
            if events == 0 and (most or not known):
                return len(due.memories) - known, most
            if (known, events) != last:
                last, since = (known, events), time.monotonic()
            if time.monotonic() - since > _PATIENCE_S:
                return len(due.memories) - known, most - events
            await asyncio.sleep(_POLL_S)
