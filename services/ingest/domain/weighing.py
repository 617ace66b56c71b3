"""What a telling says beside its words: entities, tags, and how much it matters."""

from __future__ import annotations

from dataclasses import dataclass
from statistics import fmean

from services.ingest.domain.told import Told
from shared.contracts.parts import Entity, Importance
from shared.domain.entities import find_entities
from shared.domain.importance import judge


@dataclass(frozen=True, slots=True)
class Weighed:
    """A telling, described and weighed."""

    entities: tuple[Entity, ...]
    tags: tuple[str, ...]
    metadata_confidence: float
    importance: Importance


def weigh(told: Told) -> Weighed:
    """Describe a telling and weigh it by the rules."""
    entities = find_entities(told.text)
    confidence = fmean(entity.confidence for entity in entities) if entities else 0.0
    importance = judge(
        told.text,
        asked=told.manually_saved,
        tags=told.tags,
        estimate=told.importance,
        metadata_confidence=confidence,
        has_metadata=bool(entities),
    )
    return Weighed(entities, told.tags, confidence, importance)
