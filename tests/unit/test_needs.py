"""What is loaded for a decision is enough: decided on ingest.db or on everything, the same comes of it."""

from itertools import count as counted
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from services.ingest.domain.policy import Policy
from services.ingest.store import Store
from services.ingest.store.schema import _all_that_are, _look_up
from shared.contracts.command import Command
from shared.contracts.errors import Rejected
from shared.contracts.ids import MemoryId
from shared.contracts.preferences import PersonSettings
from tests.support.commands import (
    change,
    confirm,
    correct,
    extracted,
    find_more,
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
from tests.support.scopes import ANNAS_SCOPE, at
from tests.support.sent import sent
from tests.support.stored import StoredLog

PEOPLE = st.sampled_from(["Anna", "Ben", "Cleo", "Dora"])
TEXTS = st.builds(str.format, st.sampled_from(["{} likes tea", "{} likes TEA.", "{} sings"]), PEOPLE)
WHICH = st.integers(0, 6)
OF_MEMORY = st.sampled_from([pin, unpin, confirm, restore, correct, find_more])

steps = st.one_of(
    st.tuples(st.just("hand"), TEXTS),
    st.tuples(st.just("page"), st.lists(TEXTS, max_size=4)),
    st.tuples(OF_MEMORY, WHICH),
    st.tuples(st.just("recall"), WHICH),
    st.tuples(st.just("cap"), st.none() | st.integers(1, 4)),
    st.tuples(st.just("say"), TEXTS),
    st.tuples(st.sampled_from(["Please remember that {}.", "Pin this: {}!"]), TEXTS),
)
groups = st.lists(st.lists(steps, min_size=1, max_size=5), min_size=1, max_size=8)


def command(step: tuple[Any, Any], known: list[MemoryId], number: int) -> Command | None:
    """The command of a step; none where it is about a memory and there is none."""
    kind, value = step
    match kind:
        case "hand":
            return remember(value)
        case "say":
            return user_says(value, "s1")
        case "page":
            return page(*[extracted(told, importance=(number % 7) / 10) for told in value], number=number)
        case "cap":
            return change(PersonSettings(soft_cap=value)) if value else change(unset=("soft_cap",))
    if isinstance(kind, str) and "{}" in kind:
        return user_says(kind.format(value), "s1")
    return _of_memory(kind, known[value % len(known)], number) if known else None


def _of_memory(kind: Any, memory_id: MemoryId, number: int) -> Command:  # noqa: ANN401 - a builder, or "recall"
    if kind == "recall":
        return recall_of({memory_id: (number % 5) / 5}, recall_id=f"rec_{number}", computed_at=at(number))
    made = kind(memory_id)
    assert isinstance(made, Command)
    return made


@settings(max_examples=examples(30), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(groups)
@example(
    [
        [("hand", "Anna likes tea"), ("cap", 1)],
        [("Please remember that {}.", "Anna likes TEA.")],
        [("Pin this: {}!", "Ben sings")],
    ]
)
@example(
    [[("page", ["Anna likes tea", "Ben likes tea"]), ("cap", 1)], [(restore, 0), (correct, 0)], [("hand", "Anna likes tea")]]
)
def test_decided_on_what_is_loaded_or_on_everything_the_same_comes_of_it(
    tmp_path: Path, told: list[list[tuple[Any, Any]]]
) -> None:
    policy = Policy(soft_cap=3)
    paper, numbers = PaperLog(policy), counted()
    store = Store(tmp_path / f"live-{len(list(tmp_path.iterdir()))}")
    stored = StoredLog(store, policy)
    for group in [[("say", "hi")], *told]:
        known = list(paper.state.memories)
        commands = [made for step in group if (made := command(step, known, next(numbers)))]
        for one in commands:
            try:
                paper.tell(one)
            except Rejected as error:
                paper.sent -= 1
                paper.refuse(one, error)
        stored.tell(*commands)
        assert stored.events == paper.events
    rebuilt = Store(tmp_path / f"rebuilt-{len(list(tmp_path.iterdir()))}")
    StoredLog(rebuilt).projection.apply(stored.records, stored.records[-1].position)
    assert rebuilt.digest() == store.digest()
    store.close()
    rebuilt.close()


LOOKED_UP = {
    ("likeness", "digest"): "likeness_digest (scope=? AND digest=?)",
    ("likeness", "key"): "likeness_key (scope=? AND key=?)",
    ("fact", "memory_id"): "PRIMARY KEY (scope=? AND memory_id=?)",
    ("memory", "memory_id"): "PRIMARY KEY (scope=? AND memory_id=?)",
    ("source", "memory_id"): "PRIMARY KEY (scope=? AND memory_id=?)",
    ("seen", "command_id"): "PRIMARY KEY (scope=? AND command_id=?)",
    ("session", "session_id"): "PRIMARY KEY (scope=? AND session_id=?)",
}


@pytest.mark.parametrize("count", [1, 500])
@pytest.mark.parametrize(("asked", "index"), LOOKED_UP.items(), ids=map(".".join, LOOKED_UP))
def test_what_a_decision_needs_is_looked_up_in_an_index(asked: tuple[str, str], index: str, count: int, store: Store) -> None:
    with store.transaction() as db:
        rows = db.exec_driver_sql(f"EXPLAIN QUERY PLAN {_look_up(*asked, count)}", (*range(count), "s"))
        *_, plan = (row[3] for row in rows)
    assert plan.startswith("SEARCH")
    assert plan.endswith(index)


@pytest.mark.parametrize(("table", "flag"), [("session", "is_open"), ("fact", "is_rival")])
def test_of_sessions_and_facts_only_those_of_interest_are_read(table: str, flag: str, store: Store) -> None:
    with store.transaction() as db:
        (plan,) = (row[3] for row in db.exec_driver_sql(f"EXPLAIN QUERY PLAN {_all_that_are(table, flag)}", ("s",)))
    assert plan == f"SEARCH {table} USING INDEX {table}_{flag} (scope=?)"


@pytest.mark.parametrize(("known", "loaded"), [(1, False), (2, False), (3, True), (4, True)])
def test_the_facts_that_could_be_trimmed_are_loaded_at_the_cap_only(known: int, loaded: bool, store: Store) -> None:  # noqa: FBT001
    log = StoredLog(store, Policy(soft_cap=3))
    log.tell(user_says("hi", "s1"))
    log.tell(page(*[extracted(f"Person {n} likes tea") for n in range(known)]))
    needs = sent(remember("Eva sings"), policy=log.policy).needs(remember("Eva sings"))
    state = store.load({ANNAS_SCOPE: needs})[ANNAS_SCOPE]
    assert state.knows_rivals == loaded
    assert len(state.facts) == (3 if loaded else 0)
