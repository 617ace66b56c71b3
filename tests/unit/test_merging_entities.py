"""Entities that are said to be one: decided by ids that are known, counted once, taken back exactly, gone with their names."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from services.retriever.store.entity_list import listed
from services.retriever.store.memory_file import MemoryFile
from shared.contracts.entities import EntitiesMerged, EntitiesUnmerged, MergeEntities, UnmergeEntities
from shared.contracts.errors import UnknownEntity
from shared.contracts.event import EventData
from shared.contracts.events import MemoryEnriched
from shared.contracts.ids import EntityId, MemoryId, MessageId
from shared.contracts.moving import ImportedRecord, ImportMemories
from shared.contracts.parts import Entity
from shared.contracts.privacy import Forget, MemoryForgotten
from shared.contracts.queries import EntitiesQuery, ListedEntity
from shared.domain.aliases import NO_MERGES, TypedName, meanings
from tests.support.commands import remember
from tests.support.examples import examples
from tests.support.history import fact, history
from tests.support.paper import PaperLog
from tests.support.rules import given as given_events
from tests.support.rules import nothing, rejected

ANNA, ANNIE, SMITH = (TypedName("person", alias).id for alias in ("anna", "annie", "anna smith"))
NOBODY = EntityId("ent_00000000000000000000")


def named(number: int, *names: str) -> EventData:
    return fact(f"fact_{number:024x}", f"fact {number}", names=[(name, "person") for name in names])


def merge(one: EntityId, into: EntityId) -> MergeEntities:
    return MergeEntities(entity_id=one, into=into)


def unmerge(one: EntityId) -> UnmergeEntities:
    return UnmergeEntities(entity_id=one)


class TestDecisions:
    """What ingest decides."""

    def test_two_known_entities_become_one(self) -> None:
        known = given_events(named(1, "Annie"), named(2, "Anna Smith"))
        known.when(merge(ANNIE, SMITH)).then(EntitiesMerged(entity_id=ANNIE, into=SMITH))

    @pytest.mark.parametrize("command", [merge(ANNIE, NOBODY), merge(NOBODY, ANNIE), unmerge(NOBODY)])
    def test_an_id_that_nothing_mentions_is_refused(self, command: MergeEntities | UnmergeEntities) -> None:
        given_events(named(1, "Annie")).when(command).then(rejected(UnknownEntity))

    @pytest.mark.parametrize(("one", "other"), [(ANNIE, ANNIE), (ANNA, SMITH), (SMITH, ANNA), (ANNIE, SMITH), (ANNA, ANNIE)])
    def test_what_is_one_already_is_not_merged_again_nor_in_a_circle(self, one: EntityId, other: EntityId) -> None:
        known = given_events(named(1, "Anna", "Annie"), named(2, "Anna Smith"), EntitiesMerged(entity_id=ANNIE, into=SMITH))
        known.when(merge(one, other)).then(nothing)

    def test_a_name_of_an_entity_stands_for_the_whole_of_it(self) -> None:
        known = given_events(named(1, "Anna", "Annie"), named(2, "Anna Smith"))
        known.when(merge(ANNA, ANNIE)).then(EntitiesMerged(entity_id=SMITH, into=ANNIE))

    def test_a_merge_is_taken_back_and_once_only(self) -> None:
        known = (named(1, "Annie"), named(2, "Anna Smith"), EntitiesMerged(entity_id=ANNIE, into=SMITH))
        back = EntitiesUnmerged(entity_id=ANNIE, was=SMITH)
        given_events(*known).when(unmerge(ANNIE)).then(back)
        given_events(*known, back).when(unmerge(ANNIE)).then(nothing)

    def test_a_name_that_is_only_alike_is_parted_too(self) -> None:
        known = given_events(named(1, "Anna"), named(2, "Anna Smith"))
        known.when(unmerge(ANNA)).then(EntitiesUnmerged(entity_id=ANNA, was=SMITH, by_rule=True))

    def test_what_was_said_of_a_name_goes_with_the_last_memory_that_has_it(self) -> None:
        log = PaperLog()
        for text in ("My sister Annie likes tea", "I met Annie in Rome", "My boss Anna Smith plays chess"):
            log.tell(remember(text))
        told = {event.data.words[0]: MemoryId(str(event.data.subject)) for event in log.events if event.data.words}
        merged, *_ = log.tell(merge(ANNIE, SMITH))
        first, second = (told[text] for text in ("My sister Annie likes tea", "I met Annie in Rome"))
        assert merged.number not in erased_by(log.tell(Forget(memory_ids=(first,), only=True)))
        assert merged.number in erased_by(log.tell(Forget(memory_ids=(second,), only=True)))
        with pytest.raises(UnknownEntity):
            log.tell(unmerge(ANNIE))

    def test_an_import_takes_over_what_was_said_of_names_that_are_known_here(self) -> None:
        log = PaperLog()
        records = [
            record(number, data)
            for number, data in enumerate(
                (
                    *(named(1, "Annie"), named(2, "Anna Smith"), EntitiesMerged(entity_id=ANNIE, into=SMITH)),
                    *(EntitiesMerged(entity_id=ANNIE, into=NOBODY), EntitiesUnmerged(entity_id=ANNIE, was=SMITH)),
                ),
                start=1,
            )
        ]
        types = [event.type for event in log.tell(ImportMemories(message_id=MessageId("1"), records=tuple(records)))]
        assert types == ["fact_remembered", "fact_remembered", "entities_merged", "entities_unmerged"]


def erased_by(events: Iterable[object]) -> set[int]:
    return {n for event in events if isinstance(data := getattr(event, "data", None), MemoryForgotten) for n in data.numbers}


def record(number: int, data: EventData) -> ImportedRecord:
    fields = {"record_id": f"{number:032x}", "command_id": f"{number + 99:032x}", "occurred_at": "2026-03-01T09:00:00Z"}
    return ImportedRecord.model_validate({**fields, "type": data.event_type, "data": data.model_dump(mode="json")})


@pytest.fixture
def file(tmp_path: Path) -> Iterator[MemoryFile]:
    file = MemoryFile(tmp_path / "anna.db")
    yield file
    file.close()


def apply(file: MemoryFile, *told: EventData) -> None:
    file.apply(history(told, first=file.number + 1))


def entities(file: MemoryFile, **query: object) -> tuple[ListedEntity, ...]:
    with file.connect() as db:
        return listed(db, EntitiesQuery.model_validate(query), 1).entities


def counts(file: MemoryFile) -> dict[str, int]:
    return {each.name: each.mention_count for each in entities(file)}


class TestRegistry:
    """What the retriever's registry shows."""

    def test_a_merge_counts_all_mentions_together_and_its_undo_counts_them_apart(self, file: MemoryFile) -> None:
        apply(file, named(1, "Annie"), named(2, "Anna Smith"), named(3, "Anna"))
        before = file.digest()
        apply(file, EntitiesMerged(entity_id=ANNIE, into=SMITH))
        (one,) = entities(file)
        assert (one.name, one.mention_count) == ("Anna Smith", 3)
        assert {name.name: name.counted for name in one.names} == {"Anna Smith": "itself", "Anna": "alike", "Annie": "merged"}
        apply(file, named(5, "Annie"))
        assert counts(file) == {"Anna Smith": 4}, "what comes later is counted to it, too"
        apply(file, EntitiesUnmerged(entity_id=ANNIE, was=SMITH))
        assert counts(file) == {"Anna Smith": 2, "Annie": 2}
        assert before != file.digest()

    def test_a_name_that_stands_for_itself_stays_so_when_a_longer_one_comes(self, file: MemoryFile) -> None:
        apply(file, named(1, "Anna"), named(2, "Anna Smith"))
        assert counts(file) == {"Anna Smith": 2}
        apply(file, EntitiesUnmerged(entity_id=ANNA, was=SMITH, by_rule=True))
        assert counts(file) == {"Anna Smith": 1, "Anna": 1}

    def test_what_is_forgotten_takes_its_names_and_what_was_said_of_them_at_once(self, file: MemoryFile) -> None:
        apply(file, named(1, "Annie"), named(2, "Anna Smith"), EntitiesMerged(entity_id=ANNIE, into=SMITH))
        gone = MemoryForgotten(
            forget_id="f", by="memory", memory_ids=(MemoryId(f"fact_{1:024x}"),), asked=1, numbers=(1, 3), commands=""
        )
        apply(file, gone)
        (one,) = entities(file)
        assert (one.name, one.aliases, [name.name for name in one.names]) == ("Anna Smith", ("Anna Smith",), ["Anna Smith"])

    def test_a_place_that_is_typed_later_is_counted_once(self, file: MemoryFile) -> None:
        apply(
            file,
            fact("fact_1", "We saw Lisbon", entities=(Entity(name="Lisbon", type="other", start=7, end=13, confidence=0.7),)),
        )
        better = Entity(name="Lisbon", type="location", start=7, end=13, confidence=0.85)
        apply(file, enriched("fact_1", better), enriched("fact_1", better))
        (lisbon,) = entities(file)
        assert (lisbon.type, lisbon.mention_count, len(lisbon.names)) == ("location", 1, 1)

    def test_a_longer_name_takes_the_place_of_the_parts_that_it_holds(self, file: MemoryFile) -> None:
        york = (Entity(name="New York", type="location", start=3, end=11, confidence=0.7),)
        apply(file, fact("fact_1", "In New York City", entities=york))
        apply(file, enriched("fact_1", Entity(name="New York City", type="location", start=3, end=16, confidence=0.85)))
        assert counts(file) == {"New York City": 1}
        apply(file, enriched("fact_1", *york))
        assert counts(file) == {"New York City": 1}, "a less sure one takes nobody's place"

    def test_names_can_be_looked_for_and_leafed_through(self, file: MemoryFile) -> None:
        apply(file, named(1, "Annie"), named(2, "Anna Smith", "Ben"), named(3, "Ben"))
        assert [each.name for each in entities(file, name="annie")] == ["Annie"]
        assert entities(file, types=["location"]) == ()
        with file.connect() as db:
            first = listed(db, EntitiesQuery(limit=2), 1)
            last = listed(db, EntitiesQuery(limit=2, offset=first.next_offset or 0), 1)
        assert first.entities[0].name == "Ben"
        assert (first.next_offset, last.next_offset, len(last.entities)) == (2, None, 1)


