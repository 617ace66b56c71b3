"""Pinned, confirmed, restored: what a person decides about a memory. What holds already leads to no event."""

from collections.abc import Callable

import pytest

from services.ingest.domain.memories import Status
from shared.contracts.command import OfMemory
from shared.contracts.errors import IdReused, NotAFact, Superseded, UnknownMemory
from shared.contracts.events import EpisodeRecorded, FactConfirmed, FactRemembered, MemoryRestored
from shared.contracts.ids import MemoryId
from tests.support.commands import cap, confirm, correct, extracted, page, pin, remember, restore, unpin, user_says
from tests.support.paper import PaperLog

UNKNOWN = "fact_000000000000000000000000"
Named = Callable[..., OfMemory]


def types(log: PaperLog, command: OfMemory) -> list[str]:
    return [event.type for event in log.tell(command)]


def learned(log: PaperLog, text: str = "Anna likes tea", importance: float = 0.5) -> MemoryId:
    if not log.state.sessions:
        log.tell(user_says("hi", "s1"))
    (event, *_) = log.tell(page(extracted(text, importance=importance), number=log.state.number))
    assert isinstance(event.data, FactRemembered)
    return event.data.memory_id


def episode(log: PaperLog) -> MemoryId:
    *_, event = log.tell(user_says("hello", "s1"))
    assert isinstance(event.data, EpisodeRecorded)
    return event.data.memory_id


def retired(log: PaperLog) -> MemoryId:
    """A fact that was trimmed, while a stronger one fills the cap."""
    weak, _ = learned(log, importance=0.1), learned(log, "Ben rows boats", importance=0.9)
    log.tell(cap(1))
    assert log.state.memories[weak].status is Status.RETIRED
    return weak


@pytest.mark.parametrize("make", [learned, episode])
def test_any_memory_can_be_pinned_and_unpinned(make: Callable[[PaperLog], MemoryId]) -> None:
    log = PaperLog()
    memory_id = make(log)
    assert types(log, pin(memory_id)) == ["memory_pinned"]
    assert log.state.memories[memory_id].pinned
    assert types(log, unpin(memory_id)) == ["memory_unpinned"]
    assert not log.state.memories[memory_id].pinned


def test_pinning_and_unpinning_twice_records_one_event() -> None:
    log = PaperLog()
    memory_id = learned(log)
    log.tell(pin(memory_id))
    assert log.tell(pin(memory_id)) == []
    log.tell(unpin(memory_id))
    assert log.tell(unpin(memory_id)) == []


def test_confirming_makes_certain_once() -> None:
    log = PaperLog()
    memory_id = learned(log)
    (event,) = log.tell(confirm(memory_id))
    assert event.data == FactConfirmed(memory_id=memory_id, confidence=1.0, decay_rate=0.0, confidence_before=0.8)
    assert log.tell(confirm(memory_id)) == []


def test_a_fact_saved_by_hand_can_still_be_confirmed_for_it_would_decay() -> None:
    log = PaperLog()
    (event,) = log.tell(remember())
    assert isinstance(event.data, FactRemembered)
    assert types(log, confirm(event.data.memory_id)) == ["fact_confirmed"]


def test_what_was_trimmed_is_restored_and_another_is_trimmed_for_it() -> None:
    log = PaperLog()
    weak = retired(log)
    events = [event.data for event in log.tell(restore(weak))]
    assert [data.event_type for data in events] == ["memory_restored", "memory_retired"]
    assert events[0] == MemoryRestored(memory_id=weak, was="trimmed", confidence=0.8, confidence_before=0.8)
    assert log.state.memories[weak].status is Status.LIVE
    assert log.state.live == 1


def test_what_was_just_restored_may_go_with_the_next_fact() -> None:
    log = PaperLog()
    weak = retired(log)
    log.tell(restore(weak))
    learned(log, "Cleo sings", importance=0.9)
    assert log.state.memories[weak].status is Status.RETIRED


def test_what_is_live_needs_no_restoring() -> None:
    log = PaperLog()
    assert log.tell(restore(learned(log))) == []


def test_pinning_a_retired_memory_brings_it_back_for_good() -> None:
    log = PaperLog()
    weak = retired(log)
    assert types(log, pin(weak)) == ["memory_restored", "memory_pinned", "memory_retired"]
    learned(log, "Cleo sings", importance=0.9)
    assert log.state.memories[weak].status is Status.LIVE


def test_confirming_a_retired_fact_brings_it_back() -> None:
    log = PaperLog()
    weak = retired(log)
    assert types(log, confirm(weak)) == ["memory_restored", "fact_confirmed", "memory_retired"]
    assert log.state.memories[weak].status is Status.LIVE


def test_unpinning_beyond_the_cap_trims_at_once() -> None:
    log = PaperLog()
    first, second = learned(log), learned(log, "Ben rows boats")
    log.tell(pin(first))
    log.tell(pin(second))
    log.tell(cap(1))
    assert types(log, unpin(first)) == ["memory_unpinned", "memory_retired"]
    assert log.state.memories[first].status is Status.RETIRED


@pytest.mark.parametrize("command", [pin, unpin, confirm, restore])
def test_a_memory_that_is_not_known_is_refused(command: Named) -> None:
    with pytest.raises(UnknownMemory):
        PaperLog().tell(command(UNKNOWN))


def test_a_turn_cannot_be_confirmed() -> None:
    log = PaperLog()
    with pytest.raises(NotAFact):
        log.tell(confirm(episode(log)))


@pytest.mark.parametrize("command", [pin, confirm])
def test_what_was_superseded_is_refused_and_the_newer_one_named(command: Named) -> None:
    log = PaperLog()
    old = learned(log)
    new = log.tell(correct(old))[0].data
    with pytest.raises(Superseded, match=new.memory_id):  # type: ignore[attr-defined]
        log.tell(command(old))


def test_a_superseded_memory_that_is_pinned_can_be_unpinned() -> None:
    log = PaperLog()
    old = learned(log)
    log.tell(pin(old))
    log.tell(correct(old))
    assert types(log, unpin(old)) == ["memory_unpinned"]


@pytest.mark.parametrize("command", [pin, unpin, confirm, restore])
def test_one_id_stands_for_one_memory(command: Named) -> None:
    log = PaperLog()
    first, second = learned(log), learned(log, "Ben rows boats")
    if command is unpin:
        log.tell(pin(first))
    if command is restore:
        log.tell(cap(1))
        first = next(m for m, memory in log.state.memories.items() if memory.status is Status.RETIRED)
        second = next(m for m in log.state.facts if m != first)
    assert log.tell(command(first, message_id="1"))
    assert log.tell(command(first, message_id="1")) == []
    with pytest.raises(IdReused):
        log.tell(command(second, message_id="1"))
