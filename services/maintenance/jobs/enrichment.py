"""Looks for more about the memories of which little is known."""

from collections.abc import Sequence
from typing import ClassVar, Generic, Protocol, TypeVar

from services.maintenance.domain.naming import MOST_A_RUN
from services.maintenance.jobs.job import Budget, Counts
from shared.contracts.errors import Unavailable
from shared.runtime.chat_models.errors import AnswerInvalid, AnswerTruncated, ModelRefused
from shared.runtime.logs import log

T = TypeVar("T")
_FEW = 2
"""Facts whose neighbours are asked for between two rests."""

_OF_ONE_TEXT = (ModelRefused, AnswerTruncated, AnswerInvalid)


class Neighbours(Protocol):
    """Proposes topics for facts that have few, from those of similar facts."""

    async def next_batch(self, limit: int) -> int:
        """Look at the next facts, at most so many; return how many. Raises Unavailable."""


class NameReading(Protocol[T]):
    """Has memories read for names."""

    @property
    def is_accurate(self) -> bool:
        """False: no provider is there that finds more than is known."""

    async def due(self, limit: int) -> Sequence[T]:
        """The memories to read next."""

    async def read(self, memory: T) -> int | None:
        """Read one; how many entities it mentions, None if it is gone. Raises Unavailable and Misconfigured.

        Raises ModelRefused, AnswerTruncated and AnswerInvalid where only this one cannot be read today.
        """


class NightlyEnrichment(Generic[T]):
    """Reads memories that mention little for names, and does at once, for all, what is else done fact by fact in its time.

    Where no accurate provider is there, it says `without_provider` and reads nothing. `neighbours`: where there is an embedder.
    Source: ../reference/memory-system.md, "Entity enrichment".
    """

    name: ClassVar = "enrichment"
    schedule: ClassVar = "0 2 * * *"
    about: ClassVar = "Looks for names in memories that mention little, and for topics of facts that have few."

    def __init__(self, naming: NameReading[T], neighbours: Neighbours | None = None) -> None:
        self._naming = naming
        self._neighbours = neighbours

    async def run(self, budget: Budget) -> Counts:
        """Read at most 50 memories, and look at all facts that are due."""
        named = await self._name(budget)
        looked_at = 0
        while self._neighbours and (found := await self._neighbours.next_batch(min(_FEW, budget.items))):
            looked_at += found
            budget.spend(found)
            await budget.give_way(events=found)
            if not budget.allows():
                break
        return named | ({"looked_at": looked_at} if self._neighbours else {})

    async def _name(self, budget: Budget) -> dict[str, int]:
        if not self._naming.is_accurate:
            log.info("enrichment.without_provider")
            return {"without_provider": 1}
        read = entities = refused = 0
        for memory in await self._naming.due(min(MOST_A_RUN, budget.items)):
            if not budget.allows():
                break
            try:
                found = await self._naming.read(memory)
            except _OF_ONE_TEXT as error:
                log.warning("enrichment.refused", code=error.code)
                refused += 1
                continue
            except Unavailable as error:  # a model is away, or its tokens are spent: the rest is for another night
                log.warning("enrichment.postponed", code=error.code)
                return {"read": read, "entities": entities, "postponed": 1}
            budget.spend()
            await budget.give_way(events=1)
            read, entities = read + 1, entities + (found or 0)
        return {"read": read, "entities": entities} | ({"refused": refused} if refused else {})
