"""Reads that a person asks not to keep what they say: `don't remember this: ...`, `..., and that stays between us`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from shared.chat.command import ChatCommandName
from shared.chat.language import Language
from shared.chat.line import Line
from shared.chat.matching import beginnings, without_closers
from shared.chat.sentences import Sentence

_FEWEST = 2
"""Words that say something beside the request."""


class Request(NamedTuple):
    """Where a sentence asks not to keep something."""

    start: int  # of its clause
    end: int
    announces: bool  # said alone it means what follows


def request_in(spoken: Line, language: Language) -> Request | None:
    """The request not to keep what is said, in a sentence."""
    if language.text.withholding.isdisjoint(spoken.words.split()):
        return None
    return next(_requests(spoken, language), None)


def what_is_withheld(
    request: Request, spoken: Line, said: Sequence[Sentence], index: int, language: Language
) -> ChatCommandName | None:
    """What of a conversation a request means; None if it stands alone and means what went before."""
    end = without_closers(spoken.words, request.end, len(spoken.words), language.closers)
    here = f"{spoken.words[: request.start]} {spoken.words[request.end : end]}"
    others = (sentence.shown for place, sentence in enumerate(said) if place != index)
    if any(_says_something(words, language) for words in (here, *others)):
        return ChatCommandName.NOT_THIS
    return ChatCommandName.NOT_NEXT if request.announces else None


def _requests(spoken: Line, language: Language) -> Iterator[Request]:
    for start in spoken.clauses(language):
        for at in beginnings(spoken, start, len(spoken.words), language):
            if end := _end(spoken, at, language):
                yield Request(start, *end)
    for before, at in pairwise(spoken.offsets):  # `my salary is 5000 don't save that`
        end = None if spoken.word(before) in language.text.speaks else _end(spoken, at, language)
        if end and _is_last(spoken, end[0], language):
            yield Request(at, *end)


def _end(spoken: Line, at: int, language: Language) -> tuple[int, bool] | None:
    """Where a request that begins here ends, and whether it announces something; None if it goes on: `save this file`."""
    for pattern, announces in ((language.withholds, False), (language.announces, True)):
        match = pattern.match(spoken.words, at)
        if match and (spoken.word(match.end()) in language.goes_on or _is_last(spoken, match.end(), language)):
            return match.end(), announces
    return None


def _is_last(spoken: Line, end: int, language: Language) -> bool:
    """Whether only politeness follows."""
    return without_closers(spoken.words, max(end - 1, 0), len(spoken.words), language.closers) <= end


def _says_something(words: str, language: Language) -> bool:
    return sum(word not in language.breaks for word in words.lower().split()) >= _FEWEST
