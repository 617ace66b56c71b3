"""Whatever is said, forgotten, erased and built anew: ingest.db and a person's file stay what the log leads to, and hide."""

from __future__ import annotations

import asyncio
import shutil
import tempfile
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import datetime, timedelta
from pathlib import Path
from unittest.mock import patch

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule
from nats.aio.client import Client

from services.ingest.domain.likeness import likeness
from services.ingest.eraser import Erased, receipt_event
from services.ingest.open_forgettings import unfinished
from services.ingest.projection import IngestProjection
from services.ingest.store import Store
from services.retriever import assembly, scope_rebuild
from services.retriever.projection import RetrieverProjection
from services.retriever.store import read_memories
from services.retriever.store.memory_file import MemoryFile
from services.retriever.store.memory_folder import FileBehind, MemoryFolder
from shared.contracts.command import Command
from shared.contracts.commands import CorrectFact
from shared.contracts.envelope import Envelope
from shared.contracts.errors import NotRecorded, Rejected
from shared.contracts.events import EpisodeRecorded, FactCorrected, FactRemembered, MemoryRepeated
from shared.contracts.ids import MemoryId, MessageId, Position, RecallId, Scope, SessionId, Slot
from shared.contracts.parts import Role
from shared.contracts.privacy import (
    EndIncognito,
    Forget,
    ForgettingCompleted,
    ForgettingTakenBack,
    ForgetUser,
    MemoryForgotten,
    Scan,
    StartIncognito,
    TakeBack,
    TombstoneLifted,
    UserForgotten,
)
from shared.contracts.queries import ListQuery
from shared.contracts.subjects import SLOTS
from shared.runtime.projector import NOTHING_ASIDE, Aside, Recorded, without_taken_back
from tests.support.commands import agent_says, embed, extracted, import_of, page, recall_of, remember, user_says
from tests.support.examples import examples
from tests.support.files import question
from tests.support.paper import PaperLog
from tests.support.scopes import ANNAS_SCOPE, ANNAS_SLOT, KEYS, LOG_ID, SEND_ID, T0

_WORDS = ("Quixeldra", "Bramblethwick", "Zorbifer")
_SAYINGS = ("My favourite thing of all is {}.", "Is {} any good?", "My sister {} moved to Leeds in May.", "I like {}")
texts = st.builds(str.format, st.sampled_from(_SAYINGS), st.sampled_from(_WORDS))
sessions = st.sampled_from(("s1", "s2"))
yes = st.booleans()
places = st.integers(0, 30)
_COMMANDS = (
    *("Forget that.", "Forget that right now.", "Forget what I said about Quixeldra.", "Forget everything about me."),
    *("Yes.", "Undo that.", "Bring back what you forgot."),
)
_TOLD = EpisodeRecorded | FactRemembered | FactCorrected | MemoryRepeated


