"""Tells whether a text states what some words state, coarsely: by it a forgetting finds the turns to forget."""

import math
import re
from collections.abc import Mapping, Sequence

from shared.language.text.languages import STOP_WORDS
from shared.language.text.scripts import UNSPACED
from shared.language.text.stemming import stem
from shared.language.text.words import folded_words, pairs_of

_UNSPACED = re.compile(f"[{UNSPACED}]")
_ENOUGH = 0.75
_LEAST = 2
_OF_TELLING = frozenset(
    "say says said tell told know user us mine ours also just like really very much too some out up no not because".split()  # noqa: SIM905
)
"""Words left out of the comparison: they differ most between a fact and the turn that states it."""

EMPTY = STOP_WORDS["en"] | _OF_TELLING
"""Words that say nothing of what a text is about."""


def content_words(text: str) -> frozenset[str]:
    """The stems of the content words of a text, by English rules, and the character pairs of scripts without spaces.

    >>> sorted(content_words("My sister lives in Bergen, doesn't she?"))
    ['bergen', 'live', 'sister']
    """
    words = (word for word in set(folded_words(text)) if not EMPTY.issuperset(word.split("'")))
    if text.isascii():
        return frozenset(map(stem, words)) - EMPTY
    return (frozenset(stem(word) for word in words if not _UNSPACED.match(word)) - EMPTY).union(pairs_of(text))


def has_enough(said: frozenset[str], words: frozenset[str]) -> bool:
    """True if a text with the content words `said` states what `words` state: it has three quarters of them, at least two.

    >>> has_enough(content_words("Oh, Bergen! So that's where she lives."), content_words("The user lives in Bergen"))
    True
    """
    shared = len(words & said)
    return shared >= _LEAST and shared >= _ENOUGH * len(words)


def rarest(words: frozenset[str], found: Mapping[str, Sequence[object]]) -> list[str]:
    """The rarest words of a statement, so many that each text which has enough of the words has one of them.

    >>> rarest(frozenset({"ann", "likes", "tea"}), {"ann": [1], "likes": [1, 2, 3], "tea": [1, 2]})
    ['ann']
    """
    spare = len(words) - max(_LEAST, math.ceil(_ENOUGH * len(words)))
    return sorted(words, key=lambda word: (len(found.get(word, ())), word))[: spare + 1]
