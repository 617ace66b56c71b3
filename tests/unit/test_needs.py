"""A decision asks for what it lacks: decided on ingest.db or on everything that is known, the same comes of it."""

from base64 import b64decode
from collections.abc import Sequence
from itertools import count as counted
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from services.ingest.command_group import CommandGroup, read
from services.ingest.domain.lacks import Aspect, Lacks, Needs, PartialMap
from services.ingest.domain.memories import KnownMemory
from services.ingest.domain.policy import Policy
from services.ingest.domain.private import digests_in
from services.ingest.domain.state import ScopeState
from services.ingest.store import Store
from services.ingest.store.schema import _all_that_are, _look_up
from shared.contracts.command import Command
from shared.contracts.envelope import Envelope
from shared.contracts.events import EpisodeRecorded, FactRemembered, MemoryPinned
from shared.contracts.ids import MemoryId, MessageId
from shared.contracts.parts import Kind
from shared.contracts.preferences import PersonSettings
from shared.contracts.privacy import Forget, ForgetUser, UserForgotten
from tests.support.commands import (
    agent_says,
    change,
    confirm,
    correct,
    extracted,
    find_more,
    import_of,
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
from tests.support.sent import sent
from tests.support.stored import StoredLog

PEOPLE = st.sampled_from(["Anna", "Ben", "Cleo", "Dora"])
TEXTS = st.builds(
    str.format, st.sampled_from(["{} likes tea", "{} likes TEA.", "{} sings", "{} lives in Rome", "{} moved to Oslo"]), PEOPLE
)
WHICH = st.integers(0, 6)
OF_MEMORY = st.sampled_from([pin, unpin, confirm, restore, correct, find_more])
SPOKEN = st.sampled_from(["Forget that.", "Pin that.", "Remember that.", "Forget this conversation.", "Yes", "No"])
SPOKEN |= st.sampled_from(["Pin what you know about tea.", "Forget what I said about tea.", "Forget everything about me."])

steps = st.one_of(
    st.tuples(st.just("hand"), TEXTS),
    st.tuples(st.just("page"), st.lists(TEXTS, max_size=4)),
    st.tuples(st.just("import"), st.lists(TEXTS, min_size=1, max_size=3)),
    st.tuples(OF_MEMORY, WHICH),
    st.tuples(st.just("recall"), WHICH),
    st.tuples(st.just("forget"), WHICH),
    st.tuples(st.just("forget"), st.none()),
    st.tuples(st.just("cap"), st.none() | st.integers(1, 4)),
    st.tuples(st.sampled_from(["say", "answer"]), TEXTS | SPOKEN),
    st.tuples(st.sampled_from(["Please remember that {}.", "Pin this: {}!"]), TEXTS),
)
groups = st.lists(st.lists(steps, min_size=1, max_size=5), min_size=1, max_size=8)


def command(step: tuple[Any, Any], known: list[MemoryId], number: int) -> Command | None:
    """The command of a step; none where it is about a memory and there is none."""
    match step:
        case "hand", text:
            made: Command = remember(text)
        case "say", text:
            made = user_says(text, "s1")
        case "answer", text:
            made = agent_says(text, "s1")
        case "page", texts:
            made = page(*[extracted(told, importance=(number % 7) / 10) for told in texts], number=number)
        case "import", texts:
            turns = [user_says(text, f"s{number % 3}", message_id=f"m{place}") for place, text in enumerate(texts)]
            made = import_of(turns, message_id=f"i{number}")
        case "cap", most:
            made = change(PersonSettings(soft_cap=most)) if most else change(unset=("soft_cap",))
        case "forget", None:
            made = ForgetUser()
        case str(said), str(text):
            made = user_says(said.format(text), "s1")
        case kind, which:
            return _of_memory(kind, known[which % len(known)], number) if known else None
    return made


def _of_memory(kind: Any, memory_id: MemoryId, number: int) -> Command:  # noqa: ANN401 - a builder, or a name
    if kind == "recall":
        return recall_of({memory_id: (number % 5) / 5}, recall_id=f"rec_{number}", computed_at=at(number))
    if kind == "forget":
        return Forget(memory_ids=(memory_id,), message_id=MessageId(f"forget-{number}"))
    made = kind(memory_id)
    assert isinstance(made, Command)
    return made


def comparable(events: Sequence[Envelope]) -> list[object]:
    """Events as they are, but that a forgotten person's digests have no order, and may stand there twice."""
    return [_without_order(event) for event in events]


def _without_order(event: Envelope) -> object:
    data = event.data
    if not isinstance(data, UserForgotten):
        return event
    sets = [frozenset(digests_in(b64decode(packed))) for packed in (data.commands, data.values)]
    return event.model_copy(update={"data": data.model_copy(update={"commands": "", "values": ""})}), sets


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
@example([[("say", "Anna likes tea"), ("say", "Pin that."), ("say", "Pin that.")], [("say", "Pin that.")]])
@example([[("page", ["Anna likes tea", "Ben likes tea"]), ("cap", 2)], [("forget", 1), ("page", ["Cleo sings", "Dora sings"])]])
@example([[("say", "Forget everything about me."), ("say", "Yes"), ("hand", "Ben sings")], [("forget", None), ("forget", 0)]])
def test_decided_on_what_is_asked_for_or_on_everything_the_same_comes_of_it(
    tmp_path: Path, told: list[list[tuple[Any, Any]]]
) -> None:
    policy = Policy(soft_cap=3)
    paper, numbers = PaperLog(policy), counted()
    store = Store(tmp_path / f"live-{len(list(tmp_path.iterdir()))}", KEYS.digester)
    stored = StoredLog(store, policy)
    for group in [[("say", "hi")], *told]:
        known = list(paper.state.memories)
        commands = [made for step in group if (made := command(step, known, next(numbers)))]
        for one in commands:
            paper.settle(one)
        stored.tell(*commands)
        assert comparable(stored.events) == comparable(paper.events)
    rebuilt = Store(tmp_path / f"rebuilt-{len(list(tmp_path.iterdir()))}", KEYS.digester)
    StoredLog(rebuilt).projection.apply(stored.records, stored.records[-1].position)
    assert rebuilt.digest() == store.digest()
    store.close()
    rebuilt.close()


def test_what_was_not_looked_up_is_asked_for_and_what_is_not_there_is_known() -> None:
    here, gone, unknown = (MemoryId(f"fact_{number}") for number in range(3))
    memories = PartialMap({here: KnownMemory(1, 1, Kind.FACT)}, {here, gone}, lambda each: Needs(memories={each}))
    assert here in memories.copy()
    assert (gone in memories, memories.get(gone)) == (False, None)
    for ask in (memories.get, memories.__getitem__, memories.__contains__, memories.copy().get):
        with pytest.raises(Lacks) as lacks:
            ask(unknown)
        assert lacks.value.needs == Needs(memories={unknown})


def test_what_all_commands_of_a_group_lack_is_looked_up_at_once(store: Store) -> None:
    log = StoredLog(store, Policy(soft_cap=3))
    log.tell(user_says("hi", "s1"))
    rounds = log.rounds
    log.tell(*[remember(f"{name} sings") for name in ("Anna", "Ben", "Cleo", "Dora", "Eva")])
    assert log.rounds - rounds == 3  # what they name; the facts that say the same; who is trimmed by the fourth


def test_a_state_that_lacks_what_was_looked_up_is_no_endless_asking() -> None:
    group = CommandGroup([read(sent(user_says("hi", "s1")))])
    nothing = ScopeState(number=1, sessions=PartialMap({}, set(), lambda each: Needs(sessions={each})), known=Needs())
    with pytest.raises(RuntimeError, match="asks again"):
        group.decide(dict.fromkeys(group.needs, nothing))


def test_of_what_is_forgotten_in_a_group_nothing_counts_in_it_any_more(store: Store) -> None:
    log = StoredLog(store, Policy(soft_cap=2))
    log.tell(user_says("hi", "s1"))
    log.tell(page(extracted("Anna likes tea"), extracted("Ben likes tea")))
    anna = next(event.data.memory_id for event in log.events if isinstance(event.data, FactRemembered))
    log.tell(Forget(memory_ids=(anna,)), remember("Cleo sings"))
    assert [event.type for event in log.events][-2:] == ["memory_forgotten", "fact_remembered"]


def test_what_is_pinned_by_a_word_is_never_trimmed(store: Store) -> None:
    log = StoredLog(store, Policy(soft_cap=1))
    log.tell(user_says("hi", "s1"))
    log.tell(page(extracted("Anna likes tea")))
    for _ in range(2):
        log.tell(user_says("Pin what you know about tea.", "s1"))
    log.tell(remember("Ben sings"))
    assert [type(event.data) for event in log.events if event.type.startswith("memory_")] == [MemoryPinned]


LOOKED_UP = {
    ("likeness", "digest"): "likeness_digest (scope=? AND digest=?)",
    ("likeness", "key"): "likeness_key (scope=? AND key=?)",
    ("fact", "memory_id"): "PRIMARY KEY (scope=? AND memory_id=?)",
    ("memory", "memory_id"): "PRIMARY KEY (scope=? AND memory_id=?)",
    ("source", "memory_id"): "PRIMARY KEY (scope=? AND memory_id=?)",
    ("seen", "command_id"): "PRIMARY KEY (scope=? AND command_id=?)",
    ("session", "session"): "PRIMARY KEY (scope=? AND session=?)",
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
    log.tell(remember("Eva sings"))
    assert (Aspect.RIVALS in log.needed[ANNAS_SCOPE].aspects) == loaded


def test_what_was_handed_out_is_forgotten_with_its_memory_also_while_it_waits(store: Store) -> None:
    log = StoredLog(store)
    log.tell(user_says("I collect stamps from Norway.", "s1"))
    log.tell(user_says("Good morning to you.", "s1"))
    stamps, morning = [event.data.subject for event in log.events if isinstance(event.data, EpisodeRecorded)]
    log.tell(recall_of({str(stamps): 0.9, str(morning): 0.5}))
    log.tell(user_says("Forget what I said about stamps.", "s2"))
    needs = Needs(aspects={Aspect.HANDED_OUT})
    assert list(store.load({log.records[0].scope: needs})[log.records[0].scope].recently_handed_out()) == [morning]