def enriched(memory_id: str, *found: Entity) -> MemoryEnriched:
    return MemoryEnriched(memory_id=MemoryId(memory_id), method="ner/test", entities=found, metadata_confidence=0.8)


NAMES = ("Anna", "Anna Smith", "Anna Jones", "Annie", "Ben", "Ben Hill")
IDS = [TypedName("person", name.casefold()).id for name in NAMES]
steps = st.lists(
    st.one_of(
        st.tuples(st.just("mention"), st.sampled_from(NAMES), st.just("")),
        st.tuples(st.just("merge"), st.sampled_from(IDS), st.sampled_from(IDS)),
        st.tuples(st.just("unmerge"), st.sampled_from(IDS), st.just("")),
        st.tuples(st.just("forget"), st.sampled_from(NAMES), st.just("")),
    ),
    max_size=14,
)


class Naive:
    """The registry as a set of mentions, and what was decided."""

    def __init__(self) -> None:
        self.mentions: list[str] = []

    def counts(self, said: object) -> dict[str, int]:
        of = [TypedName("person", name.casefold()) for name in self.mentions]
        meant = meanings(of, said)  # type: ignore[arg-type]
        found: dict[str, int] = {}
        for name in of:
            found[meant[name].id] = found.get(meant[name].id, 0) + 1
        return found


