"""Months in which anything may happen to facts, against a naive model: in ingest, in answers and in the worklist."""

from __future__ import annotations

import math
import shutil
import tempfile
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from services.ingest.domain.memories import Status
from services.maintenance.jobs.decay import _of_each_person
from services.maintenance.store import MaintenanceStore
from services.retriever.store.memory_detail import detail
from services.retriever.store.memory_file import MemoryFile
from services.retriever.store.reading_moment import as_at
from services.retriever.store.search.traits import confidences
from shared.contracts.command import Command
from shared.contracts.commands import RetireMemories
from shared.contracts.ids import MemoryId, Position
from shared.contracts.parts import Standing
from shared.domain.moments import microseconds
from tests.support.commands import confirm, correct, extracted, page, pin, recall_of, remember, restore, unpin, user_says
from tests.support.examples import examples
from tests.support.paper import PaperLog
from tests.support.scopes import KEYS, T0

PEOPLE = ("Anna", "Ben", "Cleo", "Dora", "Eva", "Finn")
BELOW, RATE = 0.05, 0.1
ANY_FACT = st.integers(0, 9)


@dataclass
class Known:
    """A fact, as a person would write it down who counts days."""

    who: str
    confidence: float
    since: datetime
    is_pinned: bool = False
    is_confirmed: bool = False
    ended: str = ""

    def left(self, now: datetime) -> float:
        """What is left of its confidence."""
        if self.is_confirmed or self.is_pinned:
            return self.confidence
        return self.confidence * math.exp(-RATE * ((now - self.since) / timedelta(days=1)))


