"""Whom names mean, and that it does not depend on the order in which they came."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import text

from services.retriever.store import overview, read_memories
from services.retriever.store.entity_lookup import find
from services.retriever.store.memory_detail import detail
from services.retriever.store.memory_file import MemoryFile
from shared.contracts.errors import NotFound
from shared.contracts.queries import EntityAnswer, EntityQuery, KnownEntity, ListQuery
from shared.domain.aliases import TypedName, meanings
from tests.support.examples import examples
from tests.support.history import corrected, fact, history, repeated

Written = str | tuple[str, str]


@pytest.fixture
def file(tmp_path: Path) -> Iterator[MemoryFile]:
    file = MemoryFile(tmp_path / "anna.db")
    yield file
    file.close()


def mention(file: MemoryFile, *names: Written) -> MemoryFile:
    """A fact for each of these names."""
    start = file.number + 1
    told = [fact(f"fact_{number}", f"fact {number}", names=[name]) for number, name in enumerate(names, start)]
    file.apply(history(told, first=start))
    return file


def known(file: MemoryFile, name: str) -> list[KnownEntity]:
    with file.connect() as db:
        return find(db, name)


def profile(file: MemoryFile, name: str, **more: int) -> EntityAnswer:
    with file.connect() as db:
        return overview.profile(db, EntityQuery(name=name, **more), position=1)


def groups(file: MemoryFile) -> set[tuple[str, str, tuple[int, ...]]]:
    """Every entity with the memories that mention it."""
    statement = """SELECT canonical_name, entities.type, mention_count, entities.id, group_concat(number) AS numbers
                   FROM entities JOIN memory_entities ON entity_id = entities.id GROUP BY entities.id"""
    with file.connect() as db:
        found = db.execute(text(statement)).all()
        assert len(found) == db.scalar(text("SELECT count(*) FROM entities")), "an entity without a mention"
        assert sum(row.mention_count for row in found) == db.scalar(text("SELECT count(*) FROM memory_entities"))
    return {(row[0], row[1], tuple(sorted(map(int, row.numbers.split(","))))) for row in found}


SAME: list[tuple[Written, Written]] = [
    ("Ben", "@ben"),
    ("Anna", "Anna Smith"),
    ("anna", "ANNA  SMITH"),
    ("@anna", "Anna Smith"),
    (("Berlin", "other"), ("berlin", "location")),
    (("Anna Smith", "other"), "Anna Smith"),
]
DIFFERENT: list[tuple[Written, Written]] = [
    ("Ben", "Benjamin"),
    ("Anna Smith", "Anna Jones"),
    ("Smith", "Anna Smith"),
    (("Anna", "project"), "Anna Smith"),
    (("Paris", "person"), ("Paris", "location")),
    (("Anna", "hashtag"), "Anna"),
    (("Paris", "other"), "Paris Hilton"),
    (("Berlin", "location"), ("Berlin Marathon", "other")),
]


@pytest.mark.parametrize("pair", SAME)
def test_these_names_mean_the_same_whichever_came_first(tmp_path: Path, pair: tuple[Written, Written]) -> None:
    for order in itertools.permutations(pair):
        file = mention(MemoryFile(tmp_path / f"{pair.index(order[0])}.db"), *order)
        assert [numbers for *_, numbers in groups(file)] == [(1, 2)]
        file.close()


@pytest.mark.parametrize("pair", DIFFERENT)
def test_these_names_do_not(tmp_path: Path, pair: tuple[Written, Written]) -> None:
    for order in itertools.permutations(pair):
        file = mention(MemoryFile(tmp_path / f"{pair.index(order[0])}.db"), *order)
        assert {numbers for *_, numbers in groups(file)} == {(1,), (2,)}
        file.close()


def test_a_second_full_name_makes_the_first_name_ambiguous_and_takes_its_mentions_back(file: MemoryFile) -> None:
    mention(file, "Anna", "Anna Smith")
    assert groups(file) == {("anna smith", "person", (1, 2))}
    mention(file, "Anna Jones")
    assert groups(file) == {("anna", "person", (1,)), ("anna smith", "person", (2,)), ("anna jones", "person", (3,))}
    (anna, *others) = known(file, "Anna")
    assert anna.name == "Anna"
    assert {other.name for other in others} == {"Anna Smith", "Anna Jones"}


def test_an_id_leads_to_the_survivor_after_a_merge(file: MemoryFile) -> None:
    before = known(mention(file, "Anna"), "anna")[0]
    after = known(mention(file, "Anna Smith"), before.entity_id)[0]
    assert after.name == "Anna Smith"
    assert after.entity_id != before.entity_id
    with file.connect() as db:
        assert detail(db, "fact_1").entities[0].entity_id == after.entity_id


def test_names_are_shown_as_they_are_written_most(file: MemoryFile) -> None:
    mention(file, "@ben", "BEN", "Ben", "Ben")
    (ben,) = known(file, "ben")
    assert (ben.name, ben.aliases, ben.mention_count) == ("Ben", ("Ben", "@ben", "BEN"), 4)


def test_a_part_of_a_name_finds_it_where_nobody_is_called_exactly_so(file: MemoryFile) -> None:
    mention(file, "Anna Smith", "Anna Smithson")
    assert [entity.name for entity in known(file, "smith")] == ["Anna Smith"]
    assert [entity.name for entity in known(file, "%")] == []
    assert known(file, "@") == []


def test_a_repeat_names_entities_too(file: MemoryFile) -> None:
    file.apply(history([fact("fact_1", names=["Anna"]), repeated("fact_1", names=["Ben"])]))
    assert {name for name, *_ in groups(file)} == {"anna", "ben"}
    with file.connect() as db:
        assert [entity.name for entity in detail(db, "fact_1").entities] == ["Anna"], "Ben does not stand in its own text"


def test_a_profile_says_the_best_facts_and_every_live_mention(file: MemoryFile) -> None:
    told = [
        fact("fact_1", "Anna Smith is a doctor", names=["Anna Smith"], importance=0.4),
        fact("fact_2", "Anna lives in Rome", names=["Anna"], importance=0.9),
        *corrected("fact_3", "fact_2", "Anna lives in Oslo", names=["Anna"], importance=0.9),
        fact("fact_4", "Ben is a cook", names=["Ben"]),
    ]
    file.apply(history(told))
    answer = profile(file, "anna")
    assert answer.entity.name == "Anna Smith"
    assert answer.summary == "Anna lives in Oslo\nAnna Smith is a doctor"
    assert [memory.memory_id for memory in answer.memories] == ["fact_3", "fact_1"]
    assert [memory.memory_id for memory in profile(file, "anna", limit=1).memories] == ["fact_3"]
    with file.connect() as db:
        assert [memory.memory_id for memory in read_memories.page(db, ListQuery(entity="Anna"), 1).items] == [
            "fact_3",
            "fact_1",
        ]
        assert read_memories.page(db, ListQuery(entity="nobody"), 1).items == ()


def test_nobody_of_that_name(file: MemoryFile) -> None:
    with pytest.raises(NotFound, match="nobody and nothing of this name"):
        profile(mention(file, "Anna"), "Zoe")


NAMES = st.tuples(
    st.sampled_from(["anna", "@Anna", "Anna Smith", "Anna Jones", "anna maria", "Ben", "Ben Ono"]),
    st.sampled_from(["person", "person", "other", "project"]),
)


@settings(max_examples=examples(40), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(NAMES, min_size=1, max_size=8), st.randoms(use_true_random=False))
def test_the_registry_is_the_same_in_whatever_order_names_come(tmp_path: Path, names: list[Written], random: object) -> None:
    made = len(list(tmp_path.iterdir()))

    def registry(order: Sequence[int], name: str) -> list[tuple[object, ...]]:
        file = MemoryFile(tmp_path / f"{name}{made}.db")
        for number in order:
            mention(file, names[number])
        with file.connect() as db:
            tables = ("entities", "entity_aliases")
            dump = [tuple(row) for table in tables for row in db.execute(text(f"SELECT * FROM {table} ORDER BY id"))]
        file.close()
        return dump

    order = list(range(len(names)))
    random.shuffle(order)  # type: ignore[attr-defined]
    assert registry(order, "shuffled") == registry(sorted(order), "sorted")


@given(
    st.sets(st.builds(TypedName, st.sampled_from(["person", "other", "project"]), st.sampled_from(["a", "a b", "a c", "b"])))
)
def test_what_a_name_means_stands_for_itself(names: set[TypedName]) -> None:
    meant = meanings(names)
    assert all(meant[main] == main for main in meant.values())
