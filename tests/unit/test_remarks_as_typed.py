"""Private remarks and look-alikes as people type them, written by persons in turn before the code that reads them was seen."""

import pytest

from shared.language.commands.command import ChatCommandName
from shared.language.commands.reading import read_chat_command, said_beside
from tests.support.wish_sentences import lines

REMARKS = lines("as_typed", "remarks")

OF_WHAT_WENT_BEFORE = lines("as_typed", "before")

LOOK_ALIKES = lines("as_typed", "look_alikes")


@pytest.mark.parametrize("text", REMARKS)
def test_a_private_remark_is_not_kept(text: str) -> None:
    command = read_chat_command(text)
    assert command is not None
    assert command.name is ChatCommandName.NOT_THIS


@pytest.mark.parametrize("text", OF_WHAT_WENT_BEFORE)
def test_a_wish_of_its_own_means_or_asks_about_what_went_before(text: str) -> None:
    command = read_chat_command(text)
    assert command is not None
    assert command.name is ChatCommandName.FORGET_THAT or command.may_mean_before


@pytest.mark.parametrize("text", LOOK_ALIKES)
def test_a_look_alike_is_ordinary(text: str) -> None:
    assert read_chat_command(text) is None


def test_what_was_said_is_forgotten_and_the_new_value_beside_it_is_not_taken_for_a_private_remark() -> None:
    text = "forget i said that my rent is 780, its 850"
    command = read_chat_command(text)
    assert command is not None
    assert (command.name, command.topic) == (ChatCommandName.FORGET_ABOUT, "my rent is 780")
    assert said_beside(text, command).after == ("its 850",)
