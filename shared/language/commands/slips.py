"""Slips of the finger and short spellings, without a list: letters exchanged, doubled or left out, and vowels left out."""

import re
from collections import Counter
from collections.abc import Collection, Iterator
from collections.abc import Set as AbstractSet

from shared.language.text.frequency import UNHEARD, heard_words, rank_of

_SHORTEST, _SHORTEST_BONES = 3, 3
_MOST_LETTERS_APART = 3
_VOWELS = re.compile(r"(?<=.)[aeiouyäöüáéíóúàèêô]")
_DOUBLED = re.compile(r"(.)\1+")


class Slips:
    """Finds the known word that a slip means.

    A slip has the first letter of its word, and all of its letters in another order, or its consonants in order. A word that
    people use is no slip, nor is what may be a slip of two words.

    >>> slips = Slips({"forget", "remember", "save"})
    >>> [slips.meant(word) for word in ("froget", "rmbr", "svae", "safe", "Frigate")]
    ['forget', 'remember', 'save', None, None]
    """

    def __init__(self, known: Collection[str], *, real: AbstractSet[str] = frozenset()) -> None:
        self._known = frozenset(known)
        self._real = real
        keys = [(key, word) for word in sorted(known) if word.isalpha() for key in _keys(word)]
        count = Counter(key for key, _ in keys)
        self._word = {key: word for key, word in keys if count[key] == 1}

    def meant(self, word: str) -> str | None:
        """Return the word that a slip means; None if it is none."""
        if word in self._known or word in self._real or not word.isalpha() or rank_of(word) < UNHEARD:
            return None
        found = (self._word.get(key) for key in _keys(word))
        return next((each for each in found if each and abs(len(each) - len(word)) <= _MOST_LETTERS_APART), None)

    def all_meant(self, words: AbstractSet[str]) -> frozenset[str]:
        """Return the words, and those that slips among them mean."""
        rare = words - heard_words()
        return frozenset(words).union(filter(None, map(self.meant, rare))) if rare else frozenset(words)


def _keys(word: str) -> Iterator[str]:
    if len(word) < _SHORTEST:
        return
    yield f"{word[0]}={''.join(sorted(word))}"
    bones = _DOUBLED.sub(r"\1", _VOWELS.sub("", word))
    if len(bones) >= _SHORTEST_BONES:
        yield bones
