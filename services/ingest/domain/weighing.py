"""What a telling says beside its words: entities, tags, and how much it matters."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from services.ingest.domain.told import Told
from shared.contracts.parts import Entity, Importance
from shared.domain.entities import find_entities


@dataclass(frozen=True, slots=True)
class Weighed:
    """A telling, described and weighed."""

    entities: tuple[Entity, ...]
    tags: tuple[str, ...]
    metadata_confidence: float
    importance: Importance


def weigh(told: Told) -> Weighed:
    """Describe a telling and weigh it by the rules."""
    base = {"base": 0.3} if told.importance is None else {"extractor": told.importance}
    parts = base | ({"asked": 0.5} if told.manually_saved else {})
    return Weighed(find_entities(told.text), told.tags, 0.0, Importance(value=min(sum(parts.values()), 1), parts=parts))


def base_parts(parts: Mapping[str, float]) -> dict[str, float]:
    """Without what repeats added."""
    return {k: v for k, v in parts.items() if k != "repeats"}


def merged(known: Mapping[str, float], new: Mapping[str, float], *, repeats: int) -> Importance:
    """The importance of a fact told several times: each rule counts once, as strong as it ever was; in any order the same."""
    parts = {name: max(known.get(name, 0.0), new.get(name, 0.0)) for name in {**known, **new}}
    parts = {k: v for k, v in parts.items() if v and k != "repeats"} | {"repeats": min(0.05 * repeats, 0.2)}
    return Importance(value=min(max(sum(parts.values()), 0), 1), parts=parts)


def enriched(known: Mapping[str, float], *, metadata_confidence: float, found_any: bool, repeats: int) -> Importance:
    """The importance of a fact of which a later method found out more."""
    return merged(known, {"entities": 0.2} if found_any and metadata_confidence >= 0.6 else {}, repeats=repeats)
