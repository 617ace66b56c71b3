"""What is learned late ends what it would have ended in time: no order of learning changes what held when."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime, timedelta
from itertools import pairwise, permutations
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

import pytest
from hypothesis import given as examples_of
from hypothesis import settings
from hypothesis import strategies as st
from sqlalchemy import Connection, select

from services.ingest.domain.claims import unpacked
from services.ingest.domain.memories import Status
from services.ingest.store import Store
from services.ingest.store.claims import find_claiming
from services.retriever.store.memory_file import MemoryFile
from services.retriever.store.schema import memories
from shared.contracts.commands import ExtractedFact
from shared.contracts.events import FactRemembered, FactSuperseded
from shared.contracts.ids import EventNumber, MemoryId
from shared.contracts.parts import FactSlot, Origin
from shared.contracts.privacy import Forget
from shared.domain.moments import moment
from tests.support.commands import correct, extracted, page, remember, undo, user_says
from tests.support.examples import examples
from tests.support.paper import PaperLog
from tests.support.scopes import ANNAS_SCOPE, BEN, KEYS, T0, at
from tests.support.stored import StoredLog
from tests.unit.test_moving import exported, importing

TOWNS = ("Leeds", "York", "Bath", "Hull", "Ely")
NOON = datetime(2026, 3, 5, 12, tzinfo=T0.tzinfo)
CONFIDENCE_BEFORE = 0.8
WHOSE = ("sister", "brother", "mother", "father", "boss", "landlord", "neighbour")
MOST_ROUNDS = 4


class Stated(NamedTuple):
    """Where a sister lives, as it was told on some day of March, perhaps as being so for some days."""

    town: str
    day: int
    since: int = 0
    whose: str = "sister"

    @property
    def told_at(self) -> datetime:
        return NOON.replace(day=self.day)

    @property
    def began(self) -> datetime:
        return self.told_at - timedelta(days=self.since)

    def fact_of(self, whose: str) -> ExtractedFact:
        """The same of somebody else."""
        return self._replace(whose=whose).fact

    @property
    def fact(self) -> ExtractedFact:
        began = self.began if self.since else None
        home = FactSlot(subject=f"user's {self.whose}", attribute="home", value=self.town.lower(), valid_from=began)
        said = {"confidence": CONFIDENCE_BEFORE, "slots": (home,), "is_whole": True}
        return extracted(f"The user's {self.whose} lives in {self.town}.", occurred_at=self.told_at).model_copy(update=said)


FIRST, LATE, LAST = Stated("Leeds", 5), Stated("York", 6), Stated("Bath", 7)


class Ending(NamedTuple):
    """How a fact stands in the retriever's file."""

    status: str
    by: str | None
    until: datetime | None
    confidence: float


def in_time(stated: Sequence[Stated]) -> dict[str, Ending]:
    """How the statements stand when each was learned as it was told."""
    order = sorted(stated, key=lambda one: one.told_at)
    ended = {old.town: Ending("superseded", new.town, new.began, 0.3) for old, new in pairwise(order)}
    return {**ended, order[-1].town: Ending("active", None, None, CONFIDENCE_BEFORE)}


def talked() -> PaperLog:
    log = PaperLog()
    log.tell(user_says("hi", "s1"))
    return log


def run_of(stated: Stated, number: int) -> Origin:
    return Origin(extractor="rules/1", run_id=f"run-{stated.town}-{number}")


def learn(log: PaperLog, *stated: Stated, confidence: float = CONFIDENCE_BEFORE) -> list[MemoryId]:
    """Each by a run of its own, as after a conversation that was imported late."""
    found: list[MemoryId] = []
    for one in stated:
        fact = one.fact.model_copy(update={"confidence": confidence})
        command = page(fact, number=log.sent, is_last=True).model_copy(update={"origin": run_of(one, 0)})
        events = log.tell(command, now=at(60 * 24 * 400))
        found += [event.data.memory_id for event in events if isinstance(event.data, FactRemembered)]
    return found


@contextmanager
def opened(log: PaperLog, *, until: EventNumber | None = None) -> Iterator[Connection]:
    """The retriever's file, to which the events came one by one."""
    with TemporaryDirectory() as folder:
        file = MemoryFile(Path(folder) / "anna.db")
        for each in log.records:
            if until is None or each.event.number <= until:
                file.apply([each], allow_gaps=True)
        with file.connect() as db:
            yield db
        file.close()


def shown(log: PaperLog, *, until: EventNumber | None = None) -> dict[str, Ending]:
    """How facts stand in the retriever's file, now or as of an event."""
    with opened(log, until=until) as db:
        rows = db.execute(select(memories).where(memories.c.kind == "fact")).all()
    towns = {row.id: row.content.removesuffix(".").split()[-1] for row in rows}
    return {
        towns[row.id]: Ending(
            row.status,
            towns.get(row.superseded_by, row.superseded_by),
            None if row.valid_until is None else moment(row.valid_until),
            row.confidence,
        )
        for row in rows
    }


def until_of(log: PaperLog, memory_id: MemoryId) -> datetime | None:
    ends = [event.data for event in log.events if isinstance(event.data, FactSuperseded) and event.data.memory_id == memory_id]
    return ends[-1].valid_until


