"""Whether a message asks not to be kept: in the phrases of the language file, or in words of its own."""

from __future__ import annotations

import pytest

from shared.language.commands.command import ChatCommandName
from shared.language.commands.reading import read_chat_command
from tests.support.wish_sentences import lines

WISHES = lines("certain", "remarks")

ANNOUNCEMENTS = lines("certain", "announcements")

OF_WHAT_WENT_BEFORE = lines("certain", "before")

LOOK_ALIKES = lines("certain", "look_alikes")

_WITHHOLDS = {ChatCommandName.NOT_THIS, ChatCommandName.NOT_NEXT, ChatCommandName.FORGET_THAT}


@pytest.mark.parametrize("text", WISHES)
def test_a_wish_not_to_be_kept_is_read(text: str) -> None:
    command = read_chat_command(text)
    assert command is not None
    assert command.name in _WITHHOLDS


@pytest.mark.parametrize("text", LOOK_ALIKES)
def test_what_only_looks_like_one_is_kept(text: str) -> None:
    command = read_chat_command(text)
    assert command is None or command.name not in _WITHHOLDS


@pytest.mark.parametrize("text", ANNOUNCEMENTS)
def test_an_announcement_and_nothing_else_means_the_next_turn(text: str) -> None:
    command = read_chat_command(text)
    assert command is not None
    assert command.name is ChatCommandName.NOT_NEXT


@pytest.mark.parametrize("text", OF_WHAT_WENT_BEFORE)
def test_a_wish_about_what_was_said_means_what_went_before(text: str) -> None:
    command = read_chat_command(text)
    assert command is not None
    assert command.name is ChatCommandName.FORGET_THAT


@pytest.mark.parametrize("text", ["stop remembering that im bipolar", "Please stop saving that I take Xanax"])
def test_to_stop_remembering_something_is_to_forget_it(text: str) -> None:
    command = read_chat_command(text)
    assert command is not None
    assert command.name is ChatCommandName.FORGET_ABOUT


def test_a_tag_within_a_sentence_asks_nothing() -> None:
    assert read_chat_command("She put #private under the photo of us") is None
