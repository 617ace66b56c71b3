"""A fact told again under another name of the same entity: by names that were known before, and where one only can be meant."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import count
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import text

from services.ingest.domain.lacks import Needs
from services.ingest.domain.names import called_in, name_of
from services.ingest.projection import IngestProjection
from services.ingest.store import Store
from services.ingest.store.names import _names_like, load_names, save_names
from services.ingest.store.schema import _look_up
from shared.contracts.command import Command
from shared.contracts.envelope import Envelope
from shared.contracts.events import FactRemembered, MemoryRepeated
from shared.contracts.ids import Position, Slot, User
from shared.contracts.parts import Entity
from shared.contracts.privacy import Forget
from shared.contracts.subjects import SLOTS
from shared.domain.aliases import TypedName, are_one, keyed, meanings
from tests.support.commands import correct, extracted, find_more, import_of, page, remember, turn, user_says
from tests.support.examples import examples
from tests.support.paper import PaperLog
from tests.support.scopes import ANNA, ANNAS_SCOPE, BEN, KEYS, SEND_ID, scope_of
from tests.support.stored import StoredLog

SMITH, ANNA_FIRST, JONES = "My sister Anna Smith came by.", "My friend Anna called.", "I met Anna Jones."
KNOWN = (SMITH, ANNA_FIRST)
PEOPLE = (*KNOWN, "My colleague Ben Miller sang.", "My brother Ben slept.")


@dataclass(frozen=True)
class Pair:
    """What was said before, a fact, and what is told then."""

    said: Sequence[str]
    known: str
    told: str


SAME = [
    Pair(KNOWN, "Anna likes tea", "Anna Smith likes tea"),
    Pair(KNOWN, "Anna Smith likes tea", "Anna likes tea"),
    Pair((ANNA_FIRST, SMITH), "Anna Smith likes tea", "Anna likes tea."),
    Pair(KNOWN, "My friend Anna likes tea", "My friend Anna Smith likes tea!"),
    Pair(KNOWN, "Anna says that she likes tea", "Anna Smith says she likes tea"),
    Pair(KNOWN, "Anna Smith's dog is old", "Anna's dog is old"),
    Pair(KNOWN, "I told Anna Smith everything", "I told Anna everything"),
    Pair(PEOPLE, "Anna Smith likes Ben", "Anna likes Ben Miller"),
    Pair(PEOPLE, "Anna Smith saw Ben Miller in Rome", "Anna saw Ben in Rome"),
    Pair(PEOPLE, "Anna knows that Anna Smith is tall", "Anna Smith knows that Anna is tall"),
    Pair((*KNOWN, "My cousin Ben Smith came."), "Anna likes tea", "Anna Smith likes tea"),
    Pair((*KNOWN, "In Anna it rained."), "My friend Anna likes tea", "My friend Anna Smith likes tea"),
]

NOT_SAME = [
    # a name that was not mentioned before
    Pair((), "Anna likes tea", "Anna Smith likes tea"),
    Pair((), "My sister Anna likes tea", "My sister Anna Smith likes tea"),
    Pair((), "My sister Anna Smith likes tea", "My sister Anna likes tea"),
    Pair((SMITH,), "Anna Smith likes tea", "Anna likes tea"),
    Pair((ANNA_FIRST,), "Anna likes tea", "Anna Smith likes tea"),
    Pair((ANNA_FIRST,), "My sister Anna likes tea", "My sister Anna Smith likes tea"),
    Pair(PEOPLE[:3], "Ben Miller likes Anna", "Ben likes Anna Smith"),
    # two full names that could be meant
    Pair((*KNOWN, JONES), "Anna likes tea", "Anna Smith likes tea"),
    Pair((*KNOWN, JONES), "Anna Jones likes tea", "Anna likes tea"),
    Pair((SMITH, JONES), "Anna Smith likes tea", "Anna likes tea"),
    Pair((*KNOWN, JONES), "Anna Jones likes tea", "Anna Smith likes tea"),
    Pair(KNOWN, "Anna Smith likes Anna Jones", "Anna likes Anna Jones"),
    Pair((*KNOWN, "Anna Jones likes coffee."), "Anna likes tea", "Anna Smith likes tea"),
    Pair((*KNOWN, "My sister Anna Maria Smith called."), "Anna likes tea", "Anna Smith likes tea"),
    # different full names, names that only look alike, nicknames, surnames
    Pair(PEOPLE, "Anna Smith likes tea", "Ben Miller likes tea"),
    Pair(PEOPLE, "Anna likes tea", "Ben Miller likes tea"),
    Pair((*PEOPLE, "My uncle Ben Smith came."), "Ben Smith likes tea", "Anna Smith likes tea"),
    Pair((*KNOWN, "My aunt Smith called."), "Smith likes tea", "Anna Smith likes tea"),
    Pair((*KNOWN, "My aunt Annie called."), "Annie likes tea", "Anna Smith likes tea"),
    Pair((SMITH, "My aunt Annabel called."), "Annabel likes tea", "Anna Smith likes tea"),
    # no person's, or known as several things
    Pair(("Anna Smith came by.", "Then Anna called."), "Anna Smith likes tea", "Anna likes tea"),
    Pair(("I moved to New York.", "I moved to York."), "New York is big", "York is big"),
    Pair((*KNOWN, "In Anna it rained."), "Anna likes tea", "Anna Smith likes tea"),
    Pair((*KNOWN, "In Anna Smith it rained."), "Anna likes tea", "Anna Smith likes tea"),
    # whatever else must agree
    Pair(KNOWN, "Anna likes tea", "Anna Smith likes coffee"),
    Pair(KNOWN, "Anna likes tea", "Anna Smith does not like tea"),
    Pair(KNOWN, "Anna likes tea", "Does Anna Smith like tea?"),
    Pair(KNOWN, "Anna has 2 cats", "Anna Smith has 3 cats"),
    Pair(KNOWN, "Anna leaves on Monday", "Anna Smith leaves on Friday"),
    Pair(PEOPLE, "Anna called Ben", "Ben Miller called Anna Smith"),
    Pair(PEOPLE, "Anna Smith likes Ben and tea", "Anna likes tea and Ben"),
    # a word that is no name where it stands
    Pair((*KNOWN, "My aunt Rose Miller came.", "My aunt Rose came."), "Rose Miller opened at noon", "rose opened at noon"),
]


def told(log: PaperLog | StoredLog, command: Command, user: User = ANNA) -> Envelope:
    """The last event that a command leads to."""
    log.tell(command, user=user)
    return log.events[-1]


def is_repeat(event: Envelope) -> bool:
    return isinstance(event.data, MemoryRepeated)


def after(said: Sequence[str], log: PaperLog | None = None) -> PaperLog:
    log = log or PaperLog()
    for each in said:
        log.tell(user_says(each, "s1"))
    return log


@pytest.mark.parametrize("pair", SAME, ids=lambda pair: f"{pair.known} / {pair.told}")
def test_under_another_known_name_of_the_same_person_it_is_the_same_fact(pair: Pair, store: Store) -> None:
    for log in (PaperLog(), StoredLog(store)):
        for each in pair.said:
            log.tell(user_says(each, "s1"))
        known = told(log, remember(pair.known)).data
        again = told(log, remember(pair.told)).data
        assert isinstance(known, FactRemembered)
        assert isinstance(again, MemoryRepeated)
        assert (again.memory_id, again.text, again.by_alias) == (known.memory_id, pair.told, True)


@pytest.mark.parametrize("pair", NOT_SAME, ids=lambda pair: f"{pair.known} / {pair.told}")
def test_where_that_is_not_known_nothing_merges(pair: Pair, store: Store) -> None:
    for log in (PaperLog(), StoredLog(store)):
        for each in pair.said:
            log.tell(user_says(each, "s1"))
        assert not is_repeat(told(log, remember(pair.known)))
        assert not is_repeat(told(log, remember(pair.told)))


def test_an_equal_wording_is_recognised_before_any_other_name() -> None:
    log = after((SMITH,))
    first, second = told(log, remember("Anna Smith likes tea")).data, told(log, remember("Anna likes tea")).data
    after((ANNA_FIRST,), log)
    for known, words in ((first, "Anna Smith likes tea!"), (second, "Anna likes tea!")):
        again = told(log, remember(words)).data
        assert isinstance(again, MemoryRepeated)
        assert (again.memory_id, again.by_alias) == (known.memory_id, False)  # type: ignore[attr-defined]


def test_a_page_of_facts_is_judged_by_the_names_before_it() -> None:
    both = page(extracted("My sister Anna likes tea"), extracted("My sister Anna Smith likes tea"))
    assert not any(map(is_repeat, after(("hi",)).tell(both)))
    assert any(map(is_repeat, after(KNOWN).tell(both)))
    names, facts = map(extracted, KNOWN), map(extracted, ("Anna likes tea", "Anna Smith likes tea"))
    first, second = page(*names), page(*facts, number=1)
    at_once = first.model_copy(update={"facts": first.facts + second.facts})
    assert not any(map(is_repeat, after(("hi",)).tell(at_once)))
    log = after(("hi",))
    log.tell(first)
    assert any(map(is_repeat, log.tell(second)))


def test_a_name_of_the_same_page_raises_a_doubt() -> None:
    facts = ["Anna likes tea", "I met Anna Jones", "Anna Smith likes tea"]
    assert not any(map(is_repeat, after(KNOWN).tell(page(*map(extracted, facts)))))
    assert any(map(is_repeat, after(KNOWN).tell(page(*map(extracted, facts[::2])))))


def test_a_correction_is_compared_under_other_names_too() -> None:
    log = after(KNOWN)
    tea, milk = (told(log, remember(words)).data.memory_id for words in ("Anna likes tea", "I like milk"))  # type: ignore[attr-defined]
    repeated = next(event.data for event in log.tell(correct(milk, "Anna Smith likes tea")) if is_repeat(event))
    assert repeated.memory_id == tea  # type: ignore[attr-defined]
    assert not any(map(is_repeat, log.tell(correct(tea, "Anna Smith likes green tea"))))


def test_what_a_better_method_finds_makes_names_known() -> None:
    log = after(("hi",))
    known = told(log, remember("Anna Smith likes tea")).data.memory_id  # type: ignore[attr-defined]
    other = told(log, remember("I told Anna")).data.memory_id  # type: ignore[attr-defined]
    log.tell(find_more(known, entities=(Entity(name="Anna Smith", type="person", start=0, end=10, confidence=0.9),)))
    assert not is_repeat(told(log, remember("Anna Smith likes milk")))
    log.tell(find_more(other, entities=(Entity(name="Anna", type="person", start=7, end=11, confidence=0.9),)))
    assert is_repeat(told(log, remember("Anna likes milk")))


def test_a_later_name_changes_later_decisions_only() -> None:
    log = after(KNOWN)
    told(log, remember("Anna likes tea"))
    assert is_repeat(told(log, remember("Anna Smith likes tea")))
    after((JONES,), log)
    assert is_repeat(log.events[-2])
    assert not is_repeat(told(log, remember("Anna Jones likes tea")))
    told(log, remember("Anna likes milk"))
    assert not is_repeat(told(log, remember("Anna Smith likes milk")))
    assert log.rebuilt() == log.state


def test_what_is_forgotten_makes_no_name_known(store: Store) -> None:
    log = after(("hello", ANNA_FIRST, SMITH))
    smith = next(event.data.memory_id for event in log.events if getattr(event.data, "text", "") == SMITH)  # type: ignore[attr-defined]
    told(log, remember("Anna likes tea"))
    log.tell(Forget(memory_ids=(smith,)))
    log.erase()
    IngestProjection(store, KEYS.digester, slots=map(Slot, range(SLOTS)), send_id=SEND_ID).apply(log.records, Position(9))
    assert not is_repeat(told(log, remember("Anna Smith likes tea")))
    with store.transaction() as db:
        assert db.scalar(text("SELECT count(*) FROM name WHERE rest > x''")) == 0
        assert db.scalar(text("SELECT count(*) FROM name")) == 2  # Anna, of two types


def test_a_forgotten_fact_is_no_longer_recognised_by_another_name() -> None:
    log = after(KNOWN)
    known = told(log, remember("Anna likes tea")).data.memory_id  # type: ignore[attr-defined]
    log.tell(Forget(memory_ids=(known,), only=True))
    assert log.state.called == {}
    assert not is_repeat(told(log, remember("Anna Smith likes tea")))


def test_two_people_share_no_names(store: Store) -> None:
    log = StoredLog(store)
    for each in KNOWN:
        log.tell(user_says(each, "s1"), user=BEN)
    told(log, remember("Anna likes tea"))
    assert not is_repeat(told(log, remember("Anna Smith likes tea")))
    told(log, remember("Anna likes tea"), BEN)
    assert is_repeat(told(log, remember("Anna Smith likes tea"), BEN))
    called = called_in("Anna likes tea", KEYS.digester)
    assert called
    states = store.load({scope: Needs(names=set(called.names)) for scope in (ANNAS_SCOPE, scope_of(BEN))})
    assert {name.type for name in states[ANNAS_SCOPE].names} == {"other"}
    assert {name.type for name in states[scope_of(BEN)].names} == {"other", "person"}


def test_ingest_db_holds_no_name(store: Store, tmp_path: Path) -> None:
    log = StoredLog(store)
    log.tell(user_says("My sister Xanthippe Quixeldra came by.", "s1"), user_says("My friend Xanthippe called.", "s1"))
    log.tell(remember("Xanthippe likes tea"), remember("Xanthippe Quixeldra likes tea"))
    (known,) = {event.data.memory_id for event in log.events if isinstance(event.data, FactRemembered)}
    found = Entity(name="Bramblethwick", type="Zorbifer", start=0, end=13, confidence=0.9)
    log.tell(find_more(known, entities=(found,)))
    assert is_repeat(log.events[-2])
    store.close()
    raw = b"".join(path.read_bytes() for path in (tmp_path / "ingest").iterdir()).lower()
    assert not [word for word in (b"xanthippe", b"quixeldra", b"bramblethwick", b"zorbifer") if word in raw]


SAYINGS = st.sampled_from(
    [*PEOPLE, JONES, "Then Anna sang.", "In Anna it rained.", "Anna Smith rows.", "I met Ben Smith.", "hi", "#anna"]
)
FACTS = st.builds(
    str.format,
    st.sampled_from(["{} likes tea", "My friend {} likes tea", "{} sings"]),
    st.sampled_from(["Anna", "anna", "Anna Smith", "Anna Jones", "Ben", "Ben Miller", "Ben Smith"]),
)
FRESH = settings(max_examples=examples(30), suppress_health_check=[HealthCheck.function_scoped_fixture])


def verdicts(said: Sequence[str], facts: Sequence[str]) -> list[tuple[bool, str]]:
    """Of each fact whether it was a repeat, and as which it counts."""
    log, found = after(said), []
    first: dict[str, str] = {}
    for words in facts:
        data = told(log, remember(words)).data
        assert isinstance(data, FactRemembered | MemoryRepeated)
        found.append((isinstance(data, MemoryRepeated), first.setdefault(data.memory_id, words)))
    return found


@FRESH
@given(st.lists(SAYINGS, max_size=6).flatmap(lambda said: st.tuples(st.just(said), st.permutations(said))), st.lists(FACTS))
def test_the_order_in_which_names_came_does_not_matter(orders: tuple[list[str], list[str]], facts: list[str]) -> None:
    one, other = (verdicts(said, facts) for said in orders)
    assert one == other


steps = st.one_of(SAYINGS, st.lists(FACTS, min_size=1, max_size=4))


def command_of(step: str | list[str], number: int) -> Command:
    """A turn, a fact, or a page of facts."""
    if isinstance(step, str):
        return turn(step, "s1")
    return remember(step[0]) if len(step) == 1 else page(*map(extracted, step), number=number)


@FRESH
@given(st.lists(st.lists(steps, min_size=1, max_size=4), min_size=1, max_size=8))
def test_decided_in_groups_on_what_is_loaded_the_same_comes_of_it_and_a_rebuild_agrees(
    tmp_path: Path, groups: list[list[str | list[str]]]
) -> None:
    place = tmp_path / str(len(list(tmp_path.iterdir())))
    paper, store, rebuilt = PaperLog(), Store(place / "live", KEYS.digester), Store(place / "rebuilt", KEYS.digester)
    stored, numbers = StoredLog(store), count()
    first: list[str | list[str]] = ["hi"]
    for group in [first, *groups]:
        commands = [command_of(step, next(numbers)) for step in group]
        for command in commands:
            paper.tell(command)
        stored.tell(*commands)
        assert stored.events == paper.events
    StoredLog(rebuilt).projection.apply(stored.records, stored.records[-1].position)
    assert rebuilt.digest() == store.digest()
    assert len(rows_of(store)) == len(paper.state.names)
    store.close()
    rebuilt.close()


def rows_of(store: Store) -> Sequence[object]:
    with store.transaction() as db:
        return db.execute(text("SELECT * FROM name")).all()


NAMES = st.builds(
    TypedName,
    st.sampled_from(["person", "other", "location"]),
    st.sampled_from(["anna", "anna smith", "anna jones", "anna maria smith", "ben", "ben smith", "smith"]),
)


def hashed(name: TypedName) -> TypedName:
    return keyed(name, lambda word: KEYS.digester.digest("name", word).hex())


@given(st.lists(NAMES), NAMES, NAMES)
def test_of_digests_the_same_is_found_as_of_names(names: list[TypedName], one: TypedName, other: TypedName) -> None:
    assert {hashed(name): hashed(meant) for name, meant in meanings(names).items()} == meanings(map(hashed, names))
    assert are_one(one, other, names) == are_one(hashed(one), hashed(other), {hashed(name) for name in names})
    assert are_one(one, other, names) == are_one(other, one, names)


@FRESH
@given(st.lists(NAMES, max_size=12), NAMES, NAMES)
def test_the_names_that_are_loaded_tell_as_much_as_all(
    tmp_path: Path, names: list[TypedName], one: TypedName, other: TypedName
) -> None:
    """However many begin alike, two of the full names are read."""
    mentioned = {_mentioned(name) for name in names}
    store = Store(tmp_path / str(len(list(tmp_path.iterdir()))), KEYS.digester)
    with store.transaction() as db:
        save_names(db, ANNAS_SCOPE, frozenset(), mentioned)
        found = load_names(db, ANNAS_SCOPE, [_mentioned(one), _mentioned(other)])
    store.close()
    assert found <= mentioned
    assert are_one(_mentioned(one), _mentioned(other), found) == are_one(one, other, names)


def _mentioned(name: TypedName) -> TypedName:
    return name_of(Entity(name=name.alias, type=name.type, start=0, end=9, confidence=0.9), KEYS.digester)


def test_of_thousands_of_names_that_begin_alike_a_handful_is_read(store: Store) -> None:
    log = StoredLog(store)
    letters = "abcdefghijklmnopqrst"
    family = [f"{one.upper()}{two}u{three}" for one in letters for two in letters for three in letters[:5]]
    for first in range(0, len(family), 500):
        log.tell(import_of([user_says(f"My friend Anna {name} called.", "s1") for name in family[first : first + 500]]))
    assert len(rows_of(store)) == len(family) == 2_000
    called = called_in("Anna Smith likes tea", KEYS.digester)
    assert called
    assert len(store.load({ANNAS_SCOPE: Needs(names=set(called.names))})[ANNAS_SCOPE].names) == 2


@pytest.mark.parametrize("asked", [1, 500])
def test_names_are_looked_up_in_an_index(asked: int, store: Store) -> None:
    values = (*[b"h", b"r"] * asked, *[b"s"] * 3)
    with store.transaction() as db:
        plan = [row[3] for row in db.exec_driver_sql(f"EXPLAIN QUERY PLAN {_names_like(asked)}", values)]
    reads = [line for line in plan if " name" in line]
    assert reads == [
        *["SEARCH name USING COVERING INDEX name_is_full (scope=? AND head=? AND rest>?)"] * 2,
        "SEARCH name USING PRIMARY KEY (scope=? AND head=? AND rest=?)",
    ]


def test_facts_that_name_somebody_are_looked_up_in_an_index(store: Store) -> None:
    with store.transaction() as db:
        *_, plan = (row[3] for row in db.exec_driver_sql(f"EXPLAIN QUERY PLAN {_look_up('called', 'key', 1)}", (1, "s")))
    assert plan == "SEARCH called USING INDEX called_key (scope=? AND key=?)"


@pytest.mark.parametrize(
    "change",
    [
        *(f"UPDATE called SET {each}" for each in ("digest = x'00'", "key = 1", "simhash = x'00'", "guard = x'00'")),
        *("UPDATE called SET tokens = x'00'", "UPDATE called SET names = ''", "DELETE FROM called"),
        *(f"UPDATE name SET {each}" for each in ("head = x'00'", "rest = x'00'", "type = 'date'")),
        "DELETE FROM name",
    ],
)
def test_the_digest_changes_with_every_column_of_a_name(change: str, store: Store) -> None:
    log = StoredLog(store)
    log.tell(user_says("hi", "s1"), remember("My sister Anna likes tea"))
    before = store.digest()
    with store.transaction() as db:
        assert db.execute(text(change)).rowcount == 1
    assert store.digest() != before
