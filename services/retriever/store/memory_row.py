"""Turns events into the row of a memory. Pure; the only times are those of the events."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping
from datetime import datetime
from typing import Any, NamedTuple

from services.retriever.domain.word_traits import word_traits
from shared.contracts.contract import Contract
from shared.contracts.envelope import Envelope
from shared.contracts.event import EventData
from shared.contracts.events import (
    EpisodeRecorded,
    FactConfirmed,
    FactSuperseded,
    MemoryEnriched,
    MemoryPinned,
    MemoryRepeated,
    MemoryRestored,
    MemoryRetired,
    MemoryUnpinned,
)
from shared.contracts.parts import Kind, RecalledItem, Score, Standing
from shared.contracts.undoing import RepeatUndone
from shared.domain.moments import microseconds

MemoryRow = dict[str, Any]

_TOLD = {
    "session_id": None,
    "message_id": None,
    "speaker": None,
    "confidence": 1.0,
    "importance": 0.5,
    "metadata_confidence": 0.0,
}
"""The columns that an event fills by its fields of these names, and what counts where it has no such field."""

_NOT_YET = ("superseded_by", "last_accessed", "source_role", "enriched_at", "last_scores")
"""The columns that are empty at first."""

HELD_BACK = "held_back"
"""Why a turn is retired from the start: it may be listed, but no question finds it."""


def created(event: Envelope) -> MemoryRow | None:
    """The row of the memory that an event makes; None if it makes none."""
    data = event.data
    if data.makes is None:
        return None
    row = _new(event, data, data.makes)
    if isinstance(data, EpisodeRecorded):
        row |= {
            "source_ids": _list([data.message_id] if data.message_id else []),
            "source_role": data.role.value,
            "attributes": json.dumps(data.metadata, sort_keys=True) if data.metadata else "{}",
            "echoes": _list(data.echoes),
        }
        if data.held_back:
            row |= _ended(Standing.RETIRED, HELD_BACK, microseconds(event.recorded_at))
    return row


def changed(row: MemoryRow, event: Envelope) -> MemoryRow:
    """The columns that an event changes in the row of its memory."""
    now = microseconds(event.recorded_at)
    anchor = max(row["confidence_at"], now)
    match event.data:
        case MemoryRepeated() as told:
            return {
                "source_ids": joined(row["source_ids"], told.added_source_ids),
                "tags": joined(row["tags"], told.added_tags),
                "manually_saved": int(told.manually_saved),
                "pinned": int(told.pinned),
                "repeat_count": told.repeat_count,
                "importance": told.importance.value,
                "importance_parts": json.dumps(told.importance.parts),
                "confidence_at": anchor,
            }
        case RepeatUndone() as undone:
            return {
                "source_ids": without(row["source_ids"], undone.removed_source_ids),
                "tags": without(row["tags"], undone.removed_tags),
                "repeat_count": undone.repeat_count,
                "importance": undone.importance.value,
                "importance_parts": json.dumps(undone.importance.parts),
            }
        case FactConfirmed() as sure:
            return {"confidence": sure.confidence, "decay_rate": sure.decay_rate, "confidence_at": anchor}
        case MemoryPinned() | MemoryUnpinned():  # while it is pinned it does not fade
            is_pinned = isinstance(event.data, MemoryPinned)
            return {"pinned": int(is_pinned), "confidence_at": row["confidence_at"] if is_pinned else anchor}
        case MemoryEnriched() as more:
            return _enriched(row, more, now)
        case data:
            return _standing(row, event, data)


class Stamp(NamedTuple):
    """A moment as columns have it: made once, where many memories were recalled at it."""

    microseconds: int
    text: str

    @classmethod
    def of(cls, at: datetime) -> Stamp:
        """The number and the text of a moment in UTC."""
        return cls(microseconds(at), at.isoformat())


def recalled(row: MemoryRow, item: RecalledItem, at: Stamp, *, times: int) -> MemoryRow:
    """The columns that so many recalls change in the row of a memory, by the last."""
    scores = _scores(item.score, at)
    return {"access_count": row["access_count"] + times, "last_accessed": at.microseconds, "last_scores": scores}


def used(row: MemoryRow, at: datetime) -> MemoryRow:
    """The columns that change as a recall uses a memory: it begins to fade anew."""
    return {"confidence_at": max(row["confidence_at"], microseconds(at))} if row["decay_rate"] else {}


def _standing(row: MemoryRow, event: Envelope, data: EventData) -> MemoryRow:
    """The columns that say whether a memory is live, after an event."""
    now, ended_at = microseconds(event.recorded_at), microseconds(event.occurred_at)
    anchor = max(row["confidence_at"], now)
    match data:
        case FactSuperseded():
            until = microseconds(data.valid_until) if data.valid_until else ended_at
            return {
                **_ended(Standing.SUPERSEDED, data.reason, until),
                "superseded_by": data.superseded_by,
                "confidence": data.confidence,
                "confidence_at": anchor,
            }
        case MemoryRetired():
            scores = {"last_scores": _scores(data.score, Stamp.of(data.computed_at or event.recorded_at))} if data.score else {}
            return _ended(Standing.RETIRED, data.reason, ended_at) | scores
        case MemoryRestored():
            live = _ended(Standing.ACTIVE, None, None)
            return {**live, "superseded_by": None, "confidence": data.confidence, "confidence_at": anchor}
        case _:
            return {}


def _ended(status: Standing, why: str | None, at: int | None) -> MemoryRow:
    return {"status": status.value, "ended_because": why, "valid_until": at}


def _enriched(row: MemoryRow, more: MemoryEnriched, now: int) -> MemoryRow:
    change: MemoryRow = {"tags": joined(row["tags"], more.added_tags), "enriched_at": now}
    if more.entities or more.added_tags:
        change["metadata_confidence"] = more.metadata_confidence
    if more.importance:
        change |= {"importance": more.importance.value, "importance_parts": json.dumps(more.importance.parts)}
    return change


def _new(event: Envelope, data: EventData, kind: Kind) -> MemoryRow:
    """What an event of any kind says of the memory that it makes; what it does not say is as the contracts have it."""
    says, text = vars(data), "\n".join(data.words)  # of a model that has no such field, getattr is slow
    origin = says.get("origin") or says.get("made_by")
    return {
        "number": int(event.number),
        "id": data.subject,
        "kind": kind.value,
        "content": text,
        "traits": word_traits(text, kind, says.get("role")),
        **dict.fromkeys(_NOT_YET),
        **{name: says.get(name, usual) for name, usual in _TOLD.items()},
        "event_time": microseconds(event.occurred_at),
        "utc_offset_minutes": says.get("utc_offset_minutes") or 0,
        "created_at": microseconds(event.recorded_at),
        **_ended(Standing.ACTIVE, None, None),
        "supersedes": says.get("corrects"),
        "confidence_at": microseconds(event.recorded_at),
        "decay_rate": says.get("decay_rate", 0.0),
        "access_count": 0,
        "source_ids": _list(says.get("source_ids")),
        "tags": _list(says.get("tags")),
        "attributes": "{}",
        "importance_parts": _map(says.get("importance_parts")),
        "manually_saved": int(says.get("manually_saved", False)),
        "pinned": int(says.get("pinned", False)),
        "repeat_count": 0,
        "echoes": "[]",
        "origin": origin.model_dump_json() if origin else None,
        "slots": _list(says.get("slots")),
    }


def _scores(score: Score, at: Stamp) -> str:
    """The JSON that `json.dumps` would write, which took a third of what a recall costs: each number is a float, and finite."""
    return (
        f'{{"computed_at": "{at.text}", "importance": {score.importance!r}, "recency": {score.recency!r},'
        f' "relevance": {score.relevance!r}, "total": {score.total!r}}}'
    )


def _list(items: Iterable[str | Contract] | None) -> str:
    if not items:
        return "[]"
    return json.dumps(
        [item.model_dump(mode="json", exclude_defaults=True) if isinstance(item, Contract) else item for item in items]
    )


def _map(items: Mapping[str, float] | None) -> str:
    return json.dumps(items) if items else "{}"


def joined(known: str, added: Iterable[str]) -> str:
    """The items of a JSON list, then those of another list that are new, as JSON."""
    return json.dumps(list(dict.fromkeys([*json.loads(known), *added])))


def without(known: str, removed: Collection[str]) -> str:
    """The items of a JSON list but those of another list, as JSON."""
    return json.dumps([item for item in json.loads(known) if item not in removed])
