"""Turns events into changes of the rows of a person's file. Pure: the same events give the same rows, singly or in bulk.

An event about a memory that is not known changes nothing: the memory was forgotten, and what was said of it since remains in
the log.
"""

import json
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import Enum

from services.retriever.store.entity_merges import SaidOfEntities
from services.retriever.store.memory_row import HELD_BACK, MemoryRow, Stamp, changed, created, joined, recalled, used
from services.retriever.store.search.columns import ChangedMemories
from shared.contracts.conflicts import ConflictAnswered, ConflictDetected
from shared.contracts.entities import EntitiesMerged, EntitiesUnmerged
from shared.contracts.envelope import Envelope
from shared.contracts.events import (
    CapacityExceeded,
    FactOutdated,
    FactSuperseded,
    MemoriesRecalled,
    MemoryEmbedded,
    MemoryEnriched,
    MemoryRepeated,
    MemoryRestored,
    MemoryRetired,
    SessionCompleted,
    SessionConsolidated,
    SessionStarted,
)
from shared.contracts.ids import EventId, MemoryId
from shared.contracts.parts import Embedding, Entity, Kind
from shared.contracts.preferences import SettingsChanged
from shared.contracts.privacy import ChatCommandRead, IncognitoEnded, IncognitoStarted, MemoryForgotten
from shared.contracts.sharing import ShareChanged, TagShared, TagUnshared
from shared.contracts.undoing import OutdatingUndone, RepeatUndone, RunRedone, RunUndone
from shared.domain.moments import microseconds
from shared.domain.sharing import tag_key

_SEARCHED = {"importance", "confidence", "confidence_at", "decay_rate", "pinned", "valid_until", "status", "ended_because"}
"""The columns that change and by which a search chooses; tags are seen to by themselves."""


@dataclass(frozen=True, slots=True)
class Link:
    """An entity where it stands in a text of a memory."""

    number: int  # of the memory
    source: int  # of the event with the text
    entity: Entity


class DoubtChange(Enum):
    """What becomes of a question which of two facts holds."""

    RAISED = "raised"
    ANSWERED = "answered"
    ENDED = "ended"  # with one of its facts


@dataclass(slots=True)
class FileChanges:
    """The changes that some events make, table by table."""

    known: dict[MemoryId, MemoryRow]  # the memories that the events are about, as they are by then
    created: list[MemoryRow] = field(default_factory=list)
    touched: set[MemoryId] = field(default_factory=set)
    reindexed: set[int] = field(default_factory=set)  # with other tags, or held back no more or from now on
    rescored: set[int] = field(default_factory=set)  # with other values by which a search chooses
    texts: list[MemoryRow] = field(default_factory=list)
    unrepeated: list[tuple[MemoryId, EventId]] = field(default_factory=list)  # repeats that are taken back
    holding_again: list[MemoryRow] = field(default_factory=list)  # what was outdated, and is not any more
    supersessions: list[MemoryRow] = field(default_factory=list)
    sources: list[MemoryRow] = field(default_factory=list)
    outdatings: list[MemoryRow] = field(default_factory=list)
    sessions: list[tuple[str, MemoryRow]] = field(default_factory=list)  # event type and row, in order: each sets its times
    runs: list[MemoryRow] = field(default_factory=list)
    undone_runs: list[MemoryRow] = field(default_factory=list)
    speakers: Counter[str] = field(default_factory=Counter)
    links: list[Link] = field(default_factory=list)
    vectors: list[tuple[int, str, Embedding]] = field(default_factory=list)  # with the numbers and kinds of their memories
    metadata: dict[str, str] = field(default_factory=dict)
    incognito: dict[str, bool] = field(default_factory=dict)  # by session: whether it is, by then
    commands: list[MemoryRow] = field(default_factory=list)
    forgotten: list[MemoryId] = field(default_factory=list)
    erased: list[int] = field(default_factory=list)  # events that go with what is forgotten
    merges: list[SaidOfEntities] = field(default_factory=list)  # in order
    shares: list[MemoryRow] = field(default_factory=list)  # in order
    doubts: list[tuple[DoubtChange, MemoryRow]] = field(default_factory=list)  # in order: each sees those before it

    @property
    def searched(self) -> ChangedMemories:
        """The memories of which something has changed that a search reads."""
        created = {row["number"] for row in self.created}
        embedded = frozenset(number for number, _, _ in self.vectors)
        return ChangedMemories(frozenset(created | self.rescored), embedded, has_lost=bool(self.forgotten))

    def update(self, memory: MemoryId, values: MemoryRow) -> None:
        """Change a memory that is known."""
        row = self.known[memory]
        if "tags" in values and values["tags"] != row["tags"]:
            self.reindexed.add(row["number"])
        if "ended_because" in values and (values["ended_because"] == HELD_BACK) != (row["ended_because"] == HELD_BACK):
            self.reindexed.add(row["number"])
        if values.get("valid_until") is not None:
            self.doubts.append((DoubtChange.ENDED, {"memory": memory}))
        if not _SEARCHED.isdisjoint(values):
            self.rescored.add(row["number"])
        row.update(values)
        self.touched.add(memory)

    def create(self, event: Envelope, row: MemoryRow, found: Iterable[Entity]) -> None:
        """Add a new memory with its entities; of a fact also what it rests on."""
        self.known[row["id"]] = row
        self.created.append(row)
        self.links += [Link(row["number"], int(event.number), entity) for entity in found]
        if row["kind"] == Kind.FACT:
            self.rest(row, json.loads(row["source_ids"]))

    def rest(self, fact: MemoryRow, sources: Iterable[str]) -> None:
        """Note what a fact rests on."""
        self.sources += [{"source": source, "fact": fact["number"]} for source in sources]