def test_what_was_said_between_two_statements_ends_the_first_though_it_is_learned_last() -> None:
    log = talked()
    first, last = learn(log, FIRST, LAST)
    assert (log.state.facts[first].superseded_by, until_of(log, first)) == (last, LAST.told_at)
    [late] = learn(log, LATE)
    again = log.events[-3].data
    assert isinstance(again, FactSuperseded)
    assert (again.memory_id, again.superseded_by, again.valid_until) == (first, late, LATE.told_at)
    assert (again.confidence, again.confidence_before) == (0.3, CONFIDENCE_BEFORE)
    assert shown(log) == in_time([FIRST, LATE, LAST])
    assert log.state.live == 1


def some_statements() -> st.SearchStrategy[list[Stated]]:
    """Statements of different days, in the order of learning."""
    days = st.lists(st.integers(2, 28), min_size=2, max_size=len(TOWNS), unique=True)
    since = st.lists(st.integers(0, 12), min_size=len(TOWNS), max_size=len(TOWNS))
    return st.tuples(days, since).map(lambda found: [Stated(*each) for each in zip(TOWNS, *found, strict=False)])


@settings(max_examples=examples(60))
@examples_of(some_statements())
def test_in_whatever_order_statements_are_learned_each_ends_as_if_it_was_learned_in_time(stated: list[Stated]) -> None:
    log = talked()
    numbers = [learned_by(log, one) for one in stated]
    assert log.rebuilt() == log.state
    for count, number in enumerate(numbers, 1):
        assert shown(log, until=number) == in_time(stated[:count])


def learned_by(log: PaperLog, one: Stated) -> EventNumber:
    """The number of the last event to which learning a statement led."""
    learn(log, one)
    return log.events[-1].number


@pytest.mark.parametrize("order", list(permutations([FIRST, LATE, LAST, Stated("Hull", 8)])))
def test_at_every_moment_exactly_one_town_holds(order: Sequence[Stated]) -> None:
    log = talked()
    learn(log, *order)
    known = shown(log)
    for day in (5, 6, 7, 8):
        then = NOON.replace(day=day) + timedelta(hours=6)
        held = [one.town for one in order if one.told_at <= then < (known[one.town].until or then + timedelta(1))]
        assert held == [one.town for one in order if one.day == day]


@pytest.fixture
def stored(tmp_path: Path) -> Iterator[StoredLog]:
    store = Store(tmp_path, KEYS.digester)
    yield StoredLog(store)
    store.close()


def test_ingest_db_finds_what_a_late_statement_ended_and_nothing_more_for_one_in_time(stored: StoredLog) -> None:
    paper = talked()
    stored.tell(user_says("hi", "s1"))
    for one in (Stated("Hull", 2), FIRST, LAST, Stated("Ely", 9), LATE, Stated("Oxford", 10)):
        command = page(one.fact, number=one.day)
        assert [event for each in stored.tell(command) for event in each.events] == paper.tell(command)
    [needs] = stored.needed.values()
    with stored.store.transaction() as db:
        found = find_claiming(db, ANNAS_SCOPE, needs.claims)
    assert found == {[event.data.memory_id for event in stored.events if isinstance(event.data, FactRemembered)][-1]}


def test_a_second_late_statement_ends_the_first_earlier_still() -> None:
    log = talked()
    stated = (FIRST, Stated("Hull", 9), LAST, LATE)
    learn(log, *stated)
    assert shown(log) == in_time(stated)
    assert len([event for event in log.events if isinstance(event.data, FactSuperseded)]) == 5


@pytest.mark.parametrize("by_run", [True, False])
def test_taking_the_late_one_back_lets_the_first_end_as_before(by_run: bool) -> None:  # noqa: FBT001 - pytest names it
    log = talked()
    first, last = learn(log, FIRST, LAST)
    before = log.state.facts[first]
    [late] = learn(log, LATE)
    command = undo(run_of(LATE, 0).run_id) if by_run else undo(memory_id=late)
    log.tell(command)
    assert log.state.facts[first] == before
    assert (log.state.memories[late].ended, log.state.memories[last].status) == ("undone", Status.LIVE)
    assert {town: each for town, each in shown(log).items() if town != "York"} == in_time([FIRST, LAST])
    assert log.tell(command) == []


def test_late_statements_are_taken_back_one_by_one_in_any_order() -> None:
    stated = (FIRST, Stated("Hull", 9), LAST, LATE)
    for back in permutations(stated[1:]):
        log = talked()
        learn(log, *stated)
        left = list(stated)
        for one in back:
            log.tell(undo(run_of(one, 0).run_id))
            left.remove(one)
        known = shown(log)
        assert {town: each.status for town, each in known.items()} == {
            "Leeds": "active",
            **dict.fromkeys(("Hull", "Bath", "York"), "retired"),
        }, back


