"""Turns that are sent together are decided as if each had been sent by itself."""

from contextlib import suppress

import pytest

from services.ingest.command_group import CommandGroup, Decided, read
from services.ingest.domain.state import NOTHING_RECORDED
from shared.contracts.commands import AddedTurn, AddTurns, Turn
from shared.contracts.errors import IdReused, NotRecorded
from shared.contracts.ids import MessageId, SessionId
from tests.support.commands import agent_says, turn, user_says
from tests.support.paper import PaperLog
from tests.support.sent import sent

TALKS = [
    [user_says("I like tea.", message_id="m1"), agent_says("Noted.", message_id="m2"), user_says("And jazz.", message_id="m3")],
    [user_says("Remember that I live in Leeds.", message_id="m1"), agent_says("I will.", message_id="m2")],
    [
        user_says("I like tea.", message_id="m1"),
        user_says("Forget that.", message_id="m2"),
        agent_says("Done.", message_id="m3"),
    ],
    [user_says("Turn memory off.", message_id="m1"), agent_says("It is off.", message_id="m2")],
]


def together(turns: list[Turn], message_id: str | None = None) -> AddTurns:
    names = set(AddedTurn.model_fields) - {"role"}
    said = [AddedTurn(role=each.role, **{name: getattr(each, name) for name in names}) for each in turns]
    return AddTurns(session_id=SessionId("s1"), turns=tuple(said), message_id=MessageId(message_id) if message_id else None)


def decided_on(command: AddTurns) -> Decided:
    message = sent(command)
    group = CommandGroup([read(message)])
    group.decide({message.scope: NOTHING_RECORDED})
    [decided] = group.decided
    return decided


def told(log: PaperLog) -> list[tuple[str, str | None]]:
    return [(event.type, getattr(event.data, "text", None)) for event in log.events]


@pytest.mark.parametrize("talk", TALKS)
def test_they_lead_to_the_events_of_the_same_turns_one_by_one(talk: list[Turn]) -> None:
    at_once, one_by_one = PaperLog(), PaperLog()
    at_once.tell(together(talk))
    for each in talk:
        with suppress(NotRecorded):
            one_by_one.tell(each)
    assert told(at_once) == told(one_by_one)


def test_sent_again_they_change_nothing() -> None:
    log = PaperLog()
    log.tell(together(TALKS[0], "t1"))
    assert log.tell(together(TALKS[0], "t2")) == []
    nameless = [turn("hello"), agent_says("hi")]
    assert len(log.tell(together(nameless, "t3"))) == 2
    assert log.tell(together(nameless, "t3")) == []


def test_an_id_that_stands_for_other_words_is_refused_with_all_of_them() -> None:
    log = PaperLog()
    with pytest.raises(IdReused, match=r"turns\.1"):
        log.tell(together([user_says("one", message_id="m1"), user_says("two", message_id="m1")]))
    assert log.events == []


def test_what_is_not_recorded_of_them_does_not_stay_where_it_was_in_transit() -> None:
    assert not decided_on(together(TALKS[0])).keeps_no_words
    kept_in_part = decided_on(together([user_says("I like tea."), user_says("Off the record: I quit my job.")]))
    assert [event.data.text for event in kept_in_part.events if event.type == "episode_recorded"] == ["I like tea."]  # type: ignore[attr-defined]
    assert kept_in_part.keeps_no_words