def memories_of(events: Iterable[Envelope]) -> set[MemoryId]:
    """The ids of the memories that these events are about, whose rows `rows_of` needs."""
    return {memory_id for event in events for memory_id in event.data.named}


def rows_of(events: Iterable[Envelope], known: Mapping[MemoryId, MemoryRow]) -> FileChanges:
    """The rows that these events make, given those of the memories that they are about."""
    changes = FileChanges(dict(known))
    for event in events:
        match event.data:
            case MemoryEmbedded():  # first: every other event is one
                _embed(changes, event.data)
            case SessionStarted() | SessionCompleted() | SessionConsolidated() | RunUndone() | RunRedone():
                _enter(changes, event, event.data)
            case SettingsChanged() | CapacityExceeded() | IncognitoStarted() | IncognitoEnded():
                _set(changes, event, event.data)
            case ChatCommandRead(message_id=str(), continues=False):
                changes.commands.append(_command(event.data))
            case MemoryForgotten():
                changes.forgotten += event.data.memory_ids
                changes.erased += event.data.numbers
            case EntitiesMerged() | EntitiesUnmerged() | TagShared() | TagUnshared():
                _say(changes, event, event.data)
            case MemoriesRecalled():
                _recall(changes, event.data)
            case _ if memory := created(event):
                _create(changes, event, memory)
            case _:
                _change(changes, event)
    return changes


def _say(changes: FileChanges, event: Envelope, data: EntitiesMerged | EntitiesUnmerged | TagShared | TagUnshared) -> None:
    if isinstance(data, TagShared | TagUnshared):
        changes.shares.append(_share(event, data))
    else:
        changes.merges.append(SaidOfEntities(int(event.number), data))


def _set(
    changes: FileChanges, event: Envelope, data: SettingsChanged | CapacityExceeded | IncognitoStarted | IncognitoEnded
) -> None:
    if isinstance(data, SettingsChanged):
        changes.metadata["settings"] = data.settings.model_dump_json(exclude_none=True)
    elif isinstance(data, CapacityExceeded):
        changes.metadata["soft_cap"] = str(data.cap)
        changes.metadata["capacity_exceeded_at"] = str(microseconds(event.recorded_at))
    else:
        changes.incognito[data.session_id] = isinstance(data, IncognitoStarted)


def _create(changes: FileChanges, event: Envelope, row: MemoryRow) -> None:
    if old := changes.known.get(row["supersedes"]):
        row["tags"] = joined(old["tags"], json.loads(row["tags"]))  # the event has no words of the old fact
    else:
        row["supersedes"] = None
    changes.create(event, row, getattr(event.data, "entities", ()))
    if row["speaker"]:
        changes.speakers[row["speaker"]] += 1


def _embed(changes: FileChanges, data: MemoryEmbedded) -> None:
    """Add the vector of a memory that is known: its row stays as it is."""
    if (row := changes.known.get(data.memory_id)) is not None:
        changes.vectors.append((row["number"], row["kind"], data.embedding))


def _change(changes: FileChanges, event: Envelope) -> None:
    """Apply an event about one memory that is known; any other event changes nothing."""
    memory = event.data.subject
    if memory not in changes.known:
        return
    row = changes.known[memory]
    superseded_by = row["superseded_by"]
    changes.update(memory, changed(row, event))
    match event.data:
        case MemoryRepeated():
            changes.texts.append(_text(row, event, event.data))
            changes.rest(row, event.data.added_source_ids)
            changes.links += [Link(row["number"], int(event.number), entity) for entity in event.data.entities]
        case MemoryEnriched():
            changes.links += [Link(row["number"], row["number"], entity) for entity in event.data.entities]
        case FactSuperseded():
            _supersede(changes, event, event.data, superseded_by)
        case FactOutdated():
            changes.outdatings.append(_outdating(event, event.data))
        case MemoryRetired(cap=int(cap)):
            changes.metadata["soft_cap"] = str(cap)
        case _:
            _change_back(changes, event, memory)


