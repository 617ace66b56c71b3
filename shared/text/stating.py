"""Whether a text says what some words say: the coarse question that a forgetting asks of every turn."""

from __future__ import annotations

import re

from shared.text.languages import STOP_WORDS
from shared.text.scripts import UNSPACED
from shared.text.stemming import stem
from shared.text.words import pairs_of, words_of

_UNSPACED = re.compile(f"[{UNSPACED}]")
_ENOUGH = 0.75
_LEAST = 2
_OF_TELLING = frozenset(
    "say says said tell told know user us mine ours also just like really very much too some out up no not because".split()  # noqa: SIM905
)
"""What differs most between a fact and the turn that states it."""

_EMPTY = STOP_WORDS["en"] | _OF_TELLING


def content_words(text: str) -> frozenset[str]:
    """The stems of the words that carry a meaning, as of English; of scripts without spaces the pairs of characters.

    >>> sorted(content_words("My sister lives in Bergen, doesn't she?"))
    ['bergen', 'live', 'sister']
    """
    words = (word.folded for word in words_of(text))
    stems = (stem(word) for word in words if not (_UNSPACED.match(word) or _EMPTY.issuperset(word.split("'"))))
    return (frozenset(stems) - _EMPTY).union(pairs_of(text))


def holds(text: str, words: frozenset[str]) -> bool:
    """Whether the text has every one of these content words."""
    return words <= content_words(text)


def has_enough(said: frozenset[str], words: frozenset[str]) -> bool:
    """Whether a text with the content words `said` says what `words` say: has three quarters of them, and at least two.

    >>> has_enough(content_words("Oh, Bergen! So that's where she lives."), content_words("The user lives in Bergen"))
    True
    """
    shared = len(words & said)
    return shared >= _LEAST and shared >= _ENOUGH * len(words)
