"""Tells about which attributes a question asks: `Where do I live?` asks about the home.

An attribute is known by its own words, and by those in which a person would be asked about it.
"""

import functools
import re
from collections import Counter
from collections.abc import Collection

from services.retriever.domain.excerpt import AskedWords, asked_words
from services.retriever.domain.questions import all_sayings

_PLACE = re.compile(r"\{\w+\}")
_IN_MANY = 4
"""A word in so many questions, as `now`, tells nothing of any."""


def asked_about(question: AskedWords, attributes: Collection[str]) -> frozenset[str]:
    """The attributes among `attributes` that a question asks about.

    >>> sorted(asked_about(asked_words("Where do I live?"), {"home", "employer", "favourite band"}))
    ['home']
    """
    cues = _cues(question.language)
    return frozenset(each for each in attributes if question.stems & (cues.get(each, frozenset()) | _stems(each)))


@functools.cache
def _cues(language: str) -> dict[str, frozenset[str]]:
    """The stems of the words by which each attribute is asked about in a language."""
    sayings = all_sayings().get(language)
    stems = {name: _stems(_PLACE.sub("", asked)) for name, asked in sayings.yours.items()} if sayings else {}
    counted = Counter(stem for found in stems.values() for stem in found)
    return {name: frozenset(stem for stem in found if counted[stem] < _IN_MANY) for name, found in stems.items()}


@functools.cache
def _stems(words: str) -> frozenset[str]:
    return asked_words(words).stems
