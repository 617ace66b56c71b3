"""The words of a text that say something, as hashes of this process: cheap to make, and nothing that another could compare."""

from shared.language.text.languages import STOP_WORDS
from shared.language.text.words import words_of

WordHashes = frozenset[int]

_MOST_WORDS = 200
_STEM = 6
_SHORTEST = 3
_STOPS = frozenset().union(*STOP_WORDS.values())


def hashes_of(text: str) -> WordHashes:
    """The hashes of the beginnings of its words, but for short and common ones.

    >>> hashes_of("Your sister lives in Porto") == hashes_of("PORTO: sisters live")
    True
    """
    folded = (word.folded for word in words_of(text, _MOST_WORDS))
    return frozenset(
        hash(word.rstrip("se")[:_STEM]) for word in folded if word not in _STOPS and (len(word) >= _SHORTEST or word.isdigit())
    )
