"""Random commands about facts against a naive model of what a person would expect."""

from __future__ import annotations

import math
from dataclasses import dataclass
from datetime import datetime, timedelta

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from services.ingest.domain.policy import Policy
from services.ingest.domain.state import Fold, ScopeState
from shared.contracts.command import Command
from shared.contracts.errors import Rejected, Superseded
from shared.contracts.events import MemoryRetired
from shared.contracts.ids import MemoryId
from shared.contracts.preferences import PersonSettings
from tests.support.commands import (
    change,
    confirm,
    correct,
    extracted,
    page,
    pin,
    recall_of,
    remember,
    restore,
    unpin,
    user_says,
)
from tests.support.examples import examples
from tests.support.paper import PaperLog
from tests.support.scopes import ANNAS_SCOPE, KEYS, at

PEOPLE = ("Anna", "Ben", "Cleo", "Dora", "Eva")
SPELLINGS = ("{} likes tea", "{} likes TEA.", "{}  likes tea")
OPERATORS_CAP = 3
PEOPLE_OR_FACTS = st.integers(0, 9)


@dataclass
class Expected:
    """A fact, as a person would write it down."""

    who: str
    told_at: datetime
    base: float
    ending: str = ""  # trimmed or superseded
    by_hand: bool = False
    pinned: bool = False
    repeats: int = 0
    recalled: tuple[float, datetime] | None = None

    @property
    def importance(self) -> float:
        """Base, asked, lasting and repeats, clamped."""
        boost = round(min(0.05 * math.log1p(self.repeats), 0.2), 3)
        asked = 0.5 if self.by_hand else 0.0
        lasting = 0.3 if self.by_hand else 0.0  # "likes", read only where no extractor judged
        return min(self.base + asked + lasting + boost, 1.0)

    def total(self, now: datetime) -> float:
        """What it weighs at the cap."""
        if self.recalled and now - self.recalled[1] <= timedelta(hours=24):
            return self.recalled[0] + 0.5 + self.importance
        return math.exp(-max((now - self.told_at) / timedelta(days=7), 0)) + self.importance


