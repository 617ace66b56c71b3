"""Recognises turns that are only commands to the memory, and texts that say the same."""

from collections.abc import Sequence

from shared.language.commands.command import ASKED_BACK, ChatCommand, ChatCommandName
from shared.language.commands.reading import may_ask, read_answer, read_chat_command, read_taking_back
from shared.language.text.guards import guards
from shared.language.text.sentences import sentences
from shared.language.text.wording import wording

_LONGEST_COMMAND = 120
_FEW_WORDS = 3
_MOST_OF_AN_ANSWER = 4
_MOST_OF_A_DOUBTFUL = 7
_IDLE_IF_DOUBTFUL = ASKED_BACK | {ChatCommandName.END_INCOGNITO, ChatCommandName.NOT_NEXT}
SHIPPED = ("en", "de")
"""The languages in which this is understood in any installation; its own come to them."""


def is_command(text: str, languages: Sequence[str] = SHIPPED) -> bool:
    """True if a turn is nothing but a command or a question to the memory, or a yes or no.

    >>> is_command("What do you remember about me?"), is_command("Remember that I am vegan.")
    (True, False)
    """
    command = _only_command(text, languages)
    if command is None:
        is_short = len(text) <= _LONGEST_COMMAND and len(text.split()) <= _MOST_OF_AN_ANSWER
        return is_short and _is_answer(text, tuple(languages))
    return not (command.name is ChatCommandName.REMEMBER_THAT and command.fact)


def _is_answer(text: str, languages: tuple[str, ...]) -> bool:
    """True for a yes, a no, or what takes something back right after it was forgotten; not for `no, Tuesday`."""
    read = (read_answer(text, languages=languages), read_taking_back(text, languages=languages))
    return any(each is not None and each.is_sure for each in read)


def asks_for_all(text: str, languages: Sequence[str] = SHIPPED) -> bool:
    """True if a question asks for everything that is known of the asker.

    >>> asks_for_all("What do you know about me?"), asks_for_all("What do you know about my sister?")
    (True, False)
    """
    command = _only_command(text, languages) if may_ask(text, languages) else None
    return command is not None and command.name is ChatCommandName.ASK_ABOUT and command.topic is None


def says_the_same(one: str, other: str) -> bool:
    """True if two texts are worded alike but for case, punctuation, contractions, articles and fillers.

    >>> says_the_same("I'm fond of the sea.", "Well, I am fond of the sea!"), says_the_same("I eat fish", "I don't eat fish")
    (True, False)
    """
    if one == other:
        return True
    mine, others = guards(wording(one)), guards(wording(other))
    return (mine.beside, mine.settled) == (others.beside, others.settled)


def _only_command(text: str, languages: Sequence[str]) -> ChatCommand | None:
    """The command of a text, if every sentence of more than a few words is a command; else None."""
    command = _command(text, languages) if len(text) <= _LONGEST_COMMAND else None
    others = (each for each in sentences(text) if len(each.split()) > _FEW_WORDS)
    return command if command and all(_command(each, languages) for each in others) else None


def _command(text: str, languages: Sequence[str]) -> ChatCommand | None:
    """The command of a text, if it is sure, or one of few words of which a person is asked whether it was meant."""
    command = read_chat_command(text, languages=tuple(languages))
    if command is None or command.is_sure:
        return command
    is_short = len(text.split()) <= _MOST_OF_A_DOUBTFUL and len((command.topic or "").split()) <= _FEW_WORDS
    return command if is_short and command.name in _IDLE_IF_DOUBTFUL else None
