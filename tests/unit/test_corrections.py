"""A corrected fact: the new one stands in its place, and the chain can be read both ways."""

import pytest

from services.ingest.domain.memories import Status
from services.ingest.domain.policy import Policy
from shared.contracts.commands import CorrectFact
from shared.contracts.errors import IdReused, NotAFact, Superseded, UnknownMemory
from shared.contracts.events import EpisodeRecorded, FactCorrected, FactRemembered, FactSuperseded, MemoryRepeated
from shared.contracts.ids import MemoryId
from tests.support.commands import cap, correct, extracted, page, pin, remember, restore, user_says
from tests.support.paper import PaperLog


def remembered(log: PaperLog, text: str = "Anna lives in Rome", tags: tuple[str, ...] = ()) -> MemoryId:
    (event,) = log.tell(remember(text, tags=tags))
    assert isinstance(event.data, FactRemembered)
    return event.data.memory_id


def corrected(log: PaperLog, command: CorrectFact) -> tuple[FactCorrected, FactSuperseded]:
    first, second = (event.data for event in log.tell(command))
    assert isinstance(first, FactCorrected)
    assert isinstance(second, FactSuperseded)
    return first, second


def test_the_new_fact_names_the_old_one_and_the_old_one_the_new() -> None:
    log = PaperLog()
    old = remembered(log)
    new, ended = corrected(log, correct(old, "Anna lives in Oslo"))
    assert (new.corrects, ended.memory_id, ended.superseded_by) == (old, old, new.memory_id)
    assert log.state.facts[new.memory_id].corrects == old
    assert log.state.facts[old].superseded_by == new.memory_id
    assert log.state.memories[old].status is Status.SUPERSEDED
    assert log.state.live == 1


def test_the_old_confidence_falls_to_three_tenths_and_what_it_was_is_kept() -> None:
    log = PaperLog()
    log.tell(user_says("hi", "s1"))
    (event,) = log.tell(page(extracted("Anna lives in Rome")))
    assert isinstance(event.data, FactRemembered)
    _, ended = corrected(log, correct(event.data.memory_id, "Anna lives in Oslo"))
    assert (ended.confidence_before, ended.confidence) == (0.8, 0.3)


def test_a_correction_is_certain_saved_by_hand_and_weighed_by_the_rules() -> None:
    log = PaperLog()
    new, _ = corrected(log, correct(remembered(log), "Anna lives in Oslo"))
    assert (new.confidence, new.manually_saved) == (1.0, True)
    assert new.importance_parts["asked"] == 0.5


def test_a_pinned_fact_is_pinned_in_its_new_words() -> None:
    log = PaperLog()
    old = remembered(log)
    log.tell(pin(old))
    new, _ = corrected(log, correct(old, "Anna lives in Oslo"))
    assert new.pinned
    assert log.state.memories[new.memory_id].pinned


def test_a_correction_is_pinned_where_manual_saves_are() -> None:
    log = PaperLog(Policy(pin_manual_saves=True))
    new, _ = corrected(log, correct(remembered(log), "Anna lives in Oslo"))
    assert new.pinned


def test_the_tags_of_the_old_fact_count_for_the_new_one() -> None:
    log = PaperLog()
    old = remembered(log, tags=("home",))
    new, _ = corrected(log, correct(old, "Anna lives in Oslo", tags=("north",)))
    (again,) = log.tell(remember("Anna lives in Oslo", tags=("home", "north", "city")))
    assert isinstance(again.data, MemoryRepeated)
    assert (again.data.memory_id, again.data.added_tags) == (new.memory_id, ("city",))


def test_a_chain_of_corrections_keeps_every_link() -> None:
    log = PaperLog()
    chain = [remembered(log)]
    for town in ("Oslo", "Bergen", "Paris"):
        chain.append(corrected(log, correct(chain[-1], f"Anna lives in {town}"))[0].memory_id)
    assert [log.state.facts[one].superseded_by for one in chain] == [*chain[1:], None]
    assert [log.state.facts[one].corrects for one in chain] == [None, *chain[:-1]]
    assert log.state.live == 1


