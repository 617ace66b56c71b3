"""Recognises turns that only react: praise, thanks, assent, and questions back. They answer no question that is asked later."""

import functools
import re
from typing import NamedTuple

from shared.language.questions.tables import chinese_tables, question_tables
from shared.language.tables import CODES
from shared.language.text.languages import STOP_WORDS
from shared.language.text.sentences import sentences
from shared.language.text.words import Word, words_of

_LONGEST = 160
"""Characters. Longer turns say something."""

_LONGEST_THANKS = 60
_MOST_WORDS = 12
_MOST_OTHERS = 2
"""A reaction may name so many things to which it reacts: `Climbing is great for sleep!`"""

_PART = re.compile(r"\w+")


def only_reacts(text: str, *, most_others: int = _MOST_OTHERS) -> bool:
    """True if every sentence of a turn is a question or a reaction that names hardly anything.

    >>> only_reacts("Climbing is great for sleep!"), only_reacts("I recommend The Lantern, it is great.")
    (True, False)
    >>> only_reacts("Got it. Shall I remind you?"), only_reacts("It was Petter.")
    (True, False)
    """
    if len(text) > _LONGEST or not text or text.isspace():
        return False
    return all(_asks(each) or _reacts(each, most_others) for each in sentences(text))


def only_thanks(text: str) -> bool:
    """True if a turn is nothing but thanks, assent, a greeting or praise, without a word about who speaks.

    >>> only_thanks("haha love it thanks"), only_thanks("yes, peanuts"), only_thanks("I feel sad")
    (True, False, False)
    """
    if len(text) > _LONGEST_THANKS or _asks(text):
        return False
    words = frozenset[str]().union(*map(_parts, words_of(text, _MOST_WORDS + 1)))
    return words.isdisjoint(_all_tables().selves) and only_reacts(text, most_others=0)


def _asks(sentence: str) -> bool:
    return sentence.rstrip().endswith(("?", "？", "؟"))


def _reacts(sentence: str, most_others: int) -> bool:
    tables = _all_tables()
    parts = _PART.findall(sentence)
    if parts and all(map(tables.chinese.fullmatch, parts)):
        return True
    words = words_of(sentence, _MOST_WORDS + 1)
    if len(words) > _MOST_WORDS or any(char.isdigit() for char in sentence):
        return False
    others = [word for word in words if _parts(word).isdisjoint(tables.known)]
    if not (others or most_others == 0) and words:
        return True
    seems = tables.seems.match(sentence)
    if not (seems or any(_parts(word) & tables.reactions for word in words)):
        return False
    others = [word for word in others if not seems or word.start >= seems.end()]
    names = [word for word in others if word.start and sentence[word.start].isupper()]
    return len(others) <= (min(most_others, 1) if names else most_others)


def _parts(word: Word) -> frozenset[str]:
    """The word, and its first part where it is a contraction."""
    return frozenset((word.folded, word.folded.partition("'")[0]))


class _Tables(NamedTuple):
    """What reactions consist of, in all languages: in a few words each they are told apart by nothing."""

    reactions: frozenset[str]
    """Words of which one makes a reaction."""
    known: frozenset[str]
    """All words that a reaction is made of."""
    selves: frozenset[str]
    """Who speaks of themselves says something: `I feel sad`."""
    seems: re.Pattern[str]
    chinese: re.Pattern[str]


@functools.cache
def _all_tables() -> _Tables:
    tables = [question_tables(code) for code in CODES]
    reactions = frozenset[str]().union(*(each.reactions.words for each in tables))
    return _Tables(
        reactions=reactions,
        known=reactions.union(*(each.reactions.aside for each in tables), *STOP_WORDS.values()),
        selves=frozenset[str]().union(*(each.first_person for each in tables)),
        seems=re.compile("|".join(each.reactions.seems for each in tables), re.IGNORECASE),
        chinese=re.compile(chinese_tables().reactions),
    )
