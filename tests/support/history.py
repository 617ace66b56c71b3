"""A scope's history as a test tells it: event data in order, numbered and sealed as ingest would."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import Any

from shared.contracts.conflicts import ConflictAnswered, ConflictDetected, ConflictReason, Holds
from shared.contracts.envelope import Actor, Envelope
from shared.contracts.event import EventData
from shared.contracts.events import (
    EpisodeRecorded,
    FactCorrected,
    FactRemembered,
    FactSuperseded,
    MemoriesRecalled,
    MemoryRepeated,
    MemoryRestored,
    MemoryRetired,
    SessionConsolidated,
)
from shared.contracts.ids import CommandId, EventId, EventNumber, MemoryId, Position, RecallId, SessionId
from shared.contracts.parts import Entity, Importance, Origin, RecalledItem, Role, Score
from shared.contracts.privacy import MemoryForgotten
from shared.contracts.recalls import Recall
from shared.domain.digests import conflict_id
from shared.language.text.entities import find_entities
from shared.runtime.projector import Recorded
from tests.support.scopes import ANNA, ANNAS_SCOPE, SPACE, at

SCORE = Score(total=0.7, relevance=0.5, recency=1.0, importance=0.5)


def history(told: Iterable[EventData], *, first: int = 1) -> list[Recorded]:
    """These events of one scope, a minute apart."""
    return [
        Recorded(Position(number), ANNAS_SCOPE, sealed(data, number=number, moment=at(number)))
        for number, data in enumerate(told, start=first)
    ]


def sealed(data: EventData, *, number: int, moment: datetime) -> Envelope:
    """One event in its envelope."""
    return Envelope(
        event_id=EventId(f"{number:032x}"),
        type=data.event_type,
        version=data.event_version,
        space=SPACE,
        user=ANNA,
        number=EventNumber(number),
        occurred_at=moment,
        recorded_at=moment,
        actor=Actor(channel="send"),
        correlation_id="c",
        causation_id=CommandId(f"{number:032x}"),
        data=data,
    )


def said(memory_id: str, text: str, **more: Any) -> EpisodeRecorded:  # noqa: ANN401 - as the event has it
    """A turn."""
    return EpisodeRecorded(
        **{
            "memory_id": MemoryId(memory_id),
            "session_id": SessionId("s1"),
            "role": Role.USER,
            "text": text,
            "entities": find_entities(text),
            **more,
        }
    )


def fact(memory_id: str, text: str = "Anna likes tea", **more: Any) -> FactRemembered:  # noqa: ANN401 - as the event has it
    """A fact; `names` are its entities, each a name or (name, type)."""
    return FactRemembered(**{"memory_id": MemoryId(memory_id), "text": text, "manually_saved": False, **_entities(more)})


def repeated(memory_id: str, text: str = "Anna likes tea!", count: int = 1, **more: Any) -> MemoryRepeated:  # noqa: ANN401 - as the event has it
    """The fact was told again."""
    return MemoryRepeated(
        **{
            "memory_id": MemoryId(memory_id),
            "text": text,
            "match": "simhash",
            "distance": 2,
            "repeat_count": count,
            "manually_saved": False,
            "was_manually_saved": False,
            "pinned": False,
            "was_pinned": False,
            "importance": Importance(value=0.6, parts={"base": 0.5, "repeats": 0.1}),
            "importance_before": 0.5,
            **_entities(more),
        }
    )


def corrected(new: str, old: str, text: str = "Anna likes coffee", **more: Any) -> tuple[FactCorrected, FactSuperseded]:  # noqa: ANN401 - as the event has it
    """The two events of a correction."""
    return (
        FactCorrected(**{"memory_id": MemoryId(new), "corrects": MemoryId(old), "text": text, **_entities(more)}),
        superseded(old, new, reason="corrected"),
    )


def superseded(old: str, new: str, *, reason: str = "conflict") -> FactSuperseded:
    """A newer fact stands in the place of an old one."""
    return FactSuperseded.model_validate(
        {"memory_id": old, "superseded_by": new, "reason": reason, "confidence": 0.3, "confidence_before": 1.0}
    )


def doubted(older: str, newer: str, *, reason: ConflictReason = "hedged") -> ConflictDetected:
    """Two facts may contradict each other."""
    asked = conflict_id(MemoryId(older), MemoryId(newer))
    return ConflictDetected(conflict_id=asked, memory_id=MemoryId(older), newer=MemoryId(newer), reason=reason)


def settled(older: str, newer: str, holds: Holds = "both") -> ConflictAnswered:
    """Somebody said which of them holds."""
    asked = doubted(older, newer)
    return ConflictAnswered(
        conflict_id=asked.conflict_id, memory_id=asked.memory_id, newer=asked.newer, holds=holds, how="command"
    )


def consolidated(session_id: str, *, through: int, run_id: str = "run-1", facts: int = 0) -> SessionConsolidated:
    """A session was learned from."""
    origin = Origin(extractor="rules/1", run_id=run_id)
    return SessionConsolidated(session_id=SessionId(session_id), through_number=through, facts=facts, origin=origin)


def retired(memory_id: str, **more: Any) -> MemoryRetired:  # noqa: ANN401 - as the event has it
    """A fact was trimmed."""
    return MemoryRetired(**{"memory_id": MemoryId(memory_id), "reason": "trimmed", **more})


def restored(memory_id: str, was: str = "trimmed") -> MemoryRestored:
    """It is live again."""
    told = {"memory_id": memory_id, "was": was, "confidence": 0.8, "confidence_before": 0.3}
    return MemoryRestored.model_validate({name: value for name, value in told.items() if name in MemoryRestored.model_fields})


def forgotten(memory_id: str) -> MemoryForgotten:
    """A memory is forgotten."""
    return MemoryForgotten(forget_id="f", by="memory", memory_ids=(MemoryId(memory_id),), asked=1, numbers=())


def recalled(*memory_ids: str, minutes: float = 90) -> MemoriesRecalled:
    """A context with these was handed out."""
    return MemoriesRecalled(
        recall_id=RecallId("rec_1"),
        at_number=1,
        computed_at=at(minutes),
        ranking="r1",
        items=tuple(RecalledItem(memory_id=MemoryId(memory_id), score=SCORE) for memory_id in memory_ids),
    )


def together(first: MemoriesRecalled, *others: MemoriesRecalled) -> MemoriesRecalled:
    """Several contexts that were handed out within a second."""
    further = (Recall(**{name: getattr(other, name) for name in Recall.model_fields}) for other in others)
    return first.model_copy(update={"further": tuple(further)})


def named(*names: str | tuple[str, str], start: int = 0) -> tuple[Entity, ...]:
    """Persons, or (name, type)."""
    pairs = [name if isinstance(name, tuple) else (name, "person") for name in names]
    return tuple(
        Entity(name=name, type=kind, start=start + index * 20, end=start + index * 20 + len(name), confidence=0.9)
        for index, (name, kind) in enumerate(pairs)
    )


def _entities(more: dict[str, Any]) -> dict[str, Any]:
    names = more.pop("names", ())
    return more | ({"entities": named(*names)} if names else {})
