"""Tells which wish not to be kept a sentence has, how sure it is, and what of a conversation it means."""

import re
from collections.abc import Sequence

from shared.language.commands.asks import Asks
from shared.language.commands.command import ChatCommand, ChatCommandName, usual_scope
from shared.language.commands.language import Language
from shared.language.commands.line import Line
from shared.language.commands.matching import PlacedCommand
from shared.language.commands.phrases import normal
from shared.language.commands.withheld import (
    Request,
    is_all_of_wishes,
    is_of_others,
    means_this,
    of_what_went_before,
    request_in,
    what_is_withheld,
)
from shared.language.text.sentences import MessageSentence

_WITHHELD = 0.95
_DOUBTED = 0.7
"""Confidence in a wish not to be kept that is not certain: the turn is not kept, and the person told how to have it kept."""
_CLAUSES = re.compile(" [,:] ")
_MOST_BETWEEN = 3
"""Words between a denial and what it denies: `never want you to forget`."""
_MEANT_BEFORE = 0.6
"""Confidence that a wish not to be kept means what went before, where nothing is said beside it: the person is asked."""


def wish_of(
    commands: Sequence[PlacedCommand], spoken: Line, said: Sequence[MessageSentence], index: int, known: Language
) -> ChatCommand | None:
    """The wish not to keep the message, or the next one; None if a sentence has none, or only cites one."""
    request = request_in(spoken, known, is_first=index == 0, is_read=bool(commands))
    if request and request.is_doubtful and any(_outdoes(found, known) for found in commands):
        request = None
    if request and (
        _is_to_keep(request, spoken, known)
        or any(_ends_a_topic(found, request, spoken, known) or _has_in_it(found, request) for found in commands)
    ):
        return None
    name = what_is_withheld(request, spoken, said, index, known) if request else None
    is_next = name is ChatCommandName.NOT_NEXT and request is not None and request.is_cued
    names = {found.command.name for found in commands if not (is_next and request and found.start <= request.start < found.end)}
    if (name is ChatCommandName.NOT_NEXT and names - {ChatCommandName.FORGET_THAT}) or (
        name is ChatCommandName.FORGET_THAT and names
    ):
        name = None
    if name is None and (told := next((each for each in commands if _tells_beside(each, spoken, said, known)), None)):
        name, request = ChatCommandName.NOT_THIS, Request(told.start, told.end, Asks.ANYWHERE, is_doubtful=True)
    if name is None and any(means_this(found, spoken, said, index, known) for found in commands):
        name, request = ChatCommandName.NOT_THIS, None
    if (request and is_of_others(request, spoken, known)) or not (name or request):
        return None
    if of_before := _of_before(name, commands, said, known):
        return of_before
    if name is None:
        return None
    confidence = _DOUBTED if request and request.is_doubtful else _WITHHELD
    if name is not ChatCommandName.NOT_THIS:  # nothing is lost
        confidence = _MEANT_BEFORE if name is ChatCommandName.FORGET_THAT else _WITHHELD
    may_mean_before = name is ChatCommandName.NOT_THIS and is_all_of_wishes(said, known)
    scope = usual_scope(name)
    return ChatCommand(name, scope=scope, confidence=confidence, may_mean_before=may_mean_before, language=known.code)


def _is_to_keep(request: Request, spoken: Line, known: Language) -> bool:
    """Whether what a request has is that something is not to be erased: `never forget this: ...`, `i don't wanna forget it`."""
    cues, words = known.text.cued, _CLAUSES.split(spoken.words[: request.end].rstrip(" ,:"))[-1].split()
    erased = next((place for place, word in enumerate(words) if word in cues.bare.erases), 0)
    denied = [place for place in range(erased) if words[place] in cues.denies | cues.bare.refuses]
    between = words[denied[-1] + 1 : erased] if denied else []
    holding = cues.keeps | cues.bare.holds | cues.reports | known.text.speaks
    return bool(denied) and len(between) <= _MOST_BETWEEN and holding.isdisjoint(between)


def _has_in_it(found: PlacedCommand, request: Request) -> bool:
    """Whether a request is a part of a command that withholds more: `begin a chat that isn't saved`."""
    is_incognito = found.command.name is ChatCommandName.START_INCOGNITO and found.command.is_sure
    return is_incognito and found.start <= request.start < found.end


def _outdoes(found: PlacedCommand, known: Language) -> bool:
    """Whether a command is sure, where a wish is not: not `wipe your memory of this later`."""
    if not found.command.is_sure or found.command.name is not ChatCommandName.FORGET_ABOUT:
        return found.command.is_sure
    topic = normal((found.command.topic or "").partition(" ")[0])
    return topic not in known.text.cued.bare.these


def _tells_beside(found: PlacedCommand, spoken: Line, said: Sequence[MessageSentence], known: Language) -> bool:
    """Whether what asks not to keep a topic tells it: `don't store my salary: it is low`. `Forget ...` does something else."""
    topic = found.command.topic
    if found.command.name is not ChatCommandName.FORGET_ABOUT or not topic or len(said) > 1:
        return False
    cues = known.text.cued
    asked, _, told = " ".join(spoken.said.text.split()).partition(topic)
    words = [normal(word) for word in asked.split()]
    is_kept = any(word in cues.keeps | cues.bare.holds for word in words) and not cues.denies.isdisjoint(words)
    is_left = not (cues.ends | cues.bare.erases).isdisjoint(words)
    return is_kept and not is_left and told.lstrip()[:1] in (":", ",") and len(told.split()) > 1


def _of_before(
    name: ChatCommandName | None, commands: Sequence[PlacedCommand], said: Sequence[MessageSentence], known: Language
) -> ChatCommand | None:
    """The wish about what was said before, of a message that has a wish of this name or such commands; None if it has none."""
    others = {found.command.name for found in commands} - {ChatCommandName.FORGET_THAT}
    is_of_this = name is ChatCommandName.NOT_THIS
    if name is ChatCommandName.NOT_NEXT or (others and not is_of_this):
        return None
    found = of_what_went_before(said, known)
    is_meant = is_of_this or not (name or commands) or (found is not None and found.name is ChatCommandName.FORGET_THAT)
    return found if is_meant else None


def _ends_a_topic(found: PlacedCommand, request: Request, spoken: Line, known: Language) -> bool:
    """Whether a request is to forget what is kept already: `stop remembering that I'm bipolar`."""
    is_ended = not known.text.cued.ends.isdisjoint(spoken.words[request.start : request.end].split())
    return is_ended and found.command.name is ChatCommandName.FORGET_ABOUT and found.start <= request.start < found.end
