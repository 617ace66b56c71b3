"""Whom a name in a question means under which nobody speaks: a misspelt one, or one by which others address somebody.

Where it is clear who is meant, the question is put with the name of the speaker.
"""

import re
from collections import Counter
from collections.abc import Collection, Iterable
from difflib import SequenceMatcher
from functools import cache
from typing import NamedTuple

from shared.language.questions.tables import greetings
from shared.language.text.languages import STOP_WORDS, language_of
from shared.language.text.words import search_words

_MOST_NAMES = 4
_SHORTEST, _SHORTEST_MISSPELT = 3, 4
_ALIKE = 0.75
"""Least likeness of a misspelt name: twice the letters in common, by all letters."""

_OFTEN, _MOSTLY = 2, 0.8
"""So often somebody is called by a name at least, and in so many of the cases, for it to be theirs."""

_LONGEST_GREETING = 40
"""Characters before a name that are looked at: however often it stands in a text, the whole takes steps in proportion to it."""

_BEGINS = re.compile(r"^\W{0,3}\Z", re.MULTILINE)
_AFTER_COMMA = re.compile(r",\s{0,3}\Z")
_ENDS = re.compile(r"\s{0,3}(?:[.!?]|$)", re.MULTILINE)


@cache
def _greets() -> re.Pattern[str]:
    """What stands before a name that is greeted."""
    some = "|".join(greetings()).replace(" ", r"\s+")
    return re.compile(rf"(?:^|[.!?]\s)\W{{0,3}}(?:{some})[\s,]{{1,3}}\Z", re.IGNORECASE | re.MULTILINE)


class AddressingTurn(NamedTuple):
    """A turn with a name in it, who said it, and who spoke before and after."""

    text: str
    speaker: str | None
    beside: tuple[str | None, ...]


def strange_names(question: str, speakers: Collection[str]) -> list[str]:
    """The words of a question that may be names and are no speaker's: those with a capital letter.

    Where none has one, and no speaker is named, every word may be a name.

    >>> strange_names("What are Polly's hobbies?", ["Runa"]), strange_names("what does polly like", ["Runa"])
    (['polly'], ['polly', 'like'])
    """
    words, known = search_words(question), {word for speaker in speakers for word in search_words(speaker)}
    capital = {word for each in question.split()[1:] if each[:1].isupper() for word in search_words(each)}
    possible = capital or (words if known.isdisjoint(words) else ())
    stops = known | STOP_WORDS[language_of(question)]
    names = [word for word in dict.fromkeys(words) if word in possible and word not in stops and len(word) >= _SHORTEST]
    return names[:_MOST_NAMES]


def misspelt(name: str, speakers: Iterable[str]) -> str | None:
    """The one speaker whose first name a word is that is written a little otherwise.

    >>> misspelt("mohammed", ["Muhamed", "Bram"]), misspelt("devin", ["Kevin"]), misspelt("mariam", ["Maria", "Marian"])
    ('Muhamed', None, None)
    """
    if len(name) < _SHORTEST_MISSPELT:
        return None
    found = [speaker for speaker in speakers if (first := search_words(speaker)[:1]) and _is_alike(name, first[0])]
    return found[0] if len(found) == 1 else None


def _is_alike(one: str, other: str) -> bool:
    is_near = one[0] == other[0] and abs(len(one) - len(other)) <= 1
    return is_near and SequenceMatcher(None, one, other, autojunk=False).ratio() >= _ALIKE


def addressed(name: str, turns: Iterable[AddressingTurn]) -> str | None:
    """The speaker whom the others mean when they address somebody by this name; None where that is not clear.

    Who is addressed is greeted or thanked sometimes: `Salem, Oregon!` speaks to nobody.

    >>> turns = [AddressingTurn(text, "Marta", ("Runa", None)) for text in ("Hi Polly!", "That's lovely, Polly.")]
    >>> addressed("polly", turns)
    'Runa'
    """
    turns = list(turns)
    if sum(any(other not in {None, turn.speaker} for other in turn.beside) for turn in turns) < _OFTEN:
        return None
    meant: Counter[str] = Counter()
    greetings = 0
    for turn in turns:
        is_greeted, is_called = _speaks_to(name, turn.text)
        if is_greeted or is_called:
            greetings += is_greeted
            meant.update({other for other in turn.beside if other is not None and other != turn.speaker})
    [(best, times)] = meant.most_common(1) or [("", 0)]
    return best if greetings and times >= _OFTEN and times >= _MOSTLY * meant.total() else None


def greets(name: str, text: str) -> bool:
    """True if a text greets somebody by this name.

    >>> greets("polly", "Thanks, Polly!"), greets("polly", "That's lovely, Polly.")
    (True, False)
    """
    return _speaks_to(name, text)[0]


def _speaks_to(name: str, text: str) -> tuple[bool, bool]:
    """Whether a text greets somebody by this name, and whether it calls somebody so between its commas.

    Only what stands around the name is a pattern: one with the name in it would be compiled for each new name, which takes
    longer than all else that is read of the texts.

    >>> _speaks_to("polly", "Thanks, Polly! The pond froze."), _speaks_to("polly", "So, Polly, tell me")
    ((True, True), (False, False))
    >>> _speaks_to("ann", "Hi Anna")
    (False, False)
    """
    words, is_greeted, is_called, begin = text.lower(), False, False, -1
    if len(words) != len(text):  # of a letter that is two as a small one
        words = text
    while (begin := words.find(name, begin + 1)) >= 0:
        before, end = max(begin - _LONGEST_GREETING, 0), begin + len(name)
        is_whole = not (words[end : end + 1].isalnum() or words[end : end + 1] == "_")
        is_greeted = is_greeted or (is_whole and _greets().search(text, before, begin) is not None)
        ends_its_line = _ENDS.match(text, end) is not None
        is_called = is_called or (text[end : end + 1] == "," and _BEGINS.search(text, before, begin) is not None)
        is_called = is_called or (ends_its_line and _AFTER_COMMA.search(text, before, begin) is not None)
    return is_greeted, is_called


def put_with(question: str, names: dict[str, str]) -> str:
    """The question with the first names of these speakers in the place of the names by which it calls them.

    >>> put_with("What are Polly's hobbies?", {"polly": "Runa Sato"})
    "What are Runa's hobbies?"
    """
    for name, speaker in names.items():
        question = re.sub(rf"\b{re.escape(name)}\b", speaker.split()[0], question, flags=re.IGNORECASE)
    return question
