"""Finds the entities and topics of a fact, with a confidence.

Source: ../reference/memory-upgrade-spec.md, "Metadata Enrichment".
"""

from dataclasses import dataclass

from services.ingest.domain.keyphrases import keyphrases
from shared.contracts.parts import Entity
from shared.language.text.entities import find_entities


@dataclass(frozen=True, slots=True)
class FactMetadata:
    """Entities and topics of a text."""

    entities: tuple[Entity, ...]  # in text order, without overlaps
    tags: tuple[str, ...]  # topics, the weightiest first
    metadata_confidence: float  # mean confidence of all of them, in [0, 1]; 0 where nothing was found

    @property
    def found_any(self) -> bool:
        """True if any entity or topic was found."""
        return bool(self.entities or self.tags)


def describe(text: str) -> FactMetadata:
    """The entities and topics of a fact. For turns `find_entities` is enough.

    >>> found = describe("My sister Anna bakes sourdough bread.")
    >>> [entity.name for entity in found.entities], found.tags, found.metadata_confidence
    (['Anna'], ('sourdough bread',), 0.675)
    """
    entities, tags = find_entities(text), keyphrases(text)
    confidences = [entity.confidence for entity in entities] + [tag.confidence for tag in tags]
    confidence = round(min(max(sum(confidences) / len(confidences), 0.0), 1.0), 3) if confidences else 0.0
    return FactMetadata(entities, tuple(tag.name for tag in tags), confidence)