def _change_back(changes: FileChanges, event: Envelope, memory: MemoryId) -> None:
    """Apply an event by which a fact is doubted or something of it is taken back."""
    match event.data:
        case RepeatUndone(repeat=repeat):
            changes.unrepeated.append((memory, repeat))
        case OutdatingUndone(outdated_by=newer):
            changes.holding_again.append({"old": memory, "new": newer, "number": int(event.number)})
        case MemoryRestored():  # all of it holds
            changes.holding_again.append({"old": memory, "new": None, "number": int(event.number)})
        case ConflictDetected():
            _doubt(changes, event, event.data)
        case ConflictAnswered(conflict_id=asked):
            changes.doubts.append((DoubtChange.ANSWERED, {"id": asked}))
        case _:
            pass


def _doubt(changes: FileChanges, event: Envelope, data: ConflictDetected) -> None:
    if data.newer in changes.known:
        row = {"id": data.conflict_id, "number": int(event.number), "older": data.memory_id, "newer": data.newer}
        changes.doubts.append((DoubtChange.RAISED, row | {"reason": data.reason, "at": microseconds(event.recorded_at)}))


def _enter(
    changes: FileChanges, event: Envelope, data: SessionStarted | SessionCompleted | SessionConsolidated | RunUndone | RunRedone
) -> None:
    if isinstance(data, RunUndone | RunRedone):
        at = microseconds(event.recorded_at) if isinstance(data, RunUndone) else None
        changes.undone_runs.append({"run_id": data.run_id, "number": int(event.number), "at": at})
        return
    changes.sessions.append((event.type, {"session": data.session_id, "at": microseconds(event.occurred_at)}))
    if isinstance(data, SessionConsolidated):
        row: MemoryRow = {"number": int(event.number), "at": microseconds(event.recorded_at), "undone_at": None}
        row |= data.model_dump(include={"session_id", "facts", "through_number"})
        changes.runs.append(row | data.origin.model_dump(include={"run_id", "extractor", "model"}))


def _command(data: ChatCommandRead) -> MemoryRow:
    stored = data.model_dump(include={"message_id", "command", "outcome", "forgetting"})
    erase_at = microseconds(data.erase_at) if data.erase_at else None
    return stored | {"memory_ids": json.dumps(data.memory_ids), "erase_at": erase_at}


def _supersede(changes: FileChanges, event: Envelope, data: FactSuperseded, before: MemoryId | None) -> None:
    """Link a fact with what it gave way to; `before`: what it was known to have given way to so far, which was told later."""
    changes.supersessions.append(
        {
            "number": int(event.number),
            "old": data.memory_id,
            "new": data.superseded_by,
            "reason": data.reason,
            "at": microseconds(event.occurred_at),
        }
    )
    if before and before in changes.known and changes.known[before]["supersedes"] == data.memory_id:
        changes.update(before, {"supersedes": None})
    if data.superseded_by in changes.known:
        changes.update(data.superseded_by, {"supersedes": data.memory_id})


def _share(event: Envelope, data: ShareChanged) -> MemoryRow:
    return {
        "tag_key": tag_key(data.tag),
        **data.model_dump(include={"tag", "with_space", "recipient"}),
        "own_space": event.space,
        "number": int(event.number),
        "at": microseconds(event.recorded_at),
        "is_on": int(isinstance(data, TagShared)),
    }


def _outdating(event: Envelope, data: FactOutdated) -> MemoryRow:
    return {
        "number": int(event.number),
        "old": data.memory_id,
        "new": data.outdated_by,
        "slots": json.dumps(data.slots),
        "at": microseconds(data.valid_until),
    }


def _recall(changes: FileChanges, data: MemoriesRecalled) -> None:
    """Count an access and keep the scores of each recalled memory; of each that was used, when. The query wrote nothing."""
    times = Counter(memory_id for recall in data.recalls for memory_id in recall.handed_out)
    moments = [(recall, Stamp.of(recall.computed_at)) for recall in data.recalls]
    last = {item.memory_id: (item, at) for recall, at in moments for item in recall.items}
    for memory_id, (item, at) in last.items():
        if row := changes.known.get(memory_id):
            changes.update(memory_id, recalled(row, item, at, times=times[memory_id]))
    for memory_id, used_at in data.last_used.items():
        if (row := changes.known.get(memory_id)) and (changed_by_use := used(row, used_at)):
            changes.update(memory_id, changed_by_use)


def _text(row: MemoryRow, event: Envelope, data: MemoryRepeated) -> MemoryRow:
    return {
        "number": int(event.number),
        "event": event.event_id,
        "memory": row["number"],
        "content": data.text,
        "event_time": microseconds(event.occurred_at),
        "created_at": microseconds(event.recorded_at),
        "run_id": data.origin.run_id if data.origin else None,
        **data.model_dump(include={"match", "distance", "similarity", "session_id", "message_id"}),
    }
