"""Sharing, revoking, forgetting, switching off and all that changes a memory, in random order, against a naive model."""

from __future__ import annotations

import shutil
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from shared.contracts.commands import ChangeSettings
from shared.contracts.envelope import Envelope
from shared.contracts.errors import MemoryOff, NotRecorded, Rejected
from shared.contracts.events import FactCorrected, FactRemembered, MemoryRepeated
from shared.contracts.ids import MemoryId, Space
from shared.contracts.preferences import PersonSettings
from shared.contracts.privacy import Forget, ForgetUser, MemoryForgotten
from shared.contracts.sharing import ShareTag, UnshareTag
from shared.contracts.undoing import Undo
from tests.support.commands import correct, remember, restore
from tests.support.examples import examples
from tests.support.scopes import ANNA, KEYS
from tests.support.spaces import Spaces

SPACES = ("home", "work", "club")
TAGS = ("food", "Food", "travel", "music")
WORDS = ("heron", "violin", "saffron", "glacier", "lantern", "pumpkin", "turbine", "walnut")
space, tag, word = st.sampled_from(SPACES), st.sampled_from(TAGS), st.sampled_from(WORDS)


@dataclass
class Told:
    """A memory as the model has it."""

    text: str
    tags: set[str]  # in lower case
    is_active: bool = True


@dataclass
class Room:
    """A space as the model has it."""

    told: dict[str, Told] = field(default_factory=dict)
    shares: set[tuple[str, str]] = field(default_factory=set)  # tag, other space
    is_off: bool = False
    is_incognito: bool = False


