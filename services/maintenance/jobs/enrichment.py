"""Looks for more about the memories of which little is known."""

from typing import ClassVar, Protocol

from services.maintenance.jobs.job import Budget, Counts


class Neighbours(Protocol):
    """Proposes topics for facts that have few, from those of similar facts."""

    async def next_batch(self, limit: int) -> int:
        """Look at the next facts, at most so many; return how many. Raises Unavailable."""


class NightlyEnrichment:
    """Does at once, for all, what is else done fact by fact when there is time.

    Source: ../reference/memory-system.md, "Entity enrichment".
    """

    name: ClassVar = "enrichment"
    schedule: ClassVar = "0 2 * * *"
    about: ClassVar = "Looks for topics of facts that have few."

    def __init__(self, neighbours: Neighbours) -> None:
        self._neighbours = neighbours

    async def run(self, budget: Budget) -> Counts:
        """Look at all facts that are due."""
        looked_at = 0
        while found := await self._neighbours.next_batch(budget.items):
            looked_at += found
            budget.spend(found)
            await budget.give_way()
            if not budget.allows():
                break
        return {"looked_at": looked_at}