class Erasing(RuleBasedStateMachine):
    """The real rules and the real projections, side by side with a list of what may not come back."""

    @initialize()
    def begin(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="memstream-test-"))
        self.log = PaperLog()
        self.now = T0
        self.applied = 0
        self.gone_by: dict[str, set[MemoryId]] = {}  # by forgetting
        self.blocked_by: dict[str, set[str]] = {}  # digests of values, by forgetting
        self.store = Store(self.folder / "ingest", KEYS.digester)
        self.memories = _memories(self.folder / "retriever")

    def teardown(self) -> None:
        if hasattr(self, "store"):
            self.store.close()
            self.memories.close()
            shutil.rmtree(self.folder)

    def tell(self, command: Command) -> list[Envelope]:
        events: list[Envelope] = []
        with suppress(NotRecorded, Rejected):
            events = self.log.tell(command, now=self.now)
            self.log.records = [record._replace(slot=ANNAS_SLOT) for record in self.log.records]  # as the subject tells
        self._apply()
        self._judge(events)
        return events

    @property
    def gone(self) -> set[MemoryId]:
        return set().union(*self.gone_by.values())

    @property
    def blocked(self) -> set[str]:
        return set().union(*self.blocked_by.values())

    def _apply(self) -> None:
        """As the services do when the log grows."""
        new, self.applied = self.log.records[self.applied :], len(self.log.records)
        if new:
            _ingest(self.store).apply(new, new[-1].position)
            RetrieverProjection(self.memories, pending_events=3).apply(new, new[-1].position)
        self._rebuild_rows()

    def _rebuild_rows(self) -> None:
        for scope, _ in self.store.scopes_to_rebuild_in([ANNAS_SLOT]):
            self.store.wipe(scope)
            _ingest(self.store).apply(self.log.settled(), Position(0), is_rebuild=True)
            self.store.scope_rebuilt(scope)

    def _judge(self, events: list[Envelope]) -> None:
        """What is forgotten is not learned again, unless it is lifted."""
        for event in events:
            if isinstance(event.data, TombstoneLifted):
                for blocked in self.blocked_by.values():
                    blocked.discard(event.data.digest)
        for event in events:
            match event.data:
                case MemoryForgotten(forget_id=forget_id, memory_ids=gone, tombstones=stones):
                    self.gone_by.setdefault(forget_id, set()).update(gone)
                    self.blocked_by.setdefault(forget_id, set()).update(stone.digest for stone in stones)
                case ForgettingTakenBack(forget_id=forget_id):
                    assert self.gone_by.pop(forget_id)
                    self.blocked_by.pop(forget_id)
                case UserForgotten(forget_id=forget_id):
                    self.gone_by[forget_id] = {*self.seen, *self.gone}
                    self.blocked_by.clear()
                case EpisodeRecorded() | FactRemembered() | FactCorrected() | MemoryRepeated():
                    is_held_back = getattr(event.data, "held_back", False)  # its person says it: it is recorded as said
                    assert is_held_back or _digest(event.data.text) not in self.blocked
                    assert event.data.memory_id not in self.gone
                case _:
                    pass

    @property
    def seen(self) -> list[MemoryId]:
        """Every memory that there ever was, as far as the log still tells."""
        return [event.data.memory_id for event in self.log.events if isinstance(event.data, _TOLD)]

    def _one(self, place: int, prefix: str = "") -> MemoryId | None:
        known = [memory_id for memory_id in self.log.words().told if memory_id.startswith(prefix)]
        return known[place % len(known)] if known else None

    @rule(text=texts, session=sessions, role=st.sampled_from([Role.USER, Role.ASSISTANT]), number=st.none() | st.integers(1, 9))
    def say(self, text: str, session: str, role: Role, number: int | None) -> None:
        """Numbers come again, with the same words or others."""
        says = user_says if role is Role.USER else agent_says
        self.tell(says(text, session, message_id=f"m{number}" if number else None))

    @rule(told=st.lists(texts, min_size=1, max_size=3), session=sessions)
    def bring_in(self, told: list[str], session: str) -> None:
        self.tell(import_of([user_says(text, session) for text in told]))

    @rule(text=texts)
    def save_by_hand(self, text: str) -> None:
        self.tell(remember(text))

    @rule(text=texts, place=places)
    def correct(self, text: str, place: int) -> None:
        if fact := self._one(place, "fact"):
            self.tell(CorrectFact(memory_id=fact, text=text))

    @rule(facts=st.lists(st.tuples(texts, places), min_size=1, max_size=3), number=st.integers(0, 20), is_last=yes)
    def learn(self, facts: list[tuple[str, int]], number: int, is_last: bool) -> None:  # noqa: FBT001 - hypothesis names it
        """From turns that there are, or that are forgotten meanwhile."""
        sources = [memory_id for memory_id in (*self.log.words().told, *sorted(self.gone)) if memory_id.startswith("ep")]
        if sources:
            found = [extracted(text, source=sources[place % len(sources)]) for text, place in facts]
            self.tell(page(*found, number=number, is_last=is_last))

    @rule(place=places)
    def give_a_vector(self, place: int) -> None:
        if memory := self._one(place):
            self.tell(embed(memory).model_copy(update={"message_id": MessageId(f"v-{memory}")}))

    @rule(first=places, second=places, number=places, session=sessions)
    def hand_out(self, first: int, second: int, number: int, session: str) -> None:
        found: dict[str, float] = {memory: 0.5 for place in (first, second) if (memory := self._one(place))}
        recall = recall_of(found, recall_id=f"rec_{number}", computed_at=self.now)
        self.tell(recall.model_copy(update={"session_id": SessionId(session)}))

    @rule(place=places, only=yes)
    def forget_one(self, place: int, only: bool) -> None:  # noqa: FBT001 - hypothesis names it
        if memory := self._one(place):
            assert any(isinstance(event.data, MemoryForgotten) for event in self.tell(Forget(memory_ids=(memory,), only=only)))

    @rule(word=st.sampled_from(_WORDS))
    def forget_about(self, word: str) -> None:
        self.tell(Forget(query=word))

    @rule(number=st.integers(1, 9))
    def forget_message(self, number: int) -> None:
        self.tell(Forget(deleted_message_id=MessageId(f"m{number}")))

    @rule(session=sessions)
    def forget_session(self, session: str) -> None:
        self.tell(Forget(session_id=SessionId(session)))

    @rule()
    def forget_everything(self) -> None:
        self.tell(ForgetUser())
        assert not self.log.words().told

    @rule(text=st.sampled_from(_COMMANDS))
    def say_a_command(self, text: str) -> None:
        self.tell(user_says(text, "s1"))

    @rule()
    def take_back(self) -> None:
        self.tell(TakeBack())

    @rule()
    def let_the_grace_end(self) -> None:
        self.log.end_graces(now=self.now)
        self.log.records = [record._replace(slot=ANNAS_SLOT) for record in self.log.records]
        self._apply()
        assert not self.store.waiting()

    @rule(session=sessions, on=yes)
    def switch(self, session: str, on: bool) -> None:  # noqa: FBT001 - hypothesis names it
        self.tell(StartIncognito(session_id=SessionId(session)) if on else EndIncognito(session_id=SessionId(session)))

    @rule(hours=st.sampled_from([1, 25]))
    def wait(self, hours: int) -> None:
        self.now += timedelta(hours=hours)

    @precondition(lambda self: bool(unfinished(self.log.settled())))
    @rule()
    def erase(self) -> None:
        """As the eraser and the lane do, then as whoever makes rows and files anew."""
        todo = unfinished(self.log.settled())
        self.log.erase()
        assert not [one for one in todo for record in self.log.records if one.still_in(record.event)]
        self.applied = len(self.log.records)
        for each in todo:
            scan = Scan(events=len(self.log.records), found=0, rejected=0, in_transit=0)
            receipt = ForgettingCompleted(forget_id=each.forget_id, erased=each.size, scan=scan)
            self._record(receipt_event(Erased(each.event, receipt), number=self.log.state.number + 1, now=self.now))
        self._apply()
        for scope in self.memories.index.scopes_to_rebuild():
            with patch.object(scope_rebuild, "scope_batches", self._batches):
                asyncio.run(scope_rebuild.ScopeRebuilds(self.memories).rebuild_requested(Client(), scope))
        assert not self.memories.index.scopes_to_rebuild()

    async def _batches(
        self, _: Client, __: Scope, *, aside: Aside = NOTHING_ASIDE, **___: object
    ) -> AsyncIterator[list[Recorded]]:
        assert not aside.positions
        for start in range(0, len(self.log.records), 3):
            yield self.log.records[start : start + 3]

    def _record(self, event: Envelope) -> None:
        position = Position(self.log.records[-1].position + 1)
        self.log.records.append(Recorded(position, ANNAS_SCOPE, event, slot=ANNAS_SLOT))
        self.log.states[ANNAS_SCOPE] = self.log.rebuilt()

    @rule()
    def start_again(self) -> None:
        """The files are closed, and opened when they are needed."""
        self.store.close()
        self.memories.close()
        self.store, self.memories = Store(self.folder / "ingest", KEYS.digester), _memories(self.folder / "retriever")

    @contextmanager
    def _file(self) -> Iterator[MemoryFile | None]:
        """Read on from the log where the file is behind it, as a query does."""
        try:
            with self.memories.reading(ANNAS_SCOPE):
                pass
        except FileBehind as behind:
            self._repair(behind)
        with self.memories.reading(ANNAS_SCOPE) as file:
            yield file

    def _repair(self, behind: FileBehind) -> None:
        """Once more from the first event, where something was taken back after what the file knows."""
        self.memories.repair(behind.scope, without_taken_back([r for r in self.log.records if r.position > behind.after]))
        with suppress(FileBehind), self.memories.reading(behind.scope):
            return
        self.memories.repair(behind.scope, self.log.settled())

    @invariant()
    def nothing_forgotten_is_answered(self) -> None:
        with self._file() as file:
            assert not self.gone & (_answered(file, self.now) if file else set())

    @invariant()
    def everything_else_is_listed(self) -> None:
        with self._file() as file:
            listed = _listed(file) if file else set()
        assert listed == set(self.log.words().told)

    @invariant()
    def live_equals_rebuilt(self) -> None:
        folder = Path(tempfile.mkdtemp(dir=self.folder))
        fresh, files = Store(folder / "ingest", KEYS.digester), _memories(folder / "retriever", is_rebuild=True)
        if settled := self.log.settled():
            _ingest(fresh).apply(settled, settled[-1].position)
            projection = RetrieverProjection(files, pending_events=10_000, live=False)
            projection.apply(settled, settled[-1].position)
            projection.flush()
        assert self.store.digest() == fresh.digest()
        for digest in (MemoryFile.digest, MemoryFile.content_digest):
            assert self.memories.each_file(digest) == files.each_file(digest)
        assert not self.store.missing()
        assert not self.memories.index.missing()
        fresh.close()
        files.close()
        shutil.rmtree(folder)


