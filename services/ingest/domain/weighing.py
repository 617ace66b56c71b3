"""Finds the entities, topics and importance of a fact that is told."""

from dataclasses import replace

from services.ingest.domain.metadata import FactMetadata, describe
from services.ingest.domain.told_fact import ToldFact
from shared.contracts.parts import Importance
from shared.domain.importance import judge


def weigh(told: ToldFact) -> tuple[FactMetadata, Importance]:
    """The entities and tags of a fact, those that came with it before the topics that were found; and its importance."""
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
    return replace(found, tags=tuple(tags.values())), importance
