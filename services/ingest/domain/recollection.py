"""All that the log says about one person, with its text: a forgetting is decided on it.

ingest stores no text: it reads the person's events from the log for one decision.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from datetime import datetime

from shared.contracts.conflicts import ConflictAnswered, ConflictDetected
from shared.contracts.envelope import Envelope
from shared.contracts.event import EventData
from shared.contracts.events import (
    FactCorrected,
    FactOutdated,
    FactRemembered,
    FactSuperseded,
    MemoriesRecalled,
    MemoryEnriched,
    MemoryRepeated,
    MemoryRestored,
    MemoryRetired,
    SessionConsolidated,
)
from shared.contracts.ids import CommandId, MemoryId, SessionId
from shared.contracts.parts import Kind, Role
from shared.contracts.privacy import MemoryForgotten, UserForgotten
from shared.contracts.undoing import RepeatUndone, RunUndone

DEEDS = (
    *(FactRemembered, FactCorrected, MemoryRepeated, FactSuperseded, FactOutdated, MemoryRetired, MemoryRestored),
    *(MemoryEnriched, ConflictDetected, ConflictAnswered, SessionConsolidated, RepeatUndone, RunUndone),
)


@dataclass(frozen=True, slots=True)
class ToldMemory:
    """One memory with all of its wordings, events and sources."""

    memory_id: MemoryId
    kind: Kind
    number: int  # of the event that made it
    texts: tuple[str, ...]  # as first told, then as repeated
    session_id: SessionId | None = None
    role: Role | None = None
    speaker: str | None = None
    said_at: datetime | None = None
    sources: frozenset[str] = frozenset()
    numbers: tuple[int, ...] = ()  # every event that holds words, names or a vector of it
    commands: tuple[CommandId, ...] = ()  # that told it

    @property
    def is_question(self) -> bool:
        """True if it is a turn that asks."""
        return self.kind is Kind.EPISODE and asks(self.texts[0])


def asks(text: str) -> bool:
    """Whether a text ends with a question."""
    return text.rstrip().endswith(("?", "？"))


@dataclass(slots=True)
class Recollection:
    """The memories of a person, in the order in which they were learned, and what was handed out last in each session."""

    told: dict[MemoryId, ToldMemory] = field(default_factory=dict)
    handed_out: dict[SessionId, tuple[int, tuple[MemoryId, ...]]] = field(default_factory=dict)
    replaced: dict[MemoryId, MemoryId] = field(default_factory=dict)
    """The fact that superseded each fact, also of forgotten ones."""
    deeds: list[Envelope] = field(default_factory=list)
    """What was decided about facts, in order: undoing takes it back."""

    def add(self, event: Envelope) -> None:
        """Add what an event says."""
        data = event.data
        if isinstance(data, DEEDS):
            self.deeds.append(event)
        if isinstance(data, MemoriesRecalled):
            if data.session_id is not None and data.items:
                self.handed_out[data.session_id] = (event.number, data.named)
        elif data.is_personal():
            for memory_id in data.owners:
                self._tell(event, memory_id)
        else:
            self._change(data)

    def _change(self, data: EventData) -> None:
        match data:
            case FactSuperseded():
                self.replaced[data.memory_id] = data.superseded_by
            case MemoryRestored():
                self.replaced.pop(data.memory_id, None)
            case MemoryForgotten():
                self.drop(data.memory_ids)
            case UserForgotten():
                self.told.clear()
                self.handed_out.clear()
                self.replaced.clear()
                self.deeds.clear()

    def drop(self, memory_ids: Iterable[MemoryId]) -> None:
        """Drop these memories, also as sources of others."""
        gone = set(memory_ids)
        self.deeds = [event for event in self.deeds if event.data.subject not in gone]
        for memory_id in gone:
            self.told.pop(memory_id, None)
        for told in list(self.told.values()):
            if told.sources & gone:
                self.told[told.memory_id] = replace(told, sources=told.sources - gone)

    def copy(self) -> Recollection:
        """A copy: what is added to it changes nothing here."""
        return Recollection(dict(self.told), dict(self.handed_out), dict(self.replaced), list(self.deeds))

    def facts(self) -> list[ToldMemory]:
        """The facts."""
        return [told for told in self.told.values() if told.kind is Kind.FACT]

    def turns(self) -> list[ToldMemory]:
        """The turns."""
        return [told for told in self.told.values() if told.kind is Kind.EPISODE]

    def earlier(self, memory_id: MemoryId) -> list[MemoryId]:
        """The earlier versions of a fact, latest first, also across one that was forgotten."""
        found: dict[MemoryId, None] = {}
        new = [memory_id]
        while new:
            new = [old for old, newer in self.replaced.items() if newer in new and old not in found and old != memory_id]
            found.update(dict.fromkeys(new))
        return [old for old in found if old in self.told]

    def of_session(self, session_id: SessionId) -> list[ToldMemory]:
        """All memories of a session."""
        return [told for told in self.told.values() if told.session_id == session_id]

    def _tell(self, event: Envelope, memory_id: MemoryId) -> None:
        """Add what an event says of a memory; an unknown memory begins only with text."""
        data, told = event.data, self.told.get(memory_id)
        if told is None and not data.words:
            return
        if told is None or data.makes:
            kind = data.makes or Kind.FACT
            session_id, role, speaker = (getattr(data, name, None) for name in ("session_id", "role", "speaker"))
            told = ToldMemory(memory_id, kind, event.number, (), session_id, role, speaker, event.occurred_at)
        self.told[memory_id] = replace(
            told,
            texts=told.texts + data.words,
            sources=told.sources | data.sources,
            numbers=(*told.numbers, event.number),
            commands=(*told.commands, event.causation_id) if data.words else told.commands,
        )


def recollect(events: Iterable[Envelope]) -> Recollection:
    """The recollection of a person from their events."""
    recollection = Recollection()
    for event in events:
        recollection.add(event)
    return recollection
