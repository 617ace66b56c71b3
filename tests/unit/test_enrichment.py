"""What later methods find out about a memory."""

import pytest

from shared.contracts.errors import UnknownMemory
from shared.contracts.events import EpisodeRecorded, FactRemembered, MemoryEmbedded, MemoryEnriched
from shared.contracts.ids import MemoryId
from shared.contracts.parts import Entity
from shared.contracts.privacy import Forget
from tests.support.commands import embed_together, extracted, find_more, page, remember, user_says
from tests.support.paper import PaperLog

BEN = (Entity(name="Ben", type="person", start=0, end=3, confidence=0.9),)


def learned(log: PaperLog, text: str = "Ben sings") -> MemoryId:
    log.tell(user_says("hi", "s1"))
    (event,) = log.tell(page(extracted(text)))
    assert isinstance(event.data, FactRemembered)
    return event.data.memory_id


def found(log: PaperLog, memory_id: MemoryId, *, tags: tuple[str, ...] = (), confidence: float = 0.9) -> MemoryEnriched:
    (event,) = log.tell(find_more(memory_id, entities=BEN, tags=tags, confidence=confidence))
    assert isinstance(event.data, MemoryEnriched)
    return event.data


def test_sure_findings_raise_the_importance_of_a_fact_by_two_tenths_once() -> None:
    log = PaperLog()
    memory_id = learned(log)
    first = found(log, memory_id)
    assert first.importance
    assert (first.importance_before, first.importance.value) == (0.5, 0.7)
    (again,) = log.tell(find_more(memory_id, entities=BEN, method="ner/2"))
    assert isinstance(again.data, MemoryEnriched)
    assert again.data.importance is None
    assert log.state.facts[memory_id].importance == 0.7


def test_unsure_findings_leave_it() -> None:
    log = PaperLog()
    assert found(log, learned(log), confidence=0.5).importance is None


def test_only_tags_that_are_new_are_named() -> None:
    log = PaperLog()
    log.tell(remember("Ben sings", tags=("music",)))
    (memory_id,) = log.state.facts
    assert found(log, memory_id, tags=("Music", "choir", "choir")).added_tags == ("choir",)


def test_the_same_finding_again_is_no_event() -> None:
    log = PaperLog()
    memory_id = learned(log)
    found(log, memory_id)
    assert log.tell(find_more(memory_id, entities=BEN)) == []


def test_a_turn_can_be_enriched_and_has_no_importance() -> None:
    log = PaperLog()
    *_, said = log.tell(user_says("Ben sings"))
    assert isinstance(said.data, EpisodeRecorded)
    enriched = found(log, said.data.memory_id, tags=("music",))
    assert (enriched.importance, enriched.added_tags) == (None, ("music",))


def test_a_repeat_does_not_lose_what_was_found() -> None:
    log = PaperLog()
    memory_id = learned(log)
    found(log, memory_id)
    log.tell(page(extracted("Ben sings"), number=1))
    assert log.state.facts[memory_id].parts["entities"] == 0.2
    assert log.state.facts[memory_id].importance > 0.7


def test_a_memory_that_is_not_known_is_refused() -> None:
    with pytest.raises(UnknownMemory):
        PaperLog().tell(find_more("fact_000000000000000000000000"))


def facts_of(log: PaperLog, *texts: str) -> list[MemoryId]:
    return [event.data.memory_id for text in texts for event in log.tell(remember(text))]  # type: ignore[attr-defined]


def embedded(log: PaperLog, *memory_ids: str) -> list[MemoryId]:
    events = log.tell(embed_together(*memory_ids))
    assert all(isinstance(event.data, MemoryEmbedded) for event in events)
    return [event.data.memory_id for event in events]  # type: ignore[attr-defined]


def test_vectors_that_come_together_are_recorded_as_if_each_had_come_alone() -> None:
    together, alone = PaperLog(), PaperLog()
    for log in (together, alone):
        memory_ids = facts_of(log, "Ben sings", "Cleo paints", "Dora rows")
    assert embedded(together, *memory_ids) == memory_ids
    for each in memory_ids:
        embedded(alone, each)
    assert [event.event_id for event in together.events] == [event.event_id for event in alone.events]
    assert [event.causation_id for event in together.events] == [event.causation_id for event in alone.events]


def test_a_vector_that_comes_again_with_others_counts_once() -> None:
    log = PaperLog()
    first, second, third = facts_of(log, "Ben sings", "Cleo paints", "Dora rows")
    assert embedded(log, first, second) == [first, second]
    assert embedded(log, second, third, first) == [third]
    assert embedded(log, third) == []


def test_of_vectors_that_come_together_those_of_memories_that_are_gone_are_left_out() -> None:
    log = PaperLog()
    first, second = facts_of(log, "Ben sings", "Cleo paints")
    assert embedded(log, "fact_000000000000000000000000", second, "fact_000000000000000000000001", first) == [second, first]
    with pytest.raises(UnknownMemory):
        embedded(log, "fact_000000000000000000000000", "fact_000000000000000000000001")


def test_vectors_that_are_known_lead_to_nothing_again_though_their_memories_are_gone() -> None:
    log = PaperLog()
    first, second, third = facts_of(log, "Ben sings", "Cleo paints", "Dora rows")
    assert embedded(log, first, second) == [first, second]
    log.tell(Forget(memory_ids=(first, second)))
    assert embedded(log, first, second) == []
    assert embedded(log, first, third) == [third]