@given(steps)
@settings(max_examples=examples(60), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_however_it_came_the_registry_is_what_the_names_and_merges_say(
    tmp_path_factory: pytest.TempPathFactory, told: Sequence[tuple[str, str, str]]
) -> None:
    folder = tmp_path_factory.mktemp("files")
    file, log, naive = MemoryFile(folder / "live.db"), PaperLog(), Naive()
    memories: dict[str, list[MemoryId]] = {}
    for number, (what, one, other) in enumerate(told):
        before = len(log.records)
        if what == "mention":
            memory = MemoryId(f"fact_{number:024x}")
            log.decide(partial(_add, named(number, one)))
            memories.setdefault(one, []).append(memory)
            naive.mentions.append(one)
        elif what == "forget":
            if not memories.get(one):
                continue
            log.tell(Forget(memory_ids=(memories[one].pop(),), only=True))
            naive.mentions.remove(one)
        else:
            command = merge(EntityId(one), EntityId(other)) if what == "merge" else unmerge(EntityId(one))
            known = {TypedName("person", name.casefold()).id for name in naive.mentions}
            if not {one, other or one} <= known:
                continue
            log.tell(command)
        file.apply(log.records[before:])
        said = log.state.words().merges()
        with file.connect() as db:
            assert {
                each.entity_id: each.mention_count for each in listed(db, EntitiesQuery(limit=200), 1).entities
            } == naive.counts(said)
    file.close()


def _add(data: EventData, ruling: object) -> None:
    ruling.add(data)  # type: ignore[attr-defined]


@given(st.permutations(NAMES), st.sampled_from(IDS), st.sampled_from(IDS), st.sets(st.sampled_from(NAMES)))
def test_taking_a_merge_back_leaves_no_trace_of_it(
    names: Sequence[str], one: EntityId, other: EntityId, gone: set[str]
) -> None:
    known = [TypedName("person", name.casefold()) for name in names if name not in gone]
    merged = NO_MERGES.merged(one, other)
    assert meanings(known, merged.parted(one, by_rule=False)) == meanings(known)
    assert meanings(known, merged.parted(one, by_rule=False).merged(one, other)) == meanings(known, merged), "merged again"
    assert set(meanings(known, NO_MERGES.merged(one, other).merged(other, one)).values()) <= set(known), "circles end"
