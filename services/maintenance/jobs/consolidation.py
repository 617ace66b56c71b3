"""Completes the sessions that nobody has ended, and has those tried again that are set aside, so that all is learned."""

from datetime import timedelta
from typing import ClassVar, Protocol

from services.maintenance.jobs.job import Budget, Counts


class Sweeper(Protocol):
    """Completes sessions in which nothing was said for a while."""

    async def sweep(self, idle: timedelta, *, limit: int | None = None) -> int:
        """Send a sweep for each open session without a turn recorded for `idle`; return their number. Raises Unavailable."""


class SetAside(Protocol):
    """The sessions that failed too often to be tried again by themselves."""

    async def retry(self) -> int:
        """Have them tried again; return their number. Raises Unavailable."""


class ConsolidationSweep:
    """Whoever set that silence ends no session is learned from by this, the night after.

    Source: ../reference/memory-system.md, "Session consolidation".
    """

    name: ClassVar = "consolidation"
    schedule: ClassVar = "0 3 * * *"
    about: ClassVar = "Completes silent sessions, and has those tried again that failed, so that what they taught is learned."

    def __init__(self, sweeper: Sweeper, set_aside: SetAside, *, idle: timedelta) -> None:
        self._sweeper = sweeper
        self._set_aside = set_aside
        self._idle = idle

    async def run(self, budget: Budget) -> Counts:
        """Complete them, and have those tried again that are set aside: a model that was out of order may be in order now."""
        swept = await self._sweeper.sweep(self._idle, limit=budget.items)
        budget.spend(swept)
        return {"sessions": swept, "tried_again": await self._set_aside.retry()}
