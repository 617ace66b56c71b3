"""Wishes not to be kept in words of people's own: what is not certain is doubted, and then not kept either."""

import pytest

from shared.language.commands.command import ChatCommandName
from shared.language.commands.reading import read_chat_command
from tests.support.wish_sentences import lines

WISHES = lines("doubtful", "remarks")

LOOK_ALIKES = lines("doubtful", "look_alikes")

_WITHHOLDS = {ChatCommandName.NOT_THIS, ChatCommandName.NOT_NEXT}


@pytest.mark.parametrize("text", WISHES)
def test_what_may_be_a_wish_not_to_be_kept_is_not(text: str) -> None:
    command = read_chat_command(text)
    assert command is not None
    assert command.name in _WITHHOLDS


@pytest.mark.parametrize("text", LOOK_ALIKES)
def test_what_only_has_such_words_is_kept(text: str) -> None:
    command = read_chat_command(text)
    assert command is None or command.name not in _WITHHOLDS


def test_a_doubtful_wish_is_not_sure() -> None:
    command = read_chat_command("Leave no paper behind: I sold the house.")
    assert command is not None
    assert (command.name, command.is_sure) == (ChatCommandName.NOT_THIS, False)


def test_a_sure_command_beside_a_doubtful_wish_is_obeyed() -> None:
    command = read_chat_command("Remember that there shall be no paper record of the sale.")
    assert command is not None
    assert command.name is ChatCommandName.REMEMBER_THAT


@pytest.mark.parametrize("text", ["scrap what I just said from your memory", "erase what i said just now from your notes"])
def test_what_was_just_said_is_forgotten_wherever_it_is_kept(text: str) -> None:
    command = read_chat_command(text)
    assert command is not None
    assert command.name is ChatCommandName.FORGET_THAT


@pytest.mark.parametrize(
    "text",
    [
        "the next thing is private, please dont store it",
        "The next message is private, don't keep it.",
        "My next message is confidential, don't store it please",
        "what comes next is private so no saving",
    ],
)
def test_what_is_announced_as_private_is_the_next_turn(text: str) -> None:
    command = read_chat_command(text)
    assert command is not None
    assert command.name is ChatCommandName.NOT_NEXT


@pytest.mark.parametrize("tag", ["#nomemory", "#DoNotStoreThis", "#keepitsecret", "#nologs"])
def test_hashtags_are_composed(tag: str) -> None:
    command = read_chat_command(f"I have an eating disorder {tag}")
    assert command is not None
    assert command.name is ChatCommandName.NOT_THIS


@pytest.mark.parametrize("tag", ["#nomakeup", "#neverforget", "#secretsanta", "#nofilter", "#notetoself"])
def test_other_hashtags_are_none(tag: str) -> None:
    assert read_chat_command(f"I was in Rome {tag}") is None
