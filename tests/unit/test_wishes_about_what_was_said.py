"""Wishes not to be kept that speak of what was said before: with regret, with a reason, or by pointing there."""

from __future__ import annotations

import pytest

from shared.contracts.envelope import Envelope
from shared.contracts.errors import NotThis
from shared.contracts.events import EpisodeRecorded
from shared.contracts.privacy import ChatCommandRead, MemoryForgotten
from shared.language.commands.command import ChatCommandName
from shared.language.commands.reading import read_chat_command
from tests.support.commands import agent_says, user_says
from tests.support.paper import AT_ONCE, PaperLog
from tests.support.wish_sentences import lines

OF_WHAT_WENT_BEFORE = lines("what_was_said", "before")

OF_ITSELF = lines("what_was_said", "remarks")

OF_BOTH = lines("what_was_said", "both")


@pytest.mark.parametrize("text", OF_WHAT_WENT_BEFORE)
def test_regret_reason_and_pointer_mean_what_went_before(text: str) -> None:
    command = read_chat_command(text)
    assert command is not None
    assert (command.name, command.is_sure) == (ChatCommandName.FORGET_THAT, True)


@pytest.mark.parametrize("text", OF_ITSELF)
def test_a_message_that_tells_something_means_itself(text: str) -> None:
    command = read_chat_command(text)
    assert command is not None
    assert (command.name, command.may_mean_before) == (ChatCommandName.NOT_THIS, False)


@pytest.mark.parametrize("text", OF_BOTH)
def test_what_may_mean_both_does(text: str) -> None:
    command = read_chat_command(text)
    assert command is not None
    assert (command.name, command.may_mean_before) == (ChatCommandName.NOT_THIS, True)


@pytest.mark.parametrize(
    "text",
    [
        "scrap the last message i sent pls",
        "delete the last message I sent",
        "please delete the message I just sent",
        "forget the thing I just told you",
        "erase the part which I just wrote",
        "remove the text i sent just now",
        "forget the last bit that i shared",
    ],
)
def test_what_was_said_is_named_by_a_relative_clause(text: str) -> None:
    command = read_chat_command(text)
    assert command is not None
    assert (command.name, command.is_sure) == (ChatCommandName.FORGET_THAT, True)


@pytest.mark.parametrize(
    "text",
    [
        "delete the message I just sent to Bob",
        "The last message I sent was to my landlord",
        "how do I delete the last message I sent on whatsapp?",
        "I deleted the text I just sent",
        "I shouldn't have told her that, now she's upset",
        "the previous message on my phone was spam",
        "what I just told you is true, really",
        "He said sorry, I shouldn't have told you that",
        "the message I sent before lunch was about the party",
        "It is a secret.",
        "it's a secret!",
    ],
)
def test_what_only_tells_of_it_is_talk(text: str) -> None:
    assert read_chat_command(text) is None


@pytest.mark.parametrize("text", ["keep that a secret", "that was a secret"])
def test_a_secret_that_is_pointed_at_is_asked_about(text: str) -> None:
    command = read_chat_command(text)
    assert command is not None
    assert command.name is ChatCommandName.FORGET_THAT or command.may_mean_before
    assert not command.is_sure


@pytest.mark.parametrize(
    "text",
    [
        "lets keep this one outta the memory bank lol, i got lice from the kindergarden",
        "lets keep this one outta your memory, i got lice",
        "keep this outa ur notes: i got lice",
    ],
)
def test_outta_is_out_of(text: str) -> None:
    command = read_chat_command(text)
    assert command is not None
    assert command.name is ChatCommandName.NOT_THIS


@pytest.fixture
def log() -> PaperLog:
    log = PaperLog(AT_ONCE)
    log.tell(user_says("My husband Leopold lost his job at the mint."))
    return log


def read(events: list[Envelope]) -> ChatCommandRead:
    [found] = [event.data for event in events if isinstance(event.data, ChatCommandRead)]
    return found


def has(log: PaperLog, word: str) -> bool:
    return word in "".join(event.encode().decode() for event in log.events)


@pytest.mark.parametrize("text", OF_WHAT_WENT_BEFORE[:6])
def test_the_turn_before_is_forgotten(log: PaperLog, text: str) -> None:
    events = log.tell(user_says(text))
    assert (read(events).command, read(events).outcome) == ("forget_that", "done")
    log.erase()
    assert not has(log, "Leopold")


@pytest.mark.parametrize(("answer", "outcome"), [("yes", "done"), ("no", "declined")])
def test_what_may_mean_both_is_not_kept_and_the_turn_before_is_asked_about(log: PaperLog, answer: str, outcome: str) -> None:
    asked = log.tell(user_says("please don't keep what I just told you, my cousin Quixel reads this"))
    assert not any(isinstance(event.data, EpisodeRecorded) for event in asked)
    assert (read(asked).command, read(asked).outcome) == ("not_this", "asked_back")
    assert read(asked).memory_ids
    with pytest.raises(NotThis):
        log.tell(agent_says("Quixel will not hear of it."))
    answered = log.tell(user_says(answer))
    assert (read(answered).command, read(answered).outcome) == ("forget_that", outcome)
    assert any(isinstance(event.data, MemoryForgotten) for event in answered) is (answer == "yes")
    log.erase()
    assert has(log, "Leopold") is (answer == "no")
    assert not has(log, "Quixel")


def test_where_nothing_was_said_before_nothing_is_asked() -> None:
    events = PaperLog(AT_ONCE).tell(user_says("please don't keep what I just told you, my cousin Quixel reads this"))
    assert (read(events).command, read(events).outcome) == ("not_this", "done")
