"""Tells which turns are not to be kept, and what is said next of one that only may have asked for it."""

import re
from collections.abc import Sequence

from services.ingest.domain.private import DOUBTED, Question
from shared.language.commands.command import ChatCommand
from shared.language.commands.command import ChatCommandName as Name
from shared.language.commands.reading import read_answer, read_chat_command, read_taking_back

_CLAUSE = re.compile(r"[,.:;!?\n]+\s|\s[–—-]+\s")


def said_beside_it(text: str, languages: Sequence[str]) -> list[str]:
    """The clauses beside a wish that a turn is not kept: each may name a topic."""
    clauses = filter(str.strip, _CLAUSE.split(text))
    return [clause for clause in clauses if read_chat_command(clause, languages=languages) is None]


def is_withheld(found: ChatCommand | None, question: Question | None) -> bool:
    """Whether a turn is not to be kept: it says so itself, or the one before did and it is no command."""
    if found is not None:
        return found.name in {Name.NOT_THIS, Name.NOT_NEXT}
    return question is not None and question.command == Name.NOT_NEXT.value


def shall_be_kept(text: str, found: ChatCommand | None, question: Question | None, languages: Sequence[str]) -> bool | None:
    """What a turn says of the one before, if that was not kept because it may have asked for it; None if it says nothing of it.

    True for `yes`, `keep it` and `remember that`, False for `no`.
    """
    if question is None or question.command != DOUBTED:
        return None
    is_asked_for = found is not None and found.name in {Name.REMEMBER_THAT, Name.PIN_THAT} and not (found.fact or found.topic)
    read = (read_taking_back(text, languages=languages), read_answer(text, languages=languages))
    names = {each.name for each in read if each is not None and each.is_sure}
    if is_asked_for or names & {Name.TAKE_BACK, Name.CONFIRM}:
        return True
    return False if Name.DECLINE in names else None


def answered_of_the_one_before(
    text: str, question: Question | None, languages: Sequence[str]
) -> tuple[Question, ChatCommand] | None:
    """The answer to whether a wish not to be kept meant the turn before it as well, and what was asked; None if it is none."""
    if question is None or question.command != DOUBTED or not question.memory_ids:
        return None
    answer = read_answer(text, languages=languages)
    if answer is None or not (answer.is_sure or answer.name is Name.DECLINE):
        return None
    return Question(Name.FORGET_THAT.value, question.memory_ids), answer