class Sharing(RuleBasedStateMachine):
    """Three spaces of one person."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = Path(tempfile.mkdtemp())
        self.spaces = Spaces(self.folder)
        self.rooms = {name: Room() for name in SPACES}

    def teardown(self) -> None:
        self.spaces.close()
        shutil.rmtree(self.folder)

    @rule(space=space, word=word, tags=st.sets(tag, max_size=2))
    def remember(self, space: str, word: str, tags: set[str]) -> None:
        """Told again, a memory gets the tags that are new."""
        text = f"{space}note {word}"
        self._obey(space, remember(text, tags=tuple(sorted(tags))), text, tags)

    @precondition(lambda self: any(room.told for room in self.rooms.values()))
    @rule(data=st.data(), word=word, tags=st.sets(tag, max_size=1))
    def correct(self, data: st.DataObject, word: str, tags: set[str]) -> None:
        space, memory_id = self._draw(data)
        text = f"{space}note {word} amended"
        old = self.rooms[space].told[memory_id]
        self._obey(space, correct(memory_id, text, tags=tuple(tags)), text, tags | old.tags)

    @precondition(lambda self: any(room.told for room in self.rooms.values()))
    @rule(data=st.data())
    def retire(self, data: st.DataObject) -> None:
        space, memory_id = self._draw(data)
        self._end(space, Undo(memory_id=MemoryId(memory_id)))

    @precondition(lambda self: any(room.told for room in self.rooms.values()))
    @rule(data=st.data())
    def bring_back(self, data: st.DataObject) -> None:
        space, memory_id = self._draw(data)
        self._end(space, restore(memory_id))

    @rule(space=space, other=space, tag=tag)
    def share(self, space: str, other: str, tag: str) -> None:
        try:
            self.spaces.tell(space, ShareTag(tag=tag, with_space=Space(other)))
        except (Rejected, MemoryOff):
            assert space == other or self.rooms[space].is_off
        else:
            assert space != other
            self.rooms[space].shares.add((tag.lower(), other))

    @rule(space=space, other=space, tag=tag)
    def unshare(self, space: str, other: str, tag: str) -> None:
        self.spaces.tell(space, UnshareTag(tag=tag, with_space=Space(other)))
        self.rooms[space].shares.discard((tag.lower(), other))

    @precondition(lambda self: any(room.told for room in self.rooms.values()))
    @rule(data=st.data(), only=st.booleans())
    def forget(self, data: st.DataObject, *, only: bool) -> None:
        space, memory_id = self._draw(data)
        self._forget(space, Forget(memory_ids=(MemoryId(memory_id),), only=only))

    @rule(space=space, word=st.sampled_from((*WORDS, "travel")))
    def forget_words(self, space: str, word: str) -> None:
        self._forget(space, Forget(query=word), named={word})

    @rule(space=space)
    def forget_everything(self, space: str) -> None:
        self.spaces.tell(space, ForgetUser())
        self.rooms[space] = Room()

    @rule(space=space, is_off=st.booleans())
    def switch(self, space: str, *, is_off: bool) -> None:
        self.spaces.tell(space, ChangeSettings(settings=PersonSettings(memory_enabled=not is_off)))
        self.rooms[space].is_off = is_off

    @rule(space=space, is_on=st.booleans())
    def incognito(self, space: str, *, is_on: bool) -> None:
        self.spaces.tell(space, ChangeSettings(settings=PersonSettings(incognito_default=is_on)))
        self.rooms[space].is_incognito = is_on

    @rule()
    def erase(self) -> None:
        """The bytes go, and the files are made anew."""
        self.spaces.erase()

    @rule(space=space)
    def lose_a_file(self, space: str) -> None:
        """A file is lost, and made anew from the log."""
        scope = KEYS.scope_of(Space(space), ANNA)
        if scope in self.spaces.log.states:
            self.spaces.rebuild(scope)

    @invariant()
    def each_space_finds_its_own_and_what_others_give_and_nothing_else(self) -> None:
        for name, room in self.rooms.items():
            found = self.spaces.search(name, " ".join((*(f"{each}note" for each in SPACES), *WORDS)))
            own = {each for each, told in room.told.items() if told.is_active}
            given = {
                (each, giver)
                for giver, other in self.rooms.items()
                if giver != name and not (other.is_off or other.is_incognito)
                for each, told in other.told.items()
                if told.is_active and any((tag, name) in other.shares for tag in told.tags)
            }
            is_on = not room.is_off
            assert {item.memory_id for item in found.items if item.origin is None} == (own if is_on else set())
            assert {(item.memory_id, item.origin) for item in found.items if item.origin} == (given if is_on else set())

    @invariant()
    def live_equals_rebuilt(self) -> None:
        folder = Path(tempfile.mkdtemp(dir=self.folder))
        assert self.spaces.digests() == self.spaces.digests_of_a_rebuild(folder / "retriever")
        shutil.rmtree(folder)

    @invariant()
    def no_file_holds_a_word_of_another_space(self) -> None:
        for name in SPACES:
            raw = self.spaces.bytes_of(name)
            assert [other for other in SPACES if other != name and f"{other}note".encode() in raw] == []

    def _draw(self, data: st.DataObject) -> tuple[str, str]:
        known = [(space, memory_id) for space, room in self.rooms.items() for memory_id in room.told]
        return data.draw(st.sampled_from(known))

    def _obey(self, space: str, command: object, text: str, tags: set[str]) -> None:
        try:
            events = self.spaces.tell(space, command)  # type: ignore[arg-type]
        except (Rejected, NotRecorded):
            return
        told, lower = self.rooms[space].told, {tag.lower() for tag in tags}
        for event in events:
            match event.data:
                case FactRemembered(memory_id=made) | FactCorrected(memory_id=made):
                    told[made] = Told(text, set(lower))
                case MemoryRepeated(memory_id=known):
                    told[known].tags |= {tag.lower() for tag in event.data.added_tags}
                case _:
                    self._standing(space, event)

    def _end(self, space: str, command: object) -> None:
        try:
            events = self.spaces.tell(space, command)  # type: ignore[arg-type]
        except (Rejected, NotRecorded):
            return
        for event in events:
            self._standing(space, event)

    def _standing(self, space: str, event: Envelope) -> None:
        subject = self.rooms[space].told.get(str(event.data.subject))
        if subject is not None:
            ended = {"fact_superseded": False, "memory_retired": False, "memory_restored": True}
            subject.is_active = ended.get(event.type, subject.is_active)

    def _forget(self, space: str, command: Forget, named: frozenset[str] | set[str] = frozenset()) -> None:
        room = self.rooms[space]
        try:
            events = self.spaces.tell(space, command)
        except Rejected:
            return
        gone = {str(each) for event in events if isinstance(event.data, MemoryForgotten) for each in event.data.memory_ids}
        if not gone:
            return
        going = {tag for memory_id in gone for tag in room.told.pop(memory_id).tags} | named
        left = {tag for told in room.told.values() for tag in told.tags}
        room.shares = {(tag, other) for tag, other in room.shares if tag in left or tag not in going}


TestSharing = Sharing.TestCase
TestSharing.settings = settings(
    max_examples=examples(6), stateful_step_count=15, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
