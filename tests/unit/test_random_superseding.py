"""Statements that end each other, told late and in time, restored, undone, forgotten and taken back in any order.

What is decided on ingest.db is what is decided on everything, ingest.db is what the log leads to, and of what was forgotten no
hash is left in it.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule
from sqlalchemy import select

from services.ingest.domain.claims import keys_of, unpacked
from services.ingest.domain.memories import Status
from services.ingest.domain.state import Fold, ScopeState
from services.ingest.projection import IngestProjection
from services.ingest.store import Store
from services.ingest.store.schema import CLAIM, FACT
from services.retriever.assembly import profile_of
from services.retriever.person_files import Reading
from services.retriever.store.asker_profile import asker_profile
from services.retriever.store.conflicts import conflicts
from services.retriever.store.memory_file import MemoryFile
from services.retriever.store.schema import memories
from services.retriever.store.succession import all_doubts, endings
from services.retriever.store.unchanged import Unchanged
from shared.contracts.command import Command
from shared.contracts.ids import MemoryId, MessageId, Slot
from shared.contracts.privacy import Forget, TakeBack
from shared.contracts.queries import ConflictsQuery
from shared.contracts.subjects import SLOTS
from tests.support.commands import confirm, correct, extracted, page, pin, remember, restore, undo, user_says
from tests.support.examples import examples
from tests.support.files import question
from tests.support.paper import PaperLog
from tests.support.scopes import BEN, KEYS, SEND_ID, at
from tests.support.stored import StoredLog
from tests.unit.test_moving import exported, importing

STATEMENTS = (
    "I live in Leeds and I work at Bosch and I have a cat called Miso",
    *("I live in Leeds", "The user lives in York.", "I moved from Leeds to York", "I no longer live in York"),
    *("I work at Bosch and live in Bath", "I work at Bosch", "I quit my job", "Maybe I live in Bath"),
    *("I have a dog called Max", "I no longer have a dog", "Next month I'm moving to York", "I'm vegan", "I eat meat again"),
    *("My sister lives in Oslo", "My sister lives in Bergen", "My sister lives in Ghent", "My sister left Oslo"),
)
texts, hours, which = st.sampled_from(STATEMENTS), st.integers(0, 50), st.integers(0, 20)


@contextmanager
def opened() -> Iterator[Store]:
    with tempfile.TemporaryDirectory() as folder:
        store = Store(Path(folder), KEYS.digester)
        try:
            yield store
        finally:
            store.close()


def require_what_is_kept(file: MemoryFile) -> None:
    """Endings, doubts and what stands above a context must be as if they were read now, whatever came since they were."""
    with file.connect() as db:
        searched, numbers = file.searched(db), list(db.scalars(select(memories.c.number)))
        assert searched.ends.endings(numbers) == endings(db, numbers)
        assert searched.ends.doubts(numbers) == all_doubts(db)
        asked = question("where do I live?")
        assert profile_of(searched, asked, None) == profile_of(searched._replace(unchanged=Unchanged()), asked, None)
        assert Reading(file, db, 0).profile == asker_profile(db)


class RandomSuperseding(RuleBasedStateMachine):
    """Two logs of the same commands: one decides on all that is known, the other on what it looks up in ingest.db."""

    @initialize()
    def begin(self) -> None:
        self._open = opened()
        self.paper, self.stored = PaperLog(), StoredLog(self._open.__enter__())
        self.sent = 0
        self._tell(user_says("hi", "s1"))

    def teardown(self) -> None:
        if hasattr(self, "_open"):
            self.ingest_db_is_what_the_log_leads_to()
            self.the_retriever_knows_what_has_ended_as_ingest_does()
            self.the_retriever_keeps_nothing_that_is_not_so_any_more()
            self._open.__exit__(None, None, None)

    @rule(text=texts, hour=hours)
    def tell(self, text: str, hour: int) -> None:
        self._tell(remember(text, occurred_at=at(hour * 60), message_id=self._id()))

    @rule(told=st.lists(st.tuples(texts, hours), min_size=1, max_size=3), confidence=st.sampled_from([0.4, 0.8]))
    def learn(self, told: list[tuple[str, int]], confidence: float) -> None:
        found = [
            extracted(text, occurred_at=at(hour * 60)).model_copy(update={"confidence": confidence}) for text, hour in told
        ]
        self.sent += 1
        self._tell(page(*found, number=self.sent))

    @rule(told=st.lists(st.tuples(texts, hours), min_size=2, max_size=4))
    def tell_several_at_once(self, told: list[tuple[str, int]]) -> None:
        self._tell(*(remember(text, occurred_at=at(hour * 60), message_id=self._id()) for text, hour in told))

    @precondition(lambda self: self.facts)
    @rule(which=which, text=texts)
    def correct_one(self, which: int, text: str) -> None:
        self._tell(correct(self._pick(which), text, message_id=self._id()))

    @precondition(lambda self: self.facts)
    @rule(which=which, kind=st.sampled_from([pin, confirm, restore]))
    def keep_one(self, which: int, kind: type) -> None:
        self._tell(kind(self._pick(which), message_id=self._id()))

    @precondition(lambda self: self.facts)
    @rule(which=which)
    def undo_one(self, which: int) -> None:
        self._tell(undo(memory_id=self._pick(which)))

    @rule(told=st.lists(st.tuples(texts, hours), min_size=1, max_size=4), undone=st.booleans(), is_cut=st.booleans())
    def take_over(self, told: list[tuple[str, int]], undone: bool, is_cut: bool) -> None:  # noqa: FBT001 - hypothesis names it
        """Import what somebody was told elsewhere; the command may come in two parts, and twice."""
        self.sent += 100
        elsewhere = PaperLog()
        elsewhere.sent = 10_000 + self.sent
        made = [
            elsewhere.tell(remember(text, occurred_at=at(hour * 60)), user=BEN, now=at(4_000 + place))[0].data.subject
            for place, (text, hour) in enumerate(told)
        ]
        for command in (undo(memory_id=str(made[-1])), restore(str(made[0]))) if undone else ():
            elsewhere.tell(command, user=BEN, now=at(5_000))
        records = exported(elsewhere)
        cut = len(records) // 2 if is_cut else 0
        for part in (records[:cut], records[cut:], records):
            if part:
                self._tell(importing(part))

    @precondition(lambda self: self.facts)
    @rule(which=which, only=st.booleans())
    def forget_one(self, which: int, only: bool) -> None:  # noqa: FBT001 - hypothesis names it
        self._tell(Forget(memory_ids=(self._pick(which),), only=only, message_id=MessageId(self._id())))

    @rule(text=texts)
    def tell_in_chat(self, text: str) -> None:
        self._tell(user_says(f"Remember that {text}", "s1"))

    @rule()
    def forget_in_chat(self) -> None:
        self._tell(user_says("Forget that.", "s1"))

    @rule()
    def take_back(self) -> None:
        self._tell(TakeBack())

    @property
    def facts(self) -> list[MemoryId]:
        return list(self.paper.state.facts) if hasattr(self, "paper") else []

    def _pick(self, which: int) -> MemoryId:
        return self.facts[which % len(self.facts)]

    def _id(self) -> str:
        self.sent += 1
        return f"m{self.sent}"

    def _tell(self, *commands: Command) -> None:
        before = len(self.paper.events)
        for command in commands:
            self.paper.settle(command)
        found = [event for decided in self.stored.tell(*commands) for event in decided.events]
        assert found == self.paper.events[before:]

    @invariant()
    def replay_equals_live(self) -> None:
        fold = Fold(ScopeState())
        for record in self.stored.settled():
            fold.add(record.event, position=record.position, digester=KEYS.digester)
        assert {each: fold.state.facts[each].claims for each in self.facts} == {
            each: self.paper.state.facts[each].claims for each in self.facts
        }
        assert fold.state.memories.keys() == self.paper.state.memories.keys()

    @invariant()
    def no_hash_is_left_of_what_is_not_known_any_more(self) -> None:
        with self.stored.store.transaction() as db:
            claims = {(row.memory_id, row.key) for row in db.execute(select(CLAIM))}
            facts = set(db.scalars(select(FACT.c.memory_id)))
        known = self.paper.state.facts
        assert claims == {(each, key) for each, fact in known.items() for key in keys_of(fact.claims)}
        assert facts == known.keys()

    def ingest_db_is_what_the_log_leads_to(self) -> None:
        with opened() as rebuilt:
            slots = [Slot(slot) for slot in range(SLOTS)]
            target = IngestProjection(rebuilt, KEYS.digester, slots=slots, send_id=SEND_ID, live=False)
            target.apply(self.stored.settled(), self.stored.records[-1].position)
            assert rebuilt.digest() == self.stored.store.digest()

    def the_retriever_knows_what_has_ended_as_ingest_does(self) -> None:
        state = self.paper.state
        live = [each for each in self.facts if state.memories[each].status is Status.LIVE]
        with tempfile.TemporaryDirectory() as folder:
            file = MemoryFile(Path(folder) / "anna.db")
            file.apply(self.paper.settled(), allow_gaps=True)
            with file.connect() as db:
                numbers = {each: state.memories[each].number for each in live}
                ended = endings(db, numbers.values())
                kept = {row.id: row.superseded_by for row in db.execute(select(memories.c.id, memories.c.superseded_by))}
                questions = {each.conflict_id for each in conflicts(db, ConflictsQuery(limit=200), 0).conflicts}
            file.close()
        assert {each: kept[each] for each in self.facts} == {each: state.facts[each].superseded_by for each in self.facts}
        assert questions == {each for each, conflict in state.conflicts.items() if conflict.is_pending}
        shown = {each: ended[number].slots for each, number in numbers.items() if number in ended}
        known = {each: unpacked(state.facts[each].claims).ended for each in live}
        assert shown == {each: places for each, places in known.items() if places}

    def the_retriever_keeps_nothing_that_is_not_so_any_more(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            file = MemoryFile(Path(folder) / "anna.db")
            for recorded in self.paper.settled():
                file.apply([recorded], allow_gaps=True)
                require_what_is_kept(file)
            file.close()


TestRandomSuperseding = RandomSuperseding.TestCase
TestRandomSuperseding.settings = settings(max_examples=examples(12), stateful_step_count=15)


def test_tombstones_are_lifted_in_one_order_however_they_were_read() -> None:
    told = RandomSuperseding()
    told.begin()
    told.tell_in_chat(text="I live in Leeds")
    told.forget_in_chat()
    told.tell_in_chat(text="I live in Leeds and I work at Bosch and I have a cat called Miso")
    told.replay_equals_live()
    told.teardown()


def test_a_fact_that_was_undone_elsewhere_ends_no_part_here() -> None:
    told = RandomSuperseding()
    told.begin()
    told.tell_in_chat(text="My sister left Oslo")
    told.take_over(told=[("I live in Leeds", 0), ("My sister lives in Oslo", 0)], undone=True, is_cut=False)
    told.teardown()
