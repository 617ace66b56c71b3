"""What a telling says beside its words: entities, topics, and how much it matters."""

from __future__ import annotations

from dataclasses import dataclass

from services.ingest.domain.told import Told
from shared.contracts.parts import Entity, Importance
from shared.domain.importance import judge
from shared.domain.metadata import describe


@dataclass(frozen=True, slots=True)
class Weighed:
    """A telling, described and weighed."""

    entities: tuple[Entity, ...]
    tags: tuple[str, ...]  # those that came with it, then the topics that were found
    metadata_confidence: float
    importance: Importance


def weigh(told: Told) -> Weighed:
    """Describe a telling and weigh it by the rules."""
    found = describe(told.text)
    importance = judge(
        told.text,
        asked=told.manually_saved,
        tags=told.tags,
        estimate=told.importance,
        metadata_confidence=found.metadata_confidence,
        has_metadata=found.found_any,
    )
    tags = {tag.casefold(): tag for tag in reversed((*told.tags, *found.tags))}  # of two spellings the first
    return Weighed(found.entities, tuple(reversed(tags.values())), found.metadata_confidence, importance)