def test_taking_back_a_run_looks_up_all_that_it_ended_at_once(stored: StoredLog) -> None:
    stored.tell(user_says("hi", "s1"))
    late = [LATE.fact_of(who) for who in WHOSE]
    for number, one in enumerate((FIRST, LAST)):
        stored.tell(page(*(one.fact_of(who) for who in WHOSE), number=number))
    stored.tell(page(*late, number=9, is_last=True).model_copy(update={"origin": run_of(LATE, 0)}))
    stored.rounds = 0
    [undone] = stored.tell(undo(run_of(LATE, 0).run_id))
    assert [event.type for event in undone.events].count("fact_superseded") == len(WHOSE)
    assert stored.rounds <= MOST_ROUNDS


def test_taking_back_what_ended_a_late_statement_lets_that_hold() -> None:
    log = talked()
    _, _, late = learn(log, FIRST, LAST, LATE)
    log.tell(undo(run_of(LAST, 0).run_id))
    assert log.state.memories[late].status is Status.LIVE
    assert {town: each for town, each in shown(log).items() if town != "Bath"} == in_time([FIRST, LATE])


def by_hand(log: PaperLog, one: Stated) -> None:
    log.tell(remember(f"My sister lives in {one.town}", occurred_at=one.told_at), now=at(60 * 24 * 400))


def test_forgetting_the_late_one_leaves_the_first_ended_by_it() -> None:
    log = talked()
    first, last, late = learn(log, FIRST, LAST, LATE)
    log.tell(Forget(memory_ids=(late,), only=True))
    log.erase()
    assert (log.state.facts[first].superseded_by, log.state.facts[first].confidence) == (late, 0.3)
    assert (until_of(log, first), log.state.memories[last].status) == (LATE.told_at, Status.LIVE)
    for one in (Stated("Hull", 9), Stated("Ely", 4)):
        by_hand(log, one)
    known = shown(log)
    assert (known["Leeds"].by, known["Leeds"].until) == (late, LATE.told_at)
    assert (known["Ely"].by, known["Ely"].until) == ("Leeds", FIRST.told_at)
    assert (known["Bath"].by, known["Bath"].until) == ("Hull", NOON.replace(day=9))


def test_what_was_forgotten_keeps_no_late_statement_from_ending_a_fact_earlier() -> None:
    log = talked()
    _, last = learn(log, FIRST, LAST)
    log.tell(Forget(memory_ids=(last,), only=True))
    log.erase()
    by_hand(log, LATE)
    assert shown(log)["Leeds"] == Ending("superseded", "York", LATE.told_at, 0.3)


def test_what_was_corrected_stays_so_whatever_comes_late() -> None:
    log = talked()
    [first] = learn(log, FIRST)
    right, *_ = log.tell(correct(first, "My sister lives in Bath"), now=at(60 * 24 * 400))
    learn(log, LATE)
    assert log.state.facts[first].superseded_by == right.data.subject
    assert len([event for event in log.events if event.data.subject == first]) == 2


def test_what_a_fact_supersedes_is_what_it_ends_in_time() -> None:
    for order in permutations(
        [("My sister lives in Oslo", 1), ("My sister no longer lives in Oslo", 2), ("My sister lives in Ghent", 3)]
    ):
        log = talked()
        made = {
            hour: log.tell(remember(text, occurred_at=at(60 * hour)), now=at(6_000))[0].data.subject for text, hour in order
        }
        with opened(log) as db:
            links = {row.id: row.supersedes for row in db.execute(select(memories))}
        assert [links[str(made[hour])] for hour in (1, 2, 3)] == [None, made[1], None], order


def test_who_is_not_sure_ends_nothing_late_either() -> None:
    log = talked()
    first, last = learn(log, FIRST, LAST)
    learn(log, LATE, confidence=0.4)
    assert (log.state.facts[first].superseded_by, until_of(log, first)) == (last, LAST.told_at)


def test_the_same_told_again_but_earlier_ends_what_it_ended_from_then_on() -> None:
    log = talked()
    first, last = learn(log, FIRST, LAST)
    assert learn(log, Stated("Bath", 6)) == []
    assert (log.state.facts[first].superseded_by, until_of(log, first)) == (last, LATE.told_at)


def test_of_a_fact_that_ended_as_a_whole_a_late_statement_ends_a_part_as_in_time() -> None:
    told = (("I live in Leeds and work at Bosch", 1), ("I live in York", 2), ("I moved to Bath and work at Shell now", 3))
    ended: set[tuple[frozenset[int], bool]] = set()
    for order in permutations(told):
        log = PaperLog()
        found = {
            text: log.tell(remember(text, occurred_at=at(60 * hour)), now=at(6_000))[0].data.subject for text, hour in order
        }
        fact = log.state.facts[MemoryId(str(found[told[0][0]]))]
        ended.add((unpacked(fact.claims).ended, fact.superseded_by == found[told[2][0]]))
    assert len(ended) == 1


def test_an_import_elsewhere_takes_over_that_a_fact_ended_earlier() -> None:
    log, other = talked(), PaperLog()
    learn(log, FIRST, LAST, LATE)
    other.tell(importing(exported(log)), user=BEN, now=at(60 * 24 * 500))
    assert shown(other) == shown(log) == in_time([FIRST, LATE, LAST])