def _ingest(store: Store) -> IngestProjection:
    return IngestProjection(store, KEYS.digester, slots=[Slot(slot) for slot in range(SLOTS)], send_id=SEND_ID)


def _memories(folder: Path, *, is_rebuild: bool = False) -> MemoryFolder:
    memories = MemoryFolder(folder, open_files=4, is_rebuild=is_rebuild)
    memories.index.set_meta("log_id", LOG_ID)
    return memories


def _digest(text: str) -> str:
    return likeness(text, KEYS.digester).digest.hex()


def _listed(file: MemoryFile) -> set[MemoryId]:
    with file.connect() as db:
        return {MemoryId(item.memory_id) for item in read_memories.page(db, ListQuery(limit=500, status="all"), 1).items}


def _answered(file: MemoryFile, now: datetime) -> set[MemoryId]:
    found: set[MemoryId] = _listed(file)
    with file.connect() as db:
        for word in _WORDS:
            asked = question(f"Is {word} my favourite thing?", most=20, now=now)
            found |= {MemoryId(item.memory_id) for item in assembly.search(file.searched(db), asked, position=1).items}
            context = assembly.context(file.searched(db), asked, recall_id=RecallId("rec"), position=1, budget_tokens=None)
            found |= {MemoryId(item.memory_id) for item in context.items}
    return found


