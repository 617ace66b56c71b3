"""Asks the providers of a strategy, and of what they find in the same place keeps one."""

from collections.abc import Sequence
from typing import NamedTuple

from shared.contracts.errors import Unavailable
from shared.contracts.parts import Entity
from shared.domain.model_tokens import TokenMeter
from shared.language.text.entities import without_overlaps
from shared.runtime.logs import log
from shared.runtime.ner.port import MOST_ENTITIES, EntityFinder, Strategy


class Recognised(NamedTuple):
    """The entities of a text, and what found them."""

    entities: tuple[Entity, ...]  # in text order, without overlaps
    method: str  # as the log says it: `ner/accurate/patterns/2+spacy/...`

    @property
    def confidence(self) -> float:
        """The mean confidence of the entities; 0 where there are none.

        Source: ../reference/memory-upgrade-spec.md, "Metadata Enrichment".
        """
        return round(sum(each.confidence for each in self.entities) / len(self.entities), 3) if self.entities else 0.0


class Recogniser:
    """The providers, in the order in which they are asked."""

    def __init__(self, finders: Sequence[EntityFinder]) -> None:
        self._finders = finders

    @property
    def is_accurate(self) -> bool:
        """True if a provider is there that finds more than patterns do."""
        return any(finder.is_accurate for finder in self._finders)

    async def find(self, text: str, strategy: Strategy, meter: TokenMeter) -> Recognised:
        """The entities of a text. Of those that share characters the surest is kept, then the longest, then the first.

        A provider that fails is left out. Raises Unavailable where no accurate one answers that should, and Misconfigured.
        """
        asked = [finder for finder in self._finders if strategy is Strategy.ACCURATE or not finder.is_accurate]
        found: list[Entity] = []
        answered: list[EntityFinder] = []
        failed: Unavailable | None = None
        for finder in asked:
            try:
                found += await finder.find(text, meter)
            except Unavailable as error:
                failed = error
                log.warning("entities.provider_failed", provider=finder.name, code=error.code)
            else:
                answered.append(finder)
        if failed and not any(finder.is_accurate for finder in answered):
            raise failed
        names = "+".join(finder.name for finder in answered)
        return Recognised(tuple(without_overlaps(found)[:MOST_ENTITIES]), f"ner/{strategy}/{names}")

    async def close(self) -> None:
        """Close every provider."""
        for finder in self._finders:
            await finder.close()