class RandomFacts(RuleBasedStateMachine):
    """The model knows every fact; the log is asked after each step whether it knows the same."""

    def __init__(self) -> None:
        super().__init__()
        self.log = PaperLog(Policy(soft_cap=OPERATORS_CAP))
        self.hours = 0
        self.sent = 0
        self.facts: dict[MemoryId, Expected] = {}
        self.cap = OPERATORS_CAP

    @initialize()
    def begin(self) -> None:
        self.log.tell(user_says("hi", "s1"))

    @rule(who=st.sampled_from(PEOPLE), spelling=st.sampled_from(SPELLINGS))
    def save_by_hand(self, who: str, spelling: str) -> None:
        self._tell(remember(spelling.format(who), message_id=self._id()))
        self._expect_told(who, by_hand=True, base=0.3)
        self._expect_trimmed()

    @rule(who=st.sampled_from(PEOPLE), weight=st.sampled_from([0.0, 0.2, 0.4, 0.6]), age_hours=st.integers(0, 400))
    def learn(self, who: str, weight: float, age_hours: int) -> None:
        told_at = at((self.hours - age_hours) * 60)
        self._tell(page(extracted(f"{who} likes tea", importance=weight, occurred_at=told_at), number=self._number()))
        self._expect_told(who, base=weight, told_at=told_at)
        self._expect_trimmed()

    @rule(who=st.lists(st.sampled_from(PEOPLE), min_size=2, max_size=5))
    def learn_many(self, who: list[str]) -> None:
        self._tell(
            page(*[extracted(f"{one} likes tea", importance=0.2, occurred_at=self.now) for one in who], number=self._number())
        )
        for one in who:
            self._expect_told(one, base=0.2)
        self._expect_trimmed()

    @precondition(lambda self: self.facts)
    @rule(which=PEOPLE_OR_FACTS)
    def keep(self, which: int) -> None:
        memory_id, fact = self._pick(which)
        if fact.ending == "superseded":
            self._tell(pin(memory_id, message_id=self._id()), refused=Superseded)
            return
        self._tell(pin(memory_id, message_id=self._id()))
        fact.ending, fact.pinned = "", True
        self._expect_trimmed()

    @precondition(lambda self: self.facts)
    @rule(which=PEOPLE_OR_FACTS)
    def let_go(self, which: int) -> None:
        memory_id, fact = self._pick(which)
        was = fact.pinned
        self._tell(unpin(memory_id, message_id=self._id()))
        fact.pinned = False
        if was:
            self._expect_trimmed()

    @precondition(lambda self: self.facts)
    @rule(which=PEOPLE_OR_FACTS)
    def bring_back(self, which: int) -> None:
        memory_id, fact = self._pick(which)
        self._tell(restore(memory_id, message_id=self._id()))
        if fact.ending:
            fact.ending, fact.recalled = "", None
            self._expect_trimmed(spared=memory_id)

    @precondition(lambda self: self.facts)
    @rule(which=PEOPLE_OR_FACTS)
    def be_sure(self, which: int) -> None:
        memory_id, fact = self._pick(which)
        if fact.ending == "superseded":
            self._tell(confirm(memory_id, message_id=self._id()), refused=Superseded)
            return
        self._tell(confirm(memory_id, message_id=self._id()))
        if fact.ending:
            fact.ending, fact.recalled = "", None
        self._expect_trimmed(spared=memory_id)

    @precondition(lambda self: self.facts)
    @rule(which=PEOPLE_OR_FACTS, who=st.sampled_from(PEOPLE))
    def correct_it(self, which: int, who: str) -> None:
        memory_id, fact = self._pick(which)
        command = correct(memory_id, f"{who} likes tea", message_id=self._id())
        twin = self._twin(who, apart_from=memory_id)
        if fact.ending == "superseded":
            successor = self.log.state.facts[memory_id].superseded_by
            self._tell(command, refused=None if twin and twin == successor else Superseded)
            return
        if fact.who == who and self.log.state.facts[memory_id].content == KEYS.digester.digest("content", command.text):
            self._tell(command)
            return
        self._tell(command)
        self._expect_told(who, by_hand=True, base=0.3, pinned=fact.pinned, apart_from=memory_id)
        fact.ending = "superseded"
        self._expect_trimmed()

    @rule(most=st.none() | st.integers(1, 5))
    def set_cap(self, most: int | None) -> None:
        before = self.log.state.settings
        if most is None:
            self._tell(change(unset=("soft_cap",), message_id=self._id()))
        else:
            self._tell(change(PersonSettings(soft_cap=most), message_id=self._id()))
        self.cap = OPERATORS_CAP if most is None else most
        if self.log.state.settings != before:
            self._expect_trimmed()

    @precondition(lambda self: self.facts)
    @rule(which=PEOPLE_OR_FACTS, relevance=st.sampled_from([0.0, 0.5, 1.0]))
    def use(self, which: int, relevance: float) -> None:
        memory_id, fact = self._pick(which)
        self._tell(recall_of({memory_id: relevance}, recall_id=self._id(), computed_at=self.now))
        fact.recalled = (relevance, self.now)

    @rule(hours=st.integers(1, 60))
    def wait(self, hours: int) -> None:
        self.hours += hours

    @property
    def now(self) -> datetime:
        return at(self.hours * 60)

    def _id(self) -> str:
        self.sent += 1
        return f"m{self.sent}"

    def _number(self) -> int:
        self.sent += 1
        return self.sent

    def _pick(self, which: int) -> tuple[MemoryId, Expected]:
        return list(self.facts.items())[which % len(self.facts)]

    def _tell(self, command: Command, *, refused: type[Rejected] | None = None) -> None:
        """Tell it twice: the second time nothing may come of it."""
        try:
            events = self.log.tell(command, now=self.now)
        except Rejected as error:
            assert type(error) is refused  # noqa: PT017
            return
        assert refused is None
        before = self.log.state
        for event in events:
            if isinstance(event.data, MemoryRetired):  # pinned and saved by hand are never trimmed
                assert not before.facts[event.data.memory_id].manually_saved
                assert not before.memories[event.data.memory_id].pinned
        assert self.log.tell(command, now=self.now) == []
        assert self.log.state is before

    def _twin(self, who: str, *, apart_from: MemoryId | None = None) -> MemoryId | None:
        same = [m for m, fact in self.facts.items() if fact.who == who and fact.ending != "superseded" and m != apart_from]
        return min(same, key=lambda m: (self.facts[m].ending != "", self._born(m)), default=None)

    def _born(self, memory_id: MemoryId) -> int:
        return self.log.state.memories[memory_id].number

    def _expect_told(
        self,
        who: str,
        *,
        base: float,
        by_hand: bool = False,
        pinned: bool = False,
        told_at: datetime | None = None,
        apart_from: MemoryId | None = None,
    ) -> None:
        twin = self._twin(who, apart_from=apart_from)
        if twin is None:
            known = set(self.facts)
            twin = next(m for m in self.log.state.facts if m not in known)
            self.facts[twin] = Expected(who, told_at or self.now, base)
        else:
            fact = self.facts[twin]
            if fact.ending:
                fact.ending, fact.recalled = "", None
            fact.repeats += 1
            fact.base = max(fact.base, base)
            fact.told_at = max(fact.told_at, told_at or self.now)
        self.facts[twin].by_hand |= by_hand
        self.facts[twin].pinned |= pinned

    def _expect_trimmed(self, *, spared: MemoryId | None = None) -> None:
        live = [m for m, fact in self.facts.items() if not fact.ending]
        rivals = [m for m in live if not self.facts[m].pinned and not self.facts[m].by_hand and m != spared]
        rivals.sort(key=lambda m: (self.facts[m].total(self.now), self.facts[m].told_at, self._born(m)))
        for memory_id in rivals[: max(0, len(live) - self.cap)]:
            self.facts[memory_id].ending = "trimmed"

    @invariant()
    def the_same_facts_are_live_retired_and_superseded(self) -> None:
        names = {"": "live", "trimmed": "retired", "superseded": "superseded"}
        state = self.log.state
        assert {m: state.memories[m].status.value for m in state.facts} == {m: names[f.ending] for m, f in self.facts.items()}
        assert state.live == sum(not fact.ending for fact in self.facts.values())

    @invariant()
    def flags_and_counts_are_the_same(self) -> None:
        state = self.log.state
        for memory_id, fact in self.facts.items():
            known = state.facts[memory_id]
            assert (known.manually_saved, known.repeat_count) == (fact.by_hand, fact.repeats)
            assert state.memories[memory_id].pinned == fact.pinned

    @invariant()
    def importance_is_what_the_tellings_add_up_to_and_lies_between_0_and_1(self) -> None:
        for memory_id, fact in self.facts.items():
            known = self.log.state.facts[memory_id]
            assert 0 <= known.importance <= 1
            assert abs(known.importance - fact.importance) < 0.002

    @invariant()
    def the_cap_holds_or_only_kept_facts_are_left(self) -> None:
        live = [fact for fact in self.facts.values() if not fact.ending]
        spared = 1  # what was just restored
        kept = sum(fact.pinned or fact.by_hand for fact in live)
        assert len(live) <= max(self.cap, kept + spared)

    @invariant()
    def replay_equals_live(self) -> None:
        fold = Fold(ScopeState())
        for record in self.log.records:
            fold.add(record.event, position=record.position, digester=KEYS.digester)
        assert fold.state == self.log.states.get(ANNAS_SCOPE, ScopeState())


TestRandomFacts = RandomFacts.TestCase
TestRandomFacts.settings = settings(max_examples=examples(60), stateful_step_count=30)
