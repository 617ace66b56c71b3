"""All that the log says about one person, with its text: a forgetting is decided on it.

ingest stores no text: it reads the person's events from the log for one decision.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass, field, replace
from datetime import datetime

from shared.contracts.ageing import MemoryRolledUp
from shared.contracts.conflicts import ConflictAnswered, ConflictDetected
from shared.contracts.content import ids_of
from shared.contracts.entities import EntitiesMerged, EntitiesUnmerged
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
from shared.contracts.ids import CommandId, EntityId, MemoryId, SessionId
from shared.contracts.parts import Entity, Kind, Role
from shared.contracts.privacy import ForgettingTakenBack, GraceEnded, MemoryForgotten, UserForgotten
from shared.contracts.sharing import ShareChanged, TagShared
from shared.contracts.undoing import OutdatingUndone, RepeatUndone, RunRedone, RunUndone
from shared.domain.aliases import NO_MERGES, Merges, TypedName
from shared.domain.sharing import tag_key
from shared.language.text.cleaning import comparable
from shared.language.text.entities import name_of
from shared.language.text.stating import content_words

DEEDS = (
    *(FactRemembered, FactCorrected, MemoryRepeated, FactSuperseded, FactOutdated, MemoryRetired, MemoryRestored),
    *(MemoryRolledUp, MemoryEnriched, ConflictDetected, ConflictAnswered, SessionConsolidated),
    *(RepeatUndone, OutdatingUndone, RunUndone, RunRedone),
)


@dataclass(frozen=True, slots=True)
class ToldMemory:
    """One memory with all of its wordings, events and sources."""

    memory_id: MemoryId
    kind: Kind
    number: int  # of the event that made it
    texts: tuple[str, ...]  # as first told, then as repeated, in the form in which they are compared
    session_id: SessionId | None = None
    role: Role | None = None
    speaker: str | None = None
    said_at: datetime | None = None
    sources: frozenset[str] = frozenset()
    numbers: tuple[int, ...] = ()  # every event that holds words, names or a vector of it
    commands: tuple[CommandId, ...] = ()  # that told it
    is_alone: bool = False  # a memory on which it rests is forgotten
    entities: tuple[Entity, ...] = ()  # that it mentions
    tags: frozenset[str] = frozenset()  # in any case: see `tag_key`

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
    """The fact by which each fact was corrected, also of forgotten ones. What a newer statement ended was said by itself."""
    deeds: list[Envelope] = field(default_factory=list)
    """What was decided about facts, in order: undoing takes it back."""
    hidden: dict[str, dict[MemoryId, ToldMemory]] = field(default_factory=dict)
    """What is forgotten and waits to be erased, by forgetting."""
    merged: dict[int, EntitiesMerged | EntitiesUnmerged] = field(default_factory=dict)
    """What people said about which entities are one, by the number of the event."""

    shares: dict[int, ShareChanged] = field(default_factory=dict)
    """What was said about sharing tags, by the number of the event."""

    def add(self, event: Envelope) -> None:
        """Add what an event says."""
        data = event.data
        if isinstance(data, DEEDS):
            self.deeds.append(event)
        if isinstance(data, MemoriesRecalled):
            for recall in data.recalls:
                if recall.session_id is not None and recall.items:
                    self.handed_out[recall.session_id] = (event.number, recall.handed_out)
        elif isinstance(data, ShareChanged):
            self.shares[event.number] = data
        elif data.is_personal():
            for memory_id in data.owners:
                self._tell(event, memory_id)
        else:
            self._change(data, event.number)

    def _change(self, data: EventData, number: int) -> None:
        match data:
            case EntitiesMerged() | EntitiesUnmerged():
                self.merged[number] = data
            case FactSuperseded(reason="corrected"):
                self.replaced[data.memory_id] = data.superseded_by
            case MemoryRestored():
                self.replaced.pop(data.memory_id, None)
            case MemoryForgotten():
                self._forget(data)
            case GraceEnded() | ForgettingTakenBack():  # what is taken back is read anew
                self.hidden.pop(data.forget_id, None)
            case UserForgotten():
                self.hidden.clear()
                self.told.clear()
                self.handed_out.clear()
                self.replaced.clear()
                self.deeds.clear()
                self.merged.clear()
                self.shares.clear()

    def _forget(self, data: MemoryForgotten) -> None:
        if data.erase_at:
            going = {each: self.told[each] for each in data.memory_ids if each in self.told}
            self.hidden[data.forget_id] = self.hidden.get(data.forget_id, {}) | going
        else:
            self.hidden = {
                each: {memory_id: each for memory_id, each in told.items() if memory_id not in data.memory_ids}
                for each, told in self.hidden.items()
            }
        self.drop(data.memory_ids)
        for number in data.numbers:
            self.merged.pop(number, None)
            self.shares.pop(number, None)

    def with_hidden(self) -> Recollection:
        """This with what waits to be erased: whoever wants something gone at once means that as well."""
        hidden = {memory_id: told for each in self.hidden.values() for memory_id, told in each.items()}
        told = dict(sorted((self.told | hidden).items(), key=lambda item: item[1].number))
        return replace(self.copy(), told=told) if hidden else self

    def drop(self, memory_ids: Iterable[MemoryId]) -> None:
        """Drop these memories, also as sources of others."""
        gone = set(memory_ids)
        self.deeds = [event for event in self.deeds if event.data.subject not in gone]
        for memory_id in gone:
            self.told.pop(memory_id, None)
        for told in list(self.told.values()):
            if told.sources & gone:
                self.told[told.memory_id] = replace(told, sources=told.sources - gone, is_alone=True)

    def copy(self) -> Recollection:
        """A copy: what is added to it changes nothing here."""
        return Recollection(
            dict(self.told),
            dict(self.handed_out),
            dict(self.replaced),
            list(self.deeds),
            dict(self.hidden),
            dict(self.merged),
            dict(self.shares),
        )

    def names(self, without: Collection[MemoryId] = ()) -> set[TypedName]:
        """The names that these memories mention, or those of them that are not left out."""
        written = {
            (entity.type, entity.name): entity
            for memory_id, told in self.told.items()
            if memory_id not in without
            for entity in told.entities
        }
        return {name_of(entity) for entity in written.values()}

    def merges(self) -> Merges:
        """What people said about which entities are one, by now."""
        said = NO_MERGES
        for _, each in sorted(self.merged.items()):
            if isinstance(each, EntitiesMerged):
                said = said.merged(each.entity_id, each.into)
            else:
                said = said.parted(each.entity_id, by_rule=each.by_rule)
        return said

    def merges_lost_with(self, gone: Collection[MemoryId]) -> tuple[int, ...]:
        """The numbers of what was said about an entity that nothing mentions once these memories are gone.

        An id of an entity tells its name to whoever guesses it.
        """
        if not self.merged:
            return ()
        left = {name.id for name in self.names(without=gone)}
        return tuple(number for number, each in self.merged.items() if not {*ids_of(each, EntityId)} <= left)

    def is_shared(self, tag: str, with_space: str) -> bool:
        """Whether a tag is shared with a space, by now."""
        asked = (tag_key(tag), with_space)
        said = [each for _, each in sorted(self.shares.items()) if (tag_key(each.tag), each.with_space) == asked]
        return bool(said) and isinstance(said[-1], TagShared)

    def shares_lost_with(self, gone: Collection[MemoryId], query: str | None) -> tuple[int, ...]:
        """The numbers of what was said about sharing a tag that no memory has once these are gone.

        It must have been theirs, or be named by the words of the query: a tag may be shared before anything has it.
        """
        if not self.shares:
            return ()
        left = {tag for memory_id, told in self.told.items() if memory_id not in gone for tag in told.tags}
        going = {tag for memory_id in gone for tag in self.told[memory_id].tags}
        named = content_words(query or "")
        return tuple(
            number
            for number, each in self.shares.items()
            if (tag := tag_key(each.tag)) not in left and (tag in going or not named.isdisjoint(content_words(tag)))
        )

    def facts(self) -> list[ToldMemory]:
        """The facts."""
        return [told for told in self.told.values() if told.kind is Kind.FACT]

    def turns(self) -> list[ToldMemory]:
        """The turns."""
        return [told for told in self.told.values() if told.kind is Kind.EPISODE]

    def derived(self) -> list[ToldMemory]:
        """What memstream itself wrote about others."""
        return [told for told in self.told.values() if told.kind.is_derived]

    def first_hand(self) -> list[ToldMemory]:
        """All but that: it says nothing that the others do not, and goes with them. What says alone what others said counts."""
        return [told for told in self.told.values() if told.is_alone or not told.kind.is_derived]

    def earlier(self, memory_id: MemoryId) -> list[MemoryId]:
        """The versions of a fact before it was corrected, latest first, also across one that was forgotten."""
        found: dict[MemoryId, None] = {}
        before: dict[MemoryId, list[MemoryId]] = {}
        for old, newer in self.replaced.items():
            before.setdefault(newer, []).append(old)
        new = [memory_id]
        while new:
            new = [old for each in new for old in before.get(each, ()) if old not in found and old != memory_id]
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
            texts=told.texts + tuple(map(comparable, data.words)),
            sources=told.sources | data.sources,
            numbers=(*told.numbers, event.number),
            entities=told.entities + vars(data).get("entities", ()),
            tags=self._tags(data, told),
            commands=(*told.commands, event.causation_id) if data.words else told.commands,
        )

    def _tags(self, data: EventData, told: ToldMemory) -> frozenset[str]:
        """The tags of a memory after an event; a correction keeps those of the old fact."""
        says = vars(data)
        added = frozenset(map(tag_key, (*says.get("tags", ()), *says.get("added_tags", ()))))
        removed = frozenset(map(tag_key, says.get("removed_tags", ())))
        old = self.told.get(says["corrects"]) if says.get("corrects") else None
        return (told.tags - removed) | added | (old.tags if old else frozenset())


def recollect(events: Iterable[Envelope]) -> Recollection:
    """The recollection of a person from their events."""
    recollection = Recollection()
    for event in events:
        recollection.add(event)
    return recollection
