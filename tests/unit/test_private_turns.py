"""Turns that are not kept: incognito, memory off; and turns that are commands to the memory."""

from __future__ import annotations

from typing import Any

import pytest

from shared.contracts.envelope import Envelope
from shared.contracts.errors import Forgotten, Incognito, MemoryOff
from shared.contracts.events import EpisodeRecorded, FactRemembered, MemoryPinned, MemoryUnpinned
from shared.contracts.ids import MemoryId, SessionId
from shared.contracts.preferences import PersonSettings
from shared.contracts.privacy import (
    ChatCommandRead,
    EndIncognito,
    ForgetUser,
    IncognitoEnded,
    IncognitoStarted,
    MemoryForgotten,
    StartIncognito,
    UserForgotten,
)
from tests.support.commands import agent_says, change, import_of, pin, recall_of, remember, user_says
from tests.support.paper import PaperLog

RARE = "Quixeldra"
S1 = SessionId("s1")
OFF = PersonSettings(memory_enabled=False)
BY_DEFAULT = PersonSettings(incognito_default=True)


@pytest.fixture
def log() -> PaperLog:
    return PaperLog()


def read(events: list[Envelope]) -> ChatCommandRead:
    [found] = [event.data for event in events if isinstance(event.data, ChatCommandRead)]
    return found


def told(events: list[Envelope], *kinds: type[Any]) -> list[Any]:
    return [event.data for event in events if isinstance(event.data, kinds or EpisodeRecorded)]


def has(log: PaperLog, word: str) -> bool:
    return word.lower() in "".join(event.encode().decode() for event in log.events).lower()


def test_nothing_of_an_incognito_session_is_recorded(log: PaperLog) -> None:
    log.tell(StartIncognito(session_id=S1))
    for command in (user_says(RARE), agent_says(RARE), recall_of({"ep_1": 0.5}).model_copy(update={"session_id": S1})):
        with pytest.raises(Incognito):
            log.tell(command)
    with pytest.raises(Incognito):
        log.tell(remember(RARE).model_copy(update={"session_id": S1}))
    with pytest.raises(Incognito):
        log.tell(import_of([user_says(RARE)]))
    assert told(log.tell(user_says("hello", "s2")))
    log.tell(EndIncognito(session_id=S1))
    assert told(log.tell(user_says("hello")))
    assert not has(log, RARE)


def test_starting_and_ending_incognito_twice_changes_nothing(log: PaperLog) -> None:
    assert log.tell(EndIncognito(session_id=S1)) == []
    assert len(log.tell(StartIncognito(session_id=S1))) == 1
    assert log.tell(StartIncognito(session_id=S1)) == []
    assert len(log.tell(EndIncognito(session_id=S1))) == 1
    assert log.tell(EndIncognito(session_id=S1)) == []


def test_by_default_a_new_session_is_incognito_and_an_old_one_goes_on(log: PaperLog) -> None:
    log.tell(user_says("hello", "old"))
    log.tell(change(BY_DEFAULT))
    assert told(log.tell(user_says("hello again", "old")))
    assert [event.data for event in log.tell(user_says(RARE))] == [IncognitoStarted(session_id=S1, by_default=True)]
    with pytest.raises(Incognito):
        log.tell(user_says(RARE))
    assert not has(log, RARE)


@pytest.mark.parametrize("has_begun", [False, True])
def test_a_session_that_is_to_be_kept_is_kept_whatever_the_default(log: PaperLog, *, has_begun: bool) -> None:
    log.tell(change(BY_DEFAULT))
    if has_begun:
        log.tell(user_says(RARE))
    assert told(log.tell(EndIncognito(session_id=S1)), IncognitoEnded)
    for _ in range(2):
        assert told(log.tell(user_says("hello")))
        log.erase()  # the same after a rebuild


def test_a_fact_told_in_chat_does_not_slip_into_a_session_that_is_incognito_by_default(log: PaperLog) -> None:
    log.tell(change(BY_DEFAULT))
    assert not told(log.tell(user_says(f"Remember that my sister is called {RARE}.")), EpisodeRecorded, FactRemembered)
    assert not has(log, RARE)


def test_with_memory_off_nothing_is_written_and_control_still_works(log: PaperLog) -> None:
    [fact] = told(log.tell(remember("Anna likes tea")), FactRemembered)
    log.tell(change(OFF))
    for command in (user_says(RARE), agent_says(RARE), remember(RARE), import_of([user_says(RARE)]), recall_of({"ep_1": 0.5})):
        with pytest.raises(MemoryOff):
            log.tell(command)
    assert told(log.tell(pin(fact.memory_id)), MemoryPinned)
    assert told(log.tell(user_says("Forget what I said about tea.")), MemoryForgotten)
    assert read(log.tell(user_says("Turn memory on"))).outcome == "done"
    assert told(log.tell(user_says("hello")))
    assert not has(log, RARE)


def test_forget_that_takes_the_last_thing_said_and_is_not_recorded_itself(log: PaperLog) -> None:
    log.tell(user_says("I have a red bicycle."))
    [last] = told(log.tell(user_says(f"My sister is called {RARE}.")))
    events = log.tell(user_says("Forget that", message_id="f1"))
    assert read(events).outcome == "done"
    assert read(events).message_id == "f1"
    assert told(events, MemoryForgotten)[0].memory_ids[0] == last.memory_id
    assert not told(events)
    log.erase()
    assert not has(log, RARE)