TestErasing = Erasing.TestCase
TestErasing.settings = settings(max_examples=examples(8), stateful_step_count=15, suppress_health_check=[HealthCheck.too_slow])


def test_a_life_with_a_forgetting_that_is_erased_keeps_all_of_it() -> None:
    """Every rule once, in an order that reaches what chance may miss by day: what is erased is made anew from the log."""
    life = Erasing()
    life.begin()
    try:
        steps: tuple[Callable[[], object], ...] = (
            lambda: life.say("I like Quixeldra", "s1", Role.USER, 1),
            lambda: life.save_by_hand("My favourite thing of all is Zorbifer."),
            lambda: life.learn([("I like Bramblethwick", 0)], 1, is_last=True),
            lambda: life.correct("I like Zorbifer", 0),
            lambda: life.give_a_vector(0),
            lambda: life.hand_out(0, 1, 1, "s2"),
            lambda: life.bring_in(["My sister Zorbifer moved to Leeds in May."], "s2"),
            lambda: life.forget_about("Quixeldra"),
            life.erase,
            life.start_again,
            lambda: life.forget_message(1),
            lambda: life.say_a_command("Forget what I said about Quixeldra."),
            life.take_back,
            life.let_the_grace_end,
            lambda: life.switch("s1", on=True),
            lambda: life.wait(25),
            lambda: life.forget_one(0, only=True),
            lambda: life.forget_session("s2"),
            life.erase,
            life.forget_everything,
            life.erase,
        )
        for step in steps:
            step()
            life.nothing_forgotten_is_answered()
            life.everything_else_is_listed()
            life.live_equals_rebuilt()
    finally:
        life.teardown()