def test_the_same_words_again_change_nothing() -> None:
    log = PaperLog()
    old = remembered(log)
    assert log.tell(correct(old, "Anna lives in Rome")) == []


def test_the_same_words_in_another_spelling_are_a_correction() -> None:
    log = PaperLog()
    old = remembered(log, "Anna lives in rome")
    new, _ = corrected(log, correct(old, "Anna lives in Rome"))
    assert new.text == "Anna lives in Rome"


def test_the_same_correction_again_changes_nothing_even_without_an_id() -> None:
    log = PaperLog()
    old = remembered(log)
    corrected(log, correct(old, "Anna lives in Oslo"))
    assert log.tell(correct(old, "Anna lives in Oslo")) == []


def test_a_superseded_fact_cannot_be_corrected_and_the_refusal_names_the_newer_one() -> None:
    log = PaperLog()
    old = remembered(log)
    new, _ = corrected(log, correct(old, "Anna lives in Oslo"))
    with pytest.raises(Superseded, match=new.memory_id):
        log.tell(correct(old, "Anna lives in Paris"))


def test_a_correction_that_says_what_another_fact_says_is_a_repeat_of_that_one() -> None:
    log = PaperLog()
    old, other = remembered(log), remembered(log, "Anna rows at noon")
    repeated, ended = (event.data for event in log.tell(correct(old, "Anna rows at noon.")))
    assert isinstance(repeated, MemoryRepeated)
    assert isinstance(ended, FactSuperseded)
    assert (repeated.memory_id, ended.memory_id, ended.superseded_by) == (other, old, other)
    assert log.state.live == 1
    assert log.tell(correct(old, "Anna rows at noon.")) == []


def test_a_retired_fact_can_be_corrected() -> None:
    log = PaperLog()
    log.tell(user_says("hi", "s1"))
    first, second = (event.data for event in log.tell(page(extracted("Ben rows", importance=0.1), extracted("Eva sings"))))
    assert isinstance(first, FactRemembered)
    log.tell(cap(1))
    assert log.state.memories[first.memory_id].status is Status.RETIRED
    new, _ = corrected_first(log, correct(first.memory_id, "Ben rows boats"))
    assert log.state.memories[first.memory_id].status is Status.SUPERSEDED
    assert new.corrects == first.memory_id
    assert isinstance(second, FactRemembered)


def corrected_first(log: PaperLog, command: CorrectFact) -> tuple[FactCorrected, FactSuperseded]:
    first, second, *_ = (event.data for event in log.tell(command))
    assert isinstance(first, FactCorrected)
    assert isinstance(second, FactSuperseded)
    return first, second


def test_a_superseded_fact_that_is_restored_has_its_confidence_back_and_both_are_live() -> None:
    log = PaperLog()
    old = remembered(log)
    new, _ = corrected(log, correct(old, "Anna lives in Oslo"))
    event, asked = log.tell(restore(old))
    assert asked.type == "conflict_detected"
    assert (event.data.was, event.data.confidence, event.data.superseded_by) == ("superseded", 1.0, new.memory_id)  # type: ignore[attr-defined]
    assert log.state.live == 2
    assert log.state.facts[old].superseded_by is None


def test_only_facts_that_are_known_can_be_corrected() -> None:
    log = PaperLog()
    *_, said = log.tell(user_says("hi", "s1"))
    assert isinstance(said.data, EpisodeRecorded)
    with pytest.raises(NotAFact):
        log.tell(correct(said.data.memory_id))
    with pytest.raises(UnknownMemory):
        log.tell(correct("fact_000000000000000000000000"))


def test_a_correction_has_one_effect_for_its_id_and_one_text() -> None:
    log = PaperLog()
    old = remembered(log)
    new, _ = corrected(log, correct(old, "Anna lives in Oslo", message_id="c1"))
    assert log.tell(correct(old, "Anna lives in Oslo", message_id="c1")) == []
    with pytest.raises(IdReused):
        log.tell(correct(old, "Anna lives in Paris", message_id="c1"))
    assert list(log.state.seen.values())[-1].memory_id == new.memory_id
