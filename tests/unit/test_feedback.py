"""Whether a memory helped, as somebody says: recorded without a word, once for each message_id, and only of what is known."""

import pytest

from shared.contracts.errors import IdReused, MemoryOff, UnknownMemory
from shared.contracts.feedback import FeedbackRecorded, RecordFeedback
from shared.contracts.ids import MemoryId, MessageId, RecallId
from shared.contracts.preferences import PersonSettings
from tests.support.commands import change, remember
from tests.support.paper import PaperLog


@pytest.fixture
def log() -> PaperLog:
    return PaperLog()


def opinion(memory_id: str, *, helped: bool = True, message_id: str | None = None) -> RecordFeedback:
    named = MessageId(message_id) if message_id else None
    return RecordFeedback(memory_id=MemoryId(memory_id), helped=helped, recall_id=RecallId("rec_1"), message_id=named)


def known(log: PaperLog) -> MemoryId:
    (event,) = log.tell(remember())
    assert event.data.subject
    return event.data.subject


@pytest.mark.parametrize("helped", [True, False])
def test_an_opinion_about_a_memory_is_recorded_with_the_context_that_handed_it_out(log: PaperLog, *, helped: bool) -> None:
    memory_id = known(log)
    (event,) = log.tell(opinion(memory_id, helped=helped))
    assert event.data == FeedbackRecorded(memory_id=memory_id, helped=helped, recall_id=RecallId("rec_1"))


def test_it_changes_nothing_of_the_memory(log: PaperLog) -> None:
    memory_id = known(log)
    before = log.state.facts[memory_id], log.state.memories[memory_id]
    log.tell(opinion(memory_id, helped=False))
    assert (log.state.facts[memory_id], log.state.memories[memory_id]) == before


def test_sent_again_it_counts_once_and_another_opinion_needs_an_id_of_its_own(log: PaperLog) -> None:
    memory_id = known(log)
    assert len(log.tell(opinion(memory_id, message_id="m1"))) == 1
    assert log.tell(opinion(memory_id, message_id="m1")) == []
    with pytest.raises(IdReused):
        log.tell(opinion(memory_id, helped=False, message_id="m1"))


def test_of_a_memory_that_is_not_known_nothing_is_recorded(log: PaperLog) -> None:
    with pytest.raises(UnknownMemory):
        log.tell(opinion("fact_000000000000000000000000"))


def test_while_memory_is_off_nothing_is_recorded(log: PaperLog) -> None:
    memory_id = known(log)
    log.tell(change(PersonSettings(memory_enabled=False)))
    with pytest.raises(MemoryOff):
        log.tell(opinion(memory_id))


def test_neither_the_command_nor_the_event_can_hold_words() -> None:
    assert not FeedbackRecorded.is_personal()
    assert not FeedbackRecorded.has_words()
