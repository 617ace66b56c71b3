"""Finds the entities, topics and importance of a fact that is told."""

from dataclasses import dataclass

from services.ingest.domain.metadata import describe
from services.ingest.domain.told_fact import ToldFact
from shared.contracts.parts import Entity, Importance
from shared.domain.importance import judge


@dataclass(frozen=True, slots=True)
class Weighed:
    """The entities, topics and importance of a fact that is told."""

    entities: tuple[Entity, ...]
    tags: tuple[str, ...]  # those that came with it, then the topics that were found
    metadata_confidence: float
    importance: Importance


def weigh(told: ToldFact) -> Weighed:
    """Find the entities and topics of a fact, and judge its importance."""
    found = describe(told.text)
    importance = judge(
        told.text,
        asked=told.manually_saved,
        tags=told.tags,
        estimate=told.importance,
        metadata_confidence=found.metadata_confidence,
        has_metadata=found.found_any,
    )
    tags: dict[str, str] = {}
    for tag in (*told.tags, *found.tags):
        tags.setdefault(tag.casefold(), tag)
    return Weighed(found.entities, tuple(tags.values()), found.metadata_confidence, importance)
