"""What events change in a user's file, as rows. Pure: the same events give the same rows, singly or in bulk."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from shared.contracts.envelope import Envelope
from shared.contracts.events import (
    EpisodeRecorded,
    FactRemembered,
    MemoriesRecalled,
    MemoryEmbedded,
    SessionCompleted,
    SessionConsolidated,
    SessionStarted,
)
from shared.contracts.ids import EntityId
from shared.contracts.parts import Entity, Kind
from shared.domain.digests import entity_id
from shared.domain.entities import canonical_name
from shared.domain.moments import microseconds
from shared.domain.vectors import unpack

Row = dict[str, Any]


@dataclass(slots=True)
class Mention:
    """An entity, and how often it is mentioned under which names."""

    canonical_name: str
    type: str
    aliases: set[str] = field(default_factory=set)
    count: int = 0


@dataclass(slots=True)
class Changes:
    """The rows of some events, table by table."""

    memories: list[Row] = field(default_factory=list)
    sessions: list[tuple[str, Row]] = field(default_factory=list)  # event type and row, in order: each sets its times
    speakers: Counter[str] = field(default_factory=Counter)
    mentions: dict[EntityId, Mention] = field(default_factory=dict)
    links: list[Row] = field(default_factory=list)
    recalls: list[Row] = field(default_factory=list)
    vectors: list[Row] = field(default_factory=list)


def rows_of(events: Iterable[Envelope]) -> Changes:
    """The rows that these events make."""
    changes = Changes()
    for event in events:
        match event.data:
            case SessionStarted() | SessionCompleted() | SessionConsolidated():
                row = {"session": event.data.session_id, "at": microseconds(event.occurred_at)}
                changes.sessions.append((event.type, row))
            case MemoryEmbedded():
                embedding = event.data.embedding
                packed = unpack(embedding).tobytes()
                changes.vectors.append({"memory": event.data.memory_id, "model": embedding.model, "embedding": packed})
            case EpisodeRecorded():
                _record_episode(changes, event, event.data)
            case FactRemembered():
                _remember_fact(changes, event, event.data)
            case MemoriesRecalled():
                changes.recalls += _recalls(event.data)
            case _:
                pass  # of no concern to what is remembered
    return changes


def _record_episode(changes: Changes, event: Envelope, data: EpisodeRecorded) -> None:
    changes.memories.append(
        _memory(event, Kind.EPISODE, data)
        | {
            "source_ids": json.dumps([data.message_id] if data.message_id else []),
            "source_role": data.role.value,
            "speaker": data.speaker,
            "attributes": json.dumps(data.metadata, sort_keys=True),
        }
    )
    if data.speaker:
        changes.speakers[data.speaker] += 1
    _link(changes, int(event.number), data.entities)


def _remember_fact(changes: Changes, event: Envelope, data: FactRemembered) -> None:
    changes.memories.append(
        _memory(event, Kind.FACT, data)
        | {
            "source_ids": json.dumps(data.source_ids),
            "tags": json.dumps(data.tags),
            "confidence": data.confidence,
            "importance": data.importance,
            "manually_saved": int(data.manually_saved),
        }
    )
    _link(changes, int(event.number), data.entities)


def _memory(event: Envelope, kind: Kind, data: EpisodeRecorded | FactRemembered) -> Row:
    return {
        "number": int(event.number),
        "id": data.memory_id,
        "kind": kind.value,
        "content": data.text,
        "session_id": data.session_id,
        "message_id": data.message_id,
        "event_time": microseconds(event.occurred_at),
        "created_at": microseconds(event.recorded_at),
        "confidence": 1.0,
        "access_count": 0,
        "source_ids": "[]",
        "source_role": None,
        "speaker": None,
        "tags": "[]",
        "attributes": "{}",
        "importance": 0.5,
        "manually_saved": 0,
    }


def _link(changes: Changes, number: int, found: Iterable[Entity]) -> None:
    for entity in found:
        name = canonical_name(entity)
        identity = entity_id(entity.type, name)
        mention = changes.mentions.setdefault(identity, Mention(name, entity.type))
        mention.aliases.add(entity.name)
        mention.count += 1
        changes.links.append(
            {
                "number": number,
                "entity_id": identity,
                "start": entity.start,
                "end": entity.end,
                "name": entity.name,
                "confidence": entity.confidence,
            }
        )


def _recalls(data: MemoriesRecalled) -> Iterable[Row]:
    """Access count and last scores follow from the recall's event: the query itself wrote nothing."""
    at = microseconds(data.computed_at)
    for item in data.items:
        scores = item.score.model_dump(include={"relevance", "recency", "importance", "total"})
        scores["computed_at"] = data.computed_at.isoformat()
        yield {"memory": item.memory_id, "at": at, "scores": json.dumps(scores, sort_keys=True)}
