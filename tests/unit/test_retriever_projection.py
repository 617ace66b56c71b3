"""What each event makes of a user's file; live, in bulk, delivered twice and rebuilt. On real SQLite."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import text

from services.retriever.store import conversations, entity_list, overview, read_memories
from services.retriever.store.legs import Filter, QueryVector
from services.retriever.store.memory_detail import detail
from services.retriever.store.memory_file import MemoryFile
from services.retriever.store.schema import DIGESTED
from shared.contracts.entities import EntitiesMerged
from shared.contracts.event import EventData
from shared.contracts.events import (
    CapacityExceeded,
    FactConfirmed,
    FactOutdated,
    MemoryEmbedded,
    MemoryEnriched,
    MemoryPinned,
    MemoryUnpinned,
    SessionCompleted,
    SessionStarted,
)
from shared.contracts.ids import MemoryId, MessageId, SessionId
from shared.contracts.parts import Echo, FactSlot, Importance, Kind, Standing
from shared.contracts.preferences import PersonSettings, SettingsChanged
from shared.contracts.privacy import ChatCommandRead, IncognitoStarted
from shared.contracts.queries import EntitiesQuery, EpisodesQuery, ListQuery, MemoryDetail, StatsQuery
from shared.contracts.sharing import TagShared, TagUnshared
from shared.domain.aliases import TypedName
from shared.domain.moments import microseconds
from shared.domain.vectors import pack
from shared.runtime.projector import Recorded
from tests.support.examples import examples
from tests.support.files import by_vector, by_words
from tests.support.history import (
    SCORE,
    consolidated,
    corrected,
    doubted,
    fact,
    history,
    named,
    recalled,
    repeated,
    restored,
    retired,
    said,
    settled,
    superseded,
    together,
)
from tests.support.scopes import at

ALL = Filter(("fact", "episode"))
ONE = np.array([1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0])
TEA = MemoryId("fact_tea")


@pytest.fixture
def file(tmp_path: Path) -> Iterator[MemoryFile]:
    """An empty file."""
    file = MemoryFile(tmp_path / "anna.db")
    yield file
    file.close()


def tell(file: MemoryFile, *told: EventData) -> MemoryFile:
    """One by one, as live."""
    for recorded in history(told, first=file.number + 1):
        file.apply([recorded])
    return file


def shown(file: MemoryFile, memory_id: str = TEA) -> MemoryDetail:
    with file.connect() as db:
        return detail(db, memory_id)


def listed(file: MemoryFile, **query: object) -> list[str]:
    with file.connect() as db:
        return [memory.memory_id for memory in read_memories.page(db, ListQuery.model_validate(query), 1).items]


def found(file: MemoryFile, words: str) -> list[str]:
    """By their words."""
    numbers = by_words(file, words, ALL)
    with file.connect() as db:
        known = read_memories.by_numbers(db, numbers)
        return [known[number].memory_id for number in numbers]


def embedded(memory_id: str = TEA) -> MemoryEmbedded:
    return MemoryEmbedded(memory_id=MemoryId(memory_id), embedding=pack(ONE, "m"))


def near(file: MemoryFile) -> int:
    return len(by_vector(file, QueryVector("m", ONE.astype(np.float32).tobytes()), ALL))


def count(file: MemoryFile, table: str) -> int:
    with file.connect() as db:
        return int(db.scalar(text(f"SELECT count(*) FROM {table}")) or 0)


def confirmed(memory_id: str = TEA) -> FactConfirmed:
    return FactConfirmed(memory_id=MemoryId(memory_id), confidence_before=0.8)


def enriched(memory_id: str = TEA, **more: object) -> MemoryEnriched:
    return MemoryEnriched.model_validate({"memory_id": memory_id, "method": "m/1", "metadata_confidence": 0.7, **more})


def test_a_fact_comes_with_all_that_ingest_decided_of_it(file: MemoryFile) -> None:
    parts = {"base": 0.5, "lasting": 0.3}
    tell(
        file,
        said("ep_1", "I like tea."),
        fact(
            TEA, source_ids=("ep_1", "elsewhere"), tags=("taste",), importance=0.8, importance_parts=parts,
            metadata_confidence=0.6, pinned=True, confidence=0.9,
        ),
    )  # fmt: skip
    tea = shown(file)
    assert (tea.importance, tea.importance_parts, tea.metadata_confidence) == (0.8, parts, 0.6)
    assert (tea.pinned, tea.confidence, tea.decay_rate, tea.status) == (True, 0.9, 0.1, Standing.ACTIVE)
    assert [source.text for source in tea.sources] == ["I like tea."]
    assert tea.source_ids == ("ep_1", "elsewhere")


def test_a_repeat_counts_and_adds_what_is_new_and_its_words_are_kept(file: MemoryFile) -> None:
    tell(
        file,
        fact(TEA, tags=("taste",), source_ids=("ep_1",)),
        repeated(TEA, "anna LIKES tea", added_tags=("drinks",), added_source_ids=("ep_2",), manually_saved=True, pinned=True),
        repeated(TEA, "Anna likes tea :)", 2, manually_saved=True, pinned=True),
    )
    tea = shown(file)
    assert (tea.repeat_count, tea.tags, tea.source_ids) == (2, ("taste", "drinks"), ("ep_1", "ep_2"))
    assert (tea.manually_saved, tea.pinned, tea.importance) == (True, True, 0.6)
    assert tea.importance_parts == {"base": 0.5, "repeats": 0.1}
    assert tea.text == "Anna likes tea"
    assert [(repeat.text, repeat.number, repeat.match, repeat.distance) for repeat in tea.repeats] == [
        ("anna LIKES tea", 2, "simhash", 2),
        ("Anna likes tea :)", 3, "simhash", 2),
    ]
    assert tea.confidence_at == at(3)
    assert found(file, "drinks") == [TEA]


def test_a_correction_takes_the_place_of_the_old_fact(file: MemoryFile) -> None:
    tell(file, fact(TEA), embedded(), *corrected("fact_coffee", TEA, tags=("taste",), pinned=True))
    old, new = shown(file), shown(file, "fact_coffee")
    assert (old.status, old.ended_because, old.superseded_by, old.confidence) == ("superseded", "corrected", new.memory_id, 0.3)
    assert old.ended_at == at(4)
    assert (new.status, new.supersedes, new.pinned, new.manually_saved) == ("active", TEA, True, True)
    assert listed(file) == ["fact_coffee"]
    assert listed(file, status="superseded") == [TEA]
    assert found(file, "anna tea") == ["fact_coffee"]
    assert near(file) == 0


def test_a_correction_keeps_the_tags_of_the_old_fact(file: MemoryFile) -> None:
    tell(file, fact(TEA, tags=("taste", "drinks")), *corrected("fact_coffee", TEA, tags=("coffee", "taste")))
    assert shown(file, "fact_coffee").tags == ("taste", "drinks", "coffee")
    assert found(file, "drinks") == ["fact_coffee"]


def test_the_chain_of_corrections_reads_both_ways_from_every_link(file: MemoryFile) -> None:
    tell(file, fact("fact_1"), *corrected("fact_2", "fact_1"), *corrected("fact_3", "fact_2"), fact("fact_other"))
    for memory_id in ("fact_1", "fact_2", "fact_3"):
        assert [memory.memory_id for memory in shown(file, memory_id).chain] == ["fact_1", "fact_2", "fact_3"]
    assert shown(file, "fact_other").chain == ()


def test_a_conflict_ends_the_old_fact_and_the_new_one_names_it(file: MemoryFile) -> None:
    tell(file, fact(TEA), fact("fact_coffee"), superseded(TEA, "fact_coffee"))
    assert shown(file).ended_because == "conflict"
    assert shown(file, "fact_coffee").supersedes == TEA


def test_a_confirmed_fact_does_not_decay(file: MemoryFile) -> None:
    tell(file, fact(TEA, confidence=0.8), confirmed())
    tea = shown(file)
    assert (tea.confidence, tea.decay_rate, tea.confidence_at) == (1.0, 0.0, at(2))


def test_pins_come_and_go(file: MemoryFile) -> None:
    tell(file, fact(TEA), fact("fact_2"), MemoryPinned(memory_id=TEA))
    assert listed(file, pinned=True) == [TEA]
    assert listed(file, pinned=False) == ["fact_2"]
    assert listed(tell(file, MemoryUnpinned(memory_id=TEA)), pinned=True) == []


def test_what_is_retired_is_not_found_and_comes_back_when_restored(file: MemoryFile) -> None:
    tell(file, fact(TEA, tags=("taste",)), embedded(), retired(TEA, score=SCORE, computed_at=at(2), cap=200))
    tea = shown(file)
    assert (tea.status, tea.ended_because, tea.ended_at) == (Standing.RETIRED, "trimmed", at(3))
    assert tea.last_scores is not None
    assert tea.last_scores["total"] == 0.7
    assert (listed(file), listed(file, status="retired"), found(file, "tea"), near(file)) == ([], [TEA], [], 0)
    tell(file, restored(TEA))
    tea = shown(file)
    assert (tea.status, tea.ended_because, tea.ended_at, tea.confidence) == (Standing.ACTIVE, None, None, 0.8)
    assert (listed(file), found(file, "taste"), near(file)) == ([TEA], [TEA], 1)


def test_a_turn_that_is_held_back_is_kept_but_not_found_nor_handed_out_to_learn_from(file: MemoryFile) -> None:
    started = SessionStarted(session_id=SessionId("s1"), resumed=False)
    tell(file, started, said("ep_tea", "Anna drinks tea", held_back=True), embedded("ep_tea"), said("ep_rye", "Anna eats rye"))
    held = shown(file, "ep_tea")
    assert (held.text, held.status, held.ended_because) == ("Anna drinks tea", Standing.RETIRED, "held_back")
    assert (listed(file), listed(file, status="retired")) == (["ep_rye"], ["ep_tea"])
    assert (found(file, "tea"), near(file)) == ([], 0)
    everything = by_words(file, "tea", Filter(("fact", "episode"), ended=True))
    with file.connect() as db:
        new = conversations.episodes(db, EpisodesQuery(session_id=SessionId("s1")), 1)
    assert (everything, [turn.memory_id for turn in new.episodes]) == ([], ["ep_rye"])


def test_a_superseded_fact_that_is_restored_keeps_its_history(file: MemoryFile) -> None:
    tell(file, fact(TEA), *corrected("fact_coffee", TEA), restored(TEA, "superseded"))
    tea = shown(file)
    assert (tea.status, tea.superseded_by) == (Standing.ACTIVE, None)
    assert [memory.memory_id for memory in tea.chain] == [TEA, "fact_coffee"]


def test_enrichment_adds_tags_and_entities_once(file: MemoryFile) -> None:
    importance = Importance(value=0.7, parts={"base": 0.5, "entities": 0.2})
    more = enriched(entities=named("Anna", ("tea", "other")), added_tags=["taste"], importance=importance)
    tell(file, fact(TEA, names=["Anna"]), more, more)
    tea = shown(file)
    assert [entity.name for entity in tea.entities] == ["Anna", "tea"]
    assert (tea.tags, tea.metadata_confidence, tea.importance, tea.enriched_at) == (("taste",), 0.7, 0.7, at(3))
    assert tea.importance_parts == importance.parts
    assert found(file, "taste") == [TEA]


def test_a_turn_can_be_enriched_too_and_keeps_its_tags_when_a_neighbour_is_indexed(file: MemoryFile) -> None:
    tell(file, said("ep_1", "hello"), enriched("ep_1", added_tags=["greetings"]))
    assert found(file, "greetings") == ["ep_1"]
    tell(file, said("ep_2", "and good day"))
    assert found(file, "greetings") == ["ep_1"]


def test_a_recall_is_counted_and_moves_the_anchor_of_decay(file: MemoryFile) -> None:
    tell(file, fact(TEA), recalled(TEA, "fact_unknown"), recalled(TEA))
    tea = shown(file)
    assert (tea.access_count, tea.last_accessed_at, tea.confidence_at) == (2, at(90), at(90))
    assert tea.last_scores is not None
    assert tea.last_scores["computed_at"] == at(90).isoformat()
    assert shown(tell(file, recalled(TEA, minutes=-1))).confidence_at == at(90)


def test_recalls_of_one_event_count_as_those_of_several(file: MemoryFile, tmp_path: Path) -> None:
    one, other = recalled(TEA, "fact_unknown", minutes=80), recalled(TEA, minutes=90)
    apart, at_once = shown(tell(file, fact(TEA), one, other)), MemoryFile(tmp_path / "at_once.db")
    seen = shown(tell(at_once, fact(TEA), together(one, other)))
    at_once.close()
    assert (seen.access_count, seen.last_accessed_at, seen.confidence_at) == (2, at(90), at(90))
    assert seen.last_scores == apart.last_scores


def test_what_only_echoes_is_marked(file: MemoryFile) -> None:
    echo = Echo(memory_id=TEA, start=0, end=4)
    assert shown(tell(file, said("ep_1", "You like tea.", echoes=(echo,))), "ep_1").echoes == (echo,)


def test_a_listed_memory_says_that_it_has_no_vector_yet(file: MemoryFile) -> None:
    tell(file, fact(TEA), fact("fact_2"), embedded(TEA))
    with file.connect() as db:
        listed = read_memories.page(db, ListQuery(kinds=(Kind.FACT,)), 7).items
    assert [(each.memory_id, each.needs_embedding) for each in listed] == [("fact_2", True), (TEA, False)]
    assert [shown(file, each).needs_embedding for each in ("fact_2", TEA)] == [True, False]


@pytest.mark.parametrize(("reason", "names"), [("decayed", []), ("rolled_up", ["Nora"])])
def test_an_entity_of_which_only_decayed_facts_speak_is_listed_no_more(file: MemoryFile, reason: str, names: list[str]) -> None:
    tell(file, fact(TEA, text="Nora likes tea", entities=named("Nora")))
    tell(file, retired(TEA, reason=reason))
    with file.connect() as db:
        assert [each.name for each in entity_list.listed(db, EntitiesQuery(), 7).entities] == names


def test_settings_and_the_cap_are_told_by_stats(file: MemoryFile) -> None:
    chosen = PersonSettings(incognito_default=True, time_zone="Europe/Berlin")
    tell(file, fact(TEA), fact("fact_2", pinned=True), repeated(TEA), retired("fact_2", cap=4))
    tell(file, SettingsChanged(settings=chosen, before=PersonSettings()), fact("fact_3", manually_saved=True, pinned=True))
    tell(file, CapacityExceeded(live=3, cap=2))
    with file.connect() as db:
        stats = overview.stats(db, StatsQuery(), 7)
    assert (stats.settings, stats.soft_cap, stats.cap_usage, stats.capacity_exceeded_at) == (chosen, 2, 1.0, at(7))
    assert (stats.memories[Kind.FACT], stats.by_status[Standing.RETIRED][Kind.FACT]) == (2, 1)
    assert (stats.pinned, stats.manually_saved, stats.repeats, stats.trims) == (1, 1, 1, 1)
    tell(file, SettingsChanged(settings=PersonSettings(soft_cap=10), before=chosen))
    with file.connect() as db:
        assert (overview.stats(db, StatsQuery(), 8).soft_cap, overview.stats(db, StatsQuery(), 8).cap_usage) == (10, 0.2)


UNKNOWN: list[EventData] = [
    repeated("fact_gone", names=["Ghost"], added_tags=("gone",)),
    superseded("fact_gone", "fact_other"),
    confirmed("fact_gone"),
    MemoryPinned(memory_id=MemoryId("fact_gone")),
    MemoryUnpinned(memory_id=MemoryId("fact_gone")),
    retired("fact_gone"),
    restored("fact_gone"),
    enriched("fact_gone", entities=named("Ghost")),
    embedded("fact_gone"),
    recalled("fact_gone"),
]


@pytest.mark.parametrize("event", UNKNOWN, ids=lambda event: event.event_type)
def test_an_event_about_a_memory_that_is_not_known_changes_nothing(file: MemoryFile, event: EventData) -> None:
    def dump() -> list[object]:
        with file.connect() as db:
            return [
                row
                for table in DIGESTED
                for row in db.execute(table.select().order_by(*table.primary_key.columns))
                if row[0] not in {"number", "position"}
            ]

    tell(file, fact(TEA, names=["Anna"]))
    before = dump()
    tell(file, event)
    assert dump() == before


def test_a_correction_of_a_forgotten_fact_is_a_fact_without_a_predecessor(file: MemoryFile) -> None:
    tell(file, *corrected("fact_coffee", "fact_gone"))
    assert (shown(file, "fact_coffee").supersedes, shown(file, "fact_coffee").chain) == (None, ())


def test_an_event_that_comes_before_its_memory_changes_nothing_in_bulk_either(tmp_path: Path) -> None:
    events = history([MemoryPinned(memory_id=TEA), retired(TEA), fact(TEA)])
    assert digest_of(tmp_path / "a", [events]) == digest_of(tmp_path / "b", [[event] for event in events])


# --- however it is delivered ---------------------------------------------------------------------------------------------


def everything() -> list[EventData]:
    return [
        SessionStarted(session_id=SessionId("s1")),
        said("ep_1", "Hello @ben, see #boats", speaker="Anna"),
        said("ep_2", "It is 3 May 2026.", echoes=(Echo(memory_id=TEA, start=0, end=2),)),
        SettingsChanged(settings=PersonSettings(soft_cap=3), before=PersonSettings()),
        fact(TEA, names=["Anna", "Ben"], tags=("taste",), source_ids=("ep_1",)),
        embedded(TEA),
        repeated(TEA, names=["Anna Smith"], added_tags=("drinks",)),
        fact("fact_2", "Berlin is grey", names=[("Berlin", "other")], slots=(FactSlot(subject="berlin", attribute="colour"),)),
        embedded("fact_2"),
        enriched("fact_2", entities=named(("Berlin", "location")), added_tags=["weather"]),
        *corrected("fact_3", "fact_2", "Berlin is green", names=["Anna Jones"]),
        recalled(TEA, "fact_2", "fact_gone"),
        together(recalled("fact_2"), recalled(TEA, minutes=91)),
        MemoryPinned(memory_id=TEA),
        retired(TEA, cap=1),
        confirmed("fact_3"),
        restored(TEA),
        repeated("fact_3", "Berlin is GREEN", names=["Ben", ("Berlin", "project")]),
        CapacityExceeded(live=2, cap=1),
        MemoryUnpinned(memory_id=TEA),
        restored("fact_2", "superseded"),
        doubted("fact_2", "fact_3"),
        doubted(TEA, "fact_gone"),
        doubted(TEA, "fact_3"),
        settled("fact_2", "fact_3"),
        FactOutdated(memory_id=MemoryId("fact_2"), outdated_by=MemoryId("fact_3"), slots=(0,), valid_until=at(9)),
        embedded(TEA),
        SessionCompleted(session_id=SessionId("s1"), reason="ended", turns=2),
        consolidated("s1", through=33),
        said("ep_3", "late", session_id=SessionId("s2")),
        enriched("ep_1", added_tags=["boats"]),
        EntitiesMerged(entity_id=TypedName("person", "ben").id, into=TypedName("person", "anna").id),
        IncognitoStarted(session_id=SessionId("s9")),
        ChatCommandRead(session_id=SessionId("s9"), message_id=MessageId("m9"), command="pin_that", outcome="done"),
        TagShared(tag="boats", with_space="work", recipient="ab"),
        TagShared(tag="tea", with_space="work", recipient="ab"),
        TagUnshared(tag="Boats", with_space="work", recipient="ab"),
    ]


WHOLE = history(everything())


def digest_of(path: Path, batches: Iterable[Sequence[Recorded]]) -> str:
    file = MemoryFile(path.with_suffix(".db"))
    try:
        for batch in batches:
            file.apply(batch)
        return file.digest() + file.content_digest()
    finally:
        file.close()


@settings(max_examples=examples(25), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.integers(1, 9), max_size=25))
def test_live_in_bulk_and_delivered_twice_give_one_digest(tmp_path: Path, sizes: list[int]) -> None:
    batches, rest = [], WHOLE
    for size in [*sizes, len(WHOLE)]:
        batches += [rest[:size], rest[:size]] if rest[:size] else []  # each twice
        rest = rest[size:]
    made = len(list(tmp_path.iterdir()))
    assert digest_of(tmp_path / f"pieces{made}", batches) == digest_of(tmp_path / f"whole{made}", [WHOLE])


def test_what_waited_for_its_file_and_came_twice_is_applied_once(tmp_path: Path) -> None:
    assert digest_of(tmp_path / "twice", [[*WHOLE, *WHOLE]]) == digest_of(tmp_path / "once", [WHOLE])


@pytest.mark.parametrize("table", [table.name for table in DIGESTED])
def test_the_digest_differs_when_one_row_does(tmp_path: Path, table: str) -> None:
    file = MemoryFile(tmp_path / "anna.db")
    file.apply(WHOLE)
    before = file.digest()
    assert before == file.digest()
    with file._engine.begin() as db:
        gone = db.execute(text(f"DELETE FROM {table} WHERE rowid = (SELECT max(rowid) FROM {table})"))
        assert gone.rowcount
    assert file.digest() != before
    file.close()


STATES = [column.name for column in DIGESTED[0].columns if column.name != "number"]


@pytest.mark.parametrize("column", STATES)
def test_the_digest_covers_every_column_of_a_memory(tmp_path: Path, column: str) -> None:
    file = MemoryFile(tmp_path / "anna.db")
    file.apply(WHOLE)
    before = file.digest()
    with file._engine.begin() as db:
        db.execute(text(f"UPDATE memories SET {column} = 'other' WHERE id = 'fact_3'"))
    assert file.digest() != before
    file.close()


def test_the_content_digest_tells_what_is_remembered_and_no_clock_time(tmp_path: Path) -> None:
    def content(name: str, told: Iterable[EventData], *, first: int = 1) -> str:
        file = MemoryFile(tmp_path / f"{name}.db")
        file.apply(history(told, first=first), allow_gaps=True)
        digest = file.content_digest()
        file.close()
        return digest

    plain = content("plain", [fact(TEA)])
    assert content("later", [fact(TEA)], first=7) == plain
    assert content("recalled", [fact(TEA), recalled(TEA)]) == plain
    others = [
        content("pinned", [fact(TEA), MemoryPinned(memory_id=TEA)]),
        content("repeated", [fact(TEA), repeated(TEA)]),
        content("repeated otherwise", [fact(TEA), repeated(TEA, "tea is what Anna likes")]),
        content("tagged", [fact(TEA), enriched(added_tags=["t"])]),
        content("corrected", [fact(TEA), *corrected("fact_2", TEA)]),
        content("beside", [fact(TEA), fact("fact_2", "Anna likes coffee", manually_saved=True)]),
    ]
    assert len({plain, *others}) == len(others) + 1


def test_times_are_kept_to_the_microsecond(file: MemoryFile) -> None:
    tell(file, fact(TEA))
    with file.connect() as db:
        assert db.scalar(text("SELECT confidence_at FROM memories")) == microseconds(at(1))