class RandomMonths(RuleBasedStateMachine):
    """The model knows every fact; whoever follows the log is asked after each step whether it knows the same."""

    @initialize()
    def begin(self) -> None:
        self.folder = Path(tempfile.mkdtemp())
        self.log, self.now, self.sent = PaperLog(), T0, 0
        self.store = MaintenanceStore(self.folder / "maintenance", KEYS.digester)
        self.file = MemoryFile(self.folder / "anna.db")
        self.facts: dict[MemoryId, Known] = {}
        self._tell(user_says("hi", "s1"))

    def teardown(self) -> None:
        if hasattr(self, "file"):
            self.file.close()
            self.store.close()
            shutil.rmtree(self.folder)

    @rule(who=st.sampled_from(PEOPLE), confidence=st.sampled_from([0.3, 0.7, 0.9]))
    def learn(self, who: str, confidence: float) -> None:
        self.sent += 1
        fact = extracted(f"{who} likes tea", occurred_at=self.now).model_copy(update={"confidence": confidence})
        self._tell(page(fact, number=self.sent))
        self._expect_told(who, confidence)

    @rule(who=st.sampled_from(PEOPLE))
    def save_by_hand(self, who: str) -> None:
        self._tell(remember(f"{who} likes tea"))
        self._expect_told(who, 1.0)

    @precondition(lambda self: self.facts)
    @rule(which=ANY_FACT)
    def be_sure(self, which: int) -> None:
        memory_id, fact = self._pick(which)
        if fact.ended != "superseded":
            self._tell(confirm(memory_id))
            if not fact.is_confirmed:
                fact.confidence, fact.is_confirmed = 1.0, True
            fact.since, fact.ended = self.now, ""

    @precondition(lambda self: self.facts)
    @rule(which=ANY_FACT)
    def keep(self, which: int) -> None:
        memory_id, fact = self._pick(which)
        if fact.ended != "superseded":
            self._tell(pin(memory_id))
            if fact.ended:
                fact.since, fact.ended = self.now, ""
            fact.is_pinned = True

    @precondition(lambda self: self.facts)
    @rule(which=ANY_FACT)
    def let_go(self, which: int) -> None:
        memory_id, fact = self._pick(which)
        self._tell(unpin(memory_id))
        if fact.is_pinned:
            fact.is_pinned, fact.since = False, self.now

    @precondition(lambda self: self.facts)
    @rule(which=ANY_FACT)
    def bring_back(self, which: int) -> None:
        memory_id, fact = self._pick(which)
        if fact.ended == "decayed":
            self._tell(restore(memory_id))
            fact.since, fact.ended = self.now, ""

    @precondition(lambda self: self.facts)
    @rule(which=ANY_FACT, in_first_line=st.booleans())
    def use(self, which: int, in_first_line: bool) -> None:  # noqa: FBT001 - as Hypothesis draws it
        memory_id, fact = self._pick(which)
        self.sent += 1
        recall = recall_of({memory_id: 0.5}, recall_id=f"rec_{self.sent}", computed_at=self.now)
        self._tell(recall.model_copy(update={"items": (), "profile": (memory_id,)}) if in_first_line else recall)
        fact.since = self.now

    @precondition(lambda self: self.facts)
    @rule(which=ANY_FACT)
    def correct_it(self, which: int) -> None:
        memory_id, fact = self._pick(which)
        if not fact.ended:
            self.sent += 1
            who = f"Person{self.sent}"
            self._tell(correct(memory_id, f"{who} likes tea"))
            fact.ended, fact.since, fact.confidence = "superseded", self.now, min(fact.confidence, 0.3)
            self._expect_told(who, 1.0)

    @rule(days=st.floats(0.1, 25))
    def wait(self, days: float) -> None:
        self.now += timedelta(days=days)

    @rule()
    def night(self) -> None:
        due = {memory_id for memory_id, fact in self.facts.items() if not fact.ended and fact.left(self.now) < BELOW}
        falling = self.store.falling(below=BELOW, until=microseconds(self.now), limit=99)
        assert {fact.memory_id for fact in falling} == due
        for some in _of_each_person(falling):
            ids = tuple(fact.memory_id for fact in some)
            self._tell(RetireMemories(memory_ids=ids, below=BELOW, at=self.now))
            self._tell(RetireMemories(memory_ids=ids, below=BELOW, at=self.now))
        for memory_id in due:
            self.facts[memory_id].ended = "decayed"

    @invariant()
    def ingest_knows_the_same(self) -> None:
        state = self.log.state
        names = {"": Status.LIVE, "decayed": Status.RETIRED, "superseded": Status.SUPERSEDED}
        assert {each: state.memories[each].status for each in state.facts} == {
            each: names[fact.ended] for each, fact in self.facts.items()
        }
        for memory_id, fact in self.facts.items():
            if not state.memories[memory_id].pinned:
                assert math.isclose(state.facts[memory_id].confidence_by(self.now), fact.left(self.now), rel_tol=1e-6)

    @invariant()
    def answers_tell_the_same(self) -> None:
        with self.file.connect() as db:
            as_at(db, self.now)
            for memory_id, fact in self.facts.items():
                told = detail(db, memory_id)
                assert told.confidence == round(told.confidence, 3)
                assert abs(told.confidence - fact.left(self.now)) < 0.000_6
                assert (told.status is Standing.RETIRED) == (fact.ended == "decayed")
            columns = self.file.searched(db).columns
            rows = columns.rows_of([self.log.state.memories[each].number for each in self.facts])
            sure = confidences(columns, rows, microseconds(self.now)).tolist()
        for fact, found in zip(self.facts.values(), sure, strict=True):
            assert math.isclose(found, fact.left(self.now), rel_tol=1e-9)

    @invariant()
    def the_worklist_is_as_rebuilt(self) -> None:
        if self.sent % 5 == 0:
            rebuilt = MaintenanceStore(Path(tempfile.mkdtemp(dir=self.folder)), KEYS.digester)
            rebuilt.apply(self.log.records, Position(len(self.log.records)))
            rebuilt.apply(self.log.records, Position(len(self.log.records)))
            assert rebuilt.digest() == self.store.digest()
            rebuilt.close()

    def _tell(self, command: Command) -> None:
        begun = len(self.log.records)
        self.log.tell(command, now=self.now)
        self.store.apply(self.log.records[begun:], Position(len(self.log.records)))
        self.file.apply(self.log.records)

    def _pick(self, which: int) -> tuple[MemoryId, Known]:
        return list(self.facts.items())[which % len(self.facts)]

    def _expect_told(self, who: str, confidence: float) -> None:
        again = next((fact for fact in self.facts.values() if fact.who == who and fact.ended != "superseded"), None)
        if again is None:
            (memory_id,) = self.log.state.facts.keys() - self.facts.keys()
            self.facts[memory_id] = Known(who, confidence, self.now)
        else:
            again.since, again.ended = self.now, ""


TestRandomMonths = RandomMonths.TestCase
TestRandomMonths.settings = settings(max_examples=examples(30), stateful_step_count=20, deadline=None)
pytestmark = pytest.mark.timeout(1200)  # of all examples, at night, on a machine that is not quiet
