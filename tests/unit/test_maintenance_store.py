"""What maintenance has to do, from the log alone: live, rebuilt and delivered twice."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import select

from services.maintenance.store import MaintenanceStore
from services.maintenance.store.memories import _WITHOUT_ANY
from services.maintenance.store.schema import LOOKED_AT
from shared.contracts.envelope import Actor, Envelope
from shared.contracts.event import EventData
from shared.contracts.events import (
    FactCorrected,
    FactRemembered,
    FactSuperseded,
    MemoryEmbedded,
    MemoryEnriched,
    MemoryRestored,
    MemoryRetired,
)
from shared.contracts.ids import CommandId, EventId, EventNumber, MemoryId, Position, User
from shared.contracts.parts import Embedding
from shared.contracts.privacy import MemoryForgotten
from shared.runtime.projector import Recorded
from tests.support.scopes import ANNA, BEN, KEYS, SPACE, T0, scope_of

MODEL = "m"
VECTOR = Embedding(model=MODEL, dimensions=1, vector="AAA=")


class Log:
    """A log on paper, of what maintenance follows."""

    def __init__(self) -> None:
        self.records: list[Recorded] = []

    def add(self, data: EventData, user: User = ANNA) -> None:
        position = len(self.records) + 1
        event = Envelope(
            event_id=EventId(f"{position:032x}"),
            type=data.event_type,
            version=data.event_version,
            space=SPACE,
            user=user,
            number=EventNumber(position),
            occurred_at=T0,
            recorded_at=T0,
            actor=Actor(channel="send"),
            correlation_id="c",
            causation_id=CommandId("c"),
            data=data,
        )
        self.records.append(Recorded(Position(position), scope_of(user), event))

    def fact(self, name: str, *tags: str, user: User = ANNA, embedded: bool = True) -> None:
        self.add(FactRemembered(memory_id=MemoryId(name), text=name, tags=tags, manually_saved=True), user)
        if embedded:
            self.add(MemoryEmbedded(memory_id=MemoryId(name), embedding=VECTOR), user)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[MaintenanceStore]:
    store = MaintenanceStore(tmp_path / "maintenance", KEYS.digester)
    yield store
    store.close()


@pytest.fixture
def log() -> Log:
    log = Log()
    for name in ("a", "b", "c"):
        log.fact(name, "tea", "milk")
    return log


def apply(store: MaintenanceStore, log: Log) -> None:
    store.apply(log.records, Position(len(log.records)))


def sparse(store: MaintenanceStore) -> list[str]:
    return [fact.memory_id for fact in store.sparse(MODEL, 99)]


def test_a_fact_with_a_vector_and_few_topics_is_looked_at(store: MaintenanceStore, log: Log) -> None:
    log.fact("few", "tea", "preference")
    log.fact("none", embedded=False)
    apply(store, log)
    assert sparse(store) == ["few"]


def test_a_fact_alone_has_nobody_to_ask(store: MaintenanceStore) -> None:
    log = Log()
    log.fact("one")
    log.fact("two")
    log.fact("bens", user=BEN)
    apply(store, log)
    assert sparse(store) == []


def test_vectors_of_another_model_do_not_count(store: MaintenanceStore, log: Log) -> None:
    log.fact("few")
    apply(store, log)
    assert store.sparse("another", 99) == []


def test_what_was_looked_at_waits_for_twice_as_many_neighbours(store: MaintenanceStore, log: Log) -> None:
    log.fact("few")
    apply(store, log)
    [fact] = store.sparse(MODEL, 99)
    assert fact.neighbours == 4
    store.looked_at(fact)
    assert sparse(store) == []
    for name in ("d", "e", "f", "g"):
        log.fact(name, "tea", "milk")
    apply(store, log)
    assert sparse(store) == ["few"]


def test_what_was_looked_at_is_not_looked_at_again_because_something_else_was_forgotten(
    store: MaintenanceStore, log: Log
) -> None:
    log.fact("few")
    apply(store, log)
    for fact in store.sparse(MODEL, 99):
        store.looked_at(fact)
    store.begin_scope_rebuild(scope_of(ANNA))
    store.rebuild_scope(scope_of(ANNA), log.records)
    assert sparse(store) == []


def test_only_people_of_whom_a_fact_may_be_due_are_looked_at(store: MaintenanceStore, log: Log) -> None:
    log.fact("few")
    apply(store, log)
    assert store.due.take() is None, "at first at everybody"
    assert store.due.take() == frozenset()
    applied = len(log.records)
    for name in ("b1", "b2", "b3", "b4"):
        log.fact(name, "tea", user=BEN)
    store.apply(log.records[applied:], Position(len(log.records)))
    assert store.due.take() == frozenset([scope_of(BEN)])
    found = {fact.memory_id for fact in store.sparse(MODEL, 99, {scope_of(BEN)})}
    assert found == {"b1", "b2", "b3", "b4"}
    assert {fact.memory_id for fact in store.sparse(MODEL, 99, {scope_of(ANNA)})} == {"few"}
    assert sorted(sparse(store)) == sorted([*found, "few"])
    applied = len(log.records)
    log.fact("unembedded", embedded=False)
    store.apply(log.records[applied:], Position(len(log.records)))
    assert store.due.take() == frozenset()


def test_whom_somebody_has_yet_to_look_at_is_noted_again(store: MaintenanceStore, log: Log) -> None:
    store.due.take()
    log.fact("few")
    apply(store, log)
    taken = store.due.take()
    store.due.note(taken)
    assert store.due.take() == taken == frozenset([scope_of(ANNA)])
    store.due.note(None)
    store.due.note([scope_of(ANNA)])
    assert store.due.take() is None


def test_a_fact_that_is_forgotten_while_it_is_looked_at_leaves_nothing(store: MaintenanceStore, log: Log) -> None:
    log.fact("few")
    apply(store, log)
    [fact] = store.sparse(MODEL, 99)
    forgotten = MemoryForgotten(forget_id="f", by="memory", memory_ids=(MemoryId("few"),), asked=1, numbers=())
    log.add(forgotten)
    apply(store, log)
    store.looked_at(fact)
    with store.transaction() as db:
        assert db.execute(select(LOOKED_AT)).all() == []


def test_what_the_neighbours_proposed_is_not_asked_again(store: MaintenanceStore, log: Log) -> None:
    log.fact("few")
    enriched = MemoryEnriched(memory_id=MemoryId("few"), method="neighbours/1", added_tags=("tea",), metadata_confidence=0.8)
    log.add(enriched)
    apply(store, log)
    assert sparse(store) == []


def test_topics_that_another_method_found_count(store: MaintenanceStore, log: Log) -> None:
    log.fact("few")
    log.add(MemoryEnriched(memory_id=MemoryId("few"), method="ner/1", added_tags=("tea",), metadata_confidence=0.8))
    apply(store, log)
    assert sparse(store) == ["few"]
    log.add(MemoryEnriched(memory_id=MemoryId("few"), method="ner/2", added_tags=("milk",), metadata_confidence=0.8))
    apply(store, log)
    assert sparse(store) == []


def test_only_active_facts_are_looked_at_and_a_correction_is_one(store: MaintenanceStore, log: Log) -> None:
    log.fact("old")
    log.fact("trimmed")
    log.add(FactCorrected(memory_id=MemoryId("new"), corrects=MemoryId("old"), text="new"))
    log.add(MemoryEmbedded(memory_id=MemoryId("new"), embedding=VECTOR))
    log.add(
        FactSuperseded(
            memory_id=MemoryId("old"),
            superseded_by=MemoryId("new"),
            reason="corrected",
            confidence=0.3,
            confidence_before=1.0,
        )
    )
    log.add(MemoryRetired(memory_id=MemoryId("trimmed"), reason="trimmed"))
    apply(store, log)
    assert sparse(store) == ["new"]
    log.add(MemoryRestored(memory_id=MemoryId("trimmed"), was="trimmed", confidence=1.0, confidence_before=1.0))
    apply(store, log)
    assert sparse(store) == ["trimmed", "new"]


def test_a_correction_waits_for_its_vector(store: MaintenanceStore) -> None:
    log = Log()
    log.add(FactCorrected(memory_id=MemoryId("new"), corrects=MemoryId("old"), text="new"))
    apply(store, log)
    assert [memory.memory_id for memory in store.unembedded(MODEL, 9)] == ["new"]


def test_events_that_come_twice_and_what_was_looked_at_change_no_digest(tmp_path: Path, log: Log) -> None:
    log.fact("few")
    log.add(MemoryEnriched(memory_id=MemoryId("few"), method="ner/1", added_tags=("tea",), metadata_confidence=0.8))
    log.add(MemoryRetired(memory_id=MemoryId("few"), reason="trimmed"))
    log.add(MemoryRestored(memory_id=MemoryId("few"), was="trimmed", confidence=1.0, confidence_before=1.0))
    once, twice = MaintenanceStore(tmp_path / "once", KEYS.digester), MaintenanceStore(tmp_path / "twice", KEYS.digester)
    try:
        apply(once, log)
        for end in range(1, len(log.records) + 1):  # each event many times
            twice.apply(log.records[:end], Position(end))
        assert sparse(once) == ["few"]
        assert once.digest() == twice.digest()
        before = once.digest()
        once.looked_at(once.sparse(MODEL, 1)[0])
        assert once.digest() == before
    finally:
        once.close()
        twice.close()


def test_with_vectors_of_two_models_each_has_its_own_backlog(store: MaintenanceStore, log: Log) -> None:
    log.fact("new", embedded=False)
    log.fact("other", embedded=False)
    log.add(MemoryEmbedded(memory_id=MemoryId("other"), embedding=VECTOR.model_copy(update={"model": "other"})))
    apply(store, log)
    waiting = {model: [memory.memory_id for memory in store.unembedded(model, 9)] for model in (MODEL, "other")}
    assert waiting == {MODEL: ["new", "other"], "other": ["new", "c", "b", "a"]}
    assert [store.backlog(model).memories for model in (MODEL, "other", "a third")] == [2, 4, 5]
    assert store.backlog(MODEL, without=["new"]).memories == 1
    of = [(scope_of(user), MemoryId(name)) for user, name in ((ANNA, "new"), (ANNA, "other"), (ANNA, "a"), (BEN, "new"))]
    assert store.still_unembedded(MODEL, of) == {"new", "other"}
    assert store.still_unembedded("other", of) == {"new", "a"}


def test_what_waits_for_its_first_vector_is_found_by_an_index(store: MaintenanceStore, log: Log) -> None:
    apply(store, log)
    with store.transaction() as db:
        made = str(_WITHOUT_ANY.compile(db)).replace("?", "9")
        [(*_, plan)] = db.exec_driver_sql(f"EXPLAIN QUERY PLAN {made}")
    assert plan == "SCAN memory USING INDEX memory_without_vector"


def test_only_what_may_be_embedded_is_news(store: MaintenanceStore, log: Log) -> None:
    apply(store, log)
    assert store.news.count == 3
    log.add(MemoryRetired(memory_id=MemoryId("a"), reason="trimmed"))
    apply(store, log)
    assert store.news.count == 6  # delivered twice, they count twice


def _embedding_order(store: MaintenanceStore, model: str = MODEL) -> list[tuple[str, bool]]:
    return [(memory.memory_id, memory.can_wait) for memory in store.unembedded(model, 99)]


def _imported(name: str) -> FactRemembered:
    return FactRemembered(memory_id=MemoryId(name), text=name, manually_saved=False, imported=True)


def test_what_is_said_live_is_embedded_before_what_was_imported_earlier(store: MaintenanceStore) -> None:
    log = Log()
    log.add(_imported("imported"))
    log.fact("live", embedded=False)
    log.add(_imported("imported later"))
    apply(store, log)
    log.fact("live later", embedded=False)
    apply(store, log)
    in_order = [("live later", False), ("live", False), ("imported later", True), ("imported", True)]
    assert _embedding_order(store) == in_order


def test_what_has_a_vector_of_another_model_waits_for_all_that_has_none(store: MaintenanceStore) -> None:
    log = Log()
    log.fact("of the old model")
    log.add(_imported("imported"))
    log.fact("live", embedded=False)
    apply(store, log)
    assert _embedding_order(store, "new") == [("live", False), ("imported", True), ("of the old model", True)]