def test_that_is_what_was_recalled_for_a_question(log: PaperLog) -> None:
    [fact] = told(log.tell(remember("Anna likes green tea")), FactRemembered)
    log.tell(user_says("What do I like to drink?"))
    log.tell(recall_of({fact.memory_id: 0.9}).model_copy(update={"session_id": S1}))
    assert fact.memory_id in told(log.tell(user_says("Forget that")), MemoryForgotten)[0].memory_ids


def test_forget_about_a_topic_does_not_record_the_topic(log: PaperLog) -> None:
    log.tell(user_says(f"My sister is called {RARE}."))
    log.tell(user_says(f"Forget what I said about {RARE}"))
    log.erase()
    assert not has(log, RARE)
    assert read(log.tell(user_says("Forget what I said about Zanzibar"))).outcome == "nothing_found"


@pytest.mark.parametrize(("answer", "outcome"), [("yes", "done"), ("no", "declined")])
def test_forgetting_everything_is_asked_back(log: PaperLog, answer: str, outcome: str) -> None:
    log.tell(user_says(f"My sister is called {RARE}."))
    assert read(log.tell(user_says("Forget everything about me"))).outcome == "asked_back"
    events = log.tell(user_says(answer))
    assert read(events).outcome == outcome
    assert bool(told(events, UserForgotten)) is (outcome == "done")
    log.erase()
    assert has(log, RARE) is (outcome == "declined")
    if outcome == "done":
        assert all(not event.user for event in log.events)
        assert read(events).session_id == ""  # the name of a session may name its user


@pytest.mark.parametrize("private", [StartIncognito(session_id=S1), change(OFF)])
def test_a_yes_long_after_another_turn_forgets_nothing_where_nothing_is_recorded(log: PaperLog, private: Any) -> None:  # noqa: ANN401
    log.tell(user_says("I have a red bicycle."))
    log.tell(private)
    assert read(log.tell(user_says("Forget everything about me"))).outcome == "asked_back"
    assert read(log.tell(user_says(f"Tell me a joke about {RARE}."))).outcome == "declined"
    with pytest.raises((Incognito, MemoryOff)):
        log.tell(user_says("yes"))
    assert not has(log, RARE)


def test_another_turn_closes_the_question(log: PaperLog) -> None:
    log.tell(user_says("Forget everything about me"))
    log.tell(user_says("Tell me a joke."))
    assert not told(log.tell(user_says("yes")), UserForgotten)


def test_a_long_chat_is_forgotten_whole(log: PaperLog) -> None:
    for number in range(230):
        log.tell(user_says(f"Turn {number} about thing{number}."))
    assert read(log.tell(user_says("Forget this chat"))).outcome == "asked_back"
    log.tell(user_says("yes"))
    assert not log.words().told


def test_a_yes_takes_all_that_was_asked_about_however_much(log: PaperLog) -> None:
    log.tell(user_says("I work as a pastry chef in Leeds."))
    for number in range(430):
        log.tell(user_says(f"{RARE} has cat number {number}."))
    asked = told(log.tell(user_says(f"Forget what I said about {RARE}")), ChatCommandRead)
    assert [event.outcome for event in asked] == ["asked_back"] * 3
    log.erase()  # the same after a rebuild
    assert read(log.tell(user_says("yes"))).outcome == "done"
    log.erase()
    assert not has(log, RARE)
    assert has(log, "pastry")


def test_pin_unpin_and_remember_that(log: PaperLog) -> None:
    [fact] = told(log.tell(user_says("Remember that I am allergic to peanuts.")), FactRemembered)
    assert told(log.tell(user_says("Unpin what you know about peanuts")), MemoryUnpinned) or not fact.pinned
    assert MemoryPinned(memory_id=MemoryId(fact.memory_id)) in told(
        log.tell(user_says("Pin what you know about peanuts")), MemoryPinned
    )


def test_pin_this_with_a_fact_remembers_and_pins_it(log: PaperLog) -> None:
    log.tell(user_says("I have a red bicycle."))
    events = log.tell(user_says("Pin this: I am allergic to peanuts."))
    [fact] = told(events, FactRemembered)
    assert (fact.text, fact.pinned, fact.manually_saved) == ("The user is allergic to peanuts.", True, True)
    assert (read(events).command, read(events).outcome) == ("pin_that", "done")
    assert fact.memory_id in read(events).memory_ids
    log.tell(StartIncognito(session_id=S1))
    with pytest.raises(Incognito):
        log.tell(user_says(f"Pin this: my sister is {RARE}."))


@pytest.mark.parametrize(
    ("text", "outcome"),
    [("Turn memory off", "done"), ("Turn memory on", "done"), ("Start incognito for this chat", "done")],
)
def test_switches_in_chat(log: PaperLog, text: str, outcome: str) -> None:
    log.tell(user_says("hello"))
    assert read(log.tell(user_says(text))).outcome == outcome


def test_a_turn_that_was_a_command_is_known_by_its_own_words(log: PaperLog) -> None:
    """Not by those of the fact that it told."""
    turn = user_says("Remember that I am allergic to peanuts.", message_id="m1")
    assert told(log.tell(turn), FactRemembered)
    assert not log.tell(turn)
    log.tell(ForgetUser())
    log.erase()
    with pytest.raises(Forgotten):
        log.tell(import_of([user_says(turn.text)]))
