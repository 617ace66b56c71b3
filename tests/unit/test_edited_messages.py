"""A message that is edited is kept as edited: the old text is erased, the new one stands where it stood and is learned from."""

from __future__ import annotations

from datetime import timedelta

import pytest

from services.ingest.domain.recollection import ToldMemory
from shared.contracts.commands import EditMessage, EndSession
from shared.contracts.errors import IdReused, MemoryOff, UnknownMemory
from shared.contracts.events import EpisodeRecorded, SessionCompleted
from shared.contracts.ids import MessageId, SessionId
from shared.contracts.preferences import PersonSettings
from shared.contracts.privacy import Forget, MemoryForgotten
from tests.support.commands import agent_says, change, user_says
from tests.support.paper import AT_ONCE, PaperLog
from tests.support.scopes import T0
from tests.unit.test_forgetting import SOON, facts, ids

TUESDAY, WEDNESDAY = "My sister Marta is arriving on Tuesday at 9.", "My sister Marta is arriving on Wednesday at 9."


def edit(text: str, message_id: str = "m1", *, by: str | None = None) -> EditMessage:
    return EditMessage(edited_message_id=MessageId(message_id), text=text, message_id=MessageId(by) if by else None)


@pytest.fixture
def log() -> PaperLog:
    log = PaperLog(AT_ONCE)
    log.tell(user_says("I work as a pastry chef.", "s1", message_id="m0"))
    log.tell(user_says(TUESDAY, "s1", message_id="m1"))
    return log


def texts(log: PaperLog) -> list[str]:
    return [each.texts[0] for each in log.words().told.values()]


def turn(log: PaperLog, text: str) -> ToldMemory:
    return next(each for each in log.words().told.values() if each.texts == (text,))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (TUESDAY, WEDNESDAY),
        ("I moved to Lyon in May.", "I moved to Lyon in April."),
        ("Meine Schwester kommt am Dienstag.", "Meine Schwester kommt am Mittwoch."),
        ("Mi hermana llega el martes.", "Mi hermana llega el miércoles."),
        ("Ma soeur arrive mardi.", "Ma soeur arrive mercredi."),
        ("I liek tea", "I like tea"),
    ],
)
def test_the_new_text_stands_where_the_old_one_stood(old: str, new: str) -> None:
    log = PaperLog(AT_ONCE)
    log.tell(user_says(old, "s1", message_id="m1", speaker="Ben"), now=T0)
    log.tell(edit(new), now=SOON)
    [said] = log.words().told.values()
    assert (said.texts, said.session_id, said.speaker, said.said_at) == ((new,), "s1", "Ben", T0)
    [event] = [each for each in log.events if isinstance(each.data, EpisodeRecorded) and each.data.text == new]
    assert isinstance(event.data, EpisodeRecorded)
    assert not event.data.held_back
    log.erase()
    assert old not in "".join(each.encode().decode() for each in log.events)
    assert texts(log) == [new]


def test_what_was_learned_from_the_old_text_only_goes(log: PaperLog) -> None:
    told = turn(log, TUESDAY)
    log.tell(facts(told.memory_id, "The user's sister Marta is arriving on Tuesday at 9", "The user has a sister"))
    log.tell(agent_says("Marta on Tuesday, noted.", "s1"))
    log.tell(edit(WEDNESDAY), now=SOON)
    assert texts(log) == ["I work as a pastry chef.", WEDNESDAY]
    new = turn(log, WEDNESDAY)
    assert ids(log.tell(facts(new.memory_id, "The user's sister Marta is arriving on Wednesday at 9", run="run/1")), "fact")


def test_a_session_that_was_learned_from_is_learned_from_again(log: PaperLog) -> None:
    log.tell(EndSession(session_id=SessionId("s1")))
    events = log.tell(edit(WEDNESDAY), now=SOON)
    assert isinstance(events[-1].data, SessionCompleted)
    assert not any(isinstance(event.data, SessionCompleted) for event in log.tell(user_says("Hello again.", "s1")))
    assert not any(isinstance(event.data, SessionCompleted) for event in log.tell(edit(TUESDAY), now=SOON))


def test_a_message_is_edited_again_forgotten_and_never_comes_back_as_it_was(log: PaperLog) -> None:
    log.tell(edit("My sister Marta is arriving on Wednesday.", by="e1"), now=SOON)
    log.erase()
    log.tell(edit(WEDNESDAY, by="e2"), now=SOON)
    assert log.tell(edit(WEDNESDAY, by="e2"), now=SOON) == []
    assert log.tell(edit(WEDNESDAY, by="e3"), now=SOON) == []
    assert texts(log) == ["I work as a pastry chef.", WEDNESDAY]
    with pytest.raises(IdReused):
        log.tell(user_says(TUESDAY, "s1", message_id="m1"))
    log.tell(Forget(deleted_message_id=MessageId("m1")), now=SOON + timedelta(hours=1))
    assert texts(log) == ["I work as a pastry chef."]


def test_every_event_of_an_edit_has_an_id_of_its_own(log: PaperLog) -> None:
    log.tell(EndSession(session_id=SessionId("s1")))
    for number, text in enumerate((WEDNESDAY, TUESDAY, WEDNESDAY)):
        log.tell(edit(text, by=f"e{number}"), now=SOON)
    assert len({event.event_id for event in log.events}) == len(log.events)


def test_an_edit_that_asks_not_to_be_kept_erases_the_old_text_and_is_not_recorded(log: PaperLog) -> None:
    events = log.tell(edit("Don't save this: Marta is arriving on Wednesday."), now=SOON)
    assert [type(event.data) for event in events] == [MemoryForgotten]
    assert texts(log) == ["I work as a pastry chef."]


def test_what_is_not_known_is_not_edited(log: PaperLog) -> None:
    with pytest.raises(UnknownMemory):
        log.tell(edit(WEDNESDAY, "m9"))
    log.tell(change(PersonSettings(memory_enabled=False)))
    with pytest.raises(MemoryOff):
        log.tell(edit(WEDNESDAY))
    assert TUESDAY in texts(log)
