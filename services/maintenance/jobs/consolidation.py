"""Completes the sessions that nobody has ended, so that what they taught is learned."""

from datetime import timedelta
from typing import ClassVar, Protocol

from services.maintenance.jobs.job import Budget, Counts


class Sweeper(Protocol):
    """Completes sessions in which nothing was said for a while."""

    async def sweep(self, idle: timedelta, *, limit: int | None = None) -> int:
        """Send a sweep for each open session without a turn recorded for `idle`; return their number. Raises Unavailable."""


class ConsolidationSweep:
    """Whoever set that silence ends no session is learned from by this, the night after.

    Source: ../reference/memory-system.md, "Session consolidation".
    """

    name: ClassVar = "consolidation"
    schedule: ClassVar = "0 3 * * *"
    about: ClassVar = "Completes the sessions that are silent for a while, so that what they taught is learned."

    def __init__(self, sweeper: Sweeper, *, idle: timedelta) -> None:
        self._sweeper = sweeper
        self._idle = idle

    async def run(self, budget: Budget) -> Counts:
        """Complete them."""
        swept = await self._sweeper.sweep(self._idle, limit=budget.items)
        budget.spend(swept)
        return {"sessions": swept}
