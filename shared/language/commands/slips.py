"""Slips of the finger and short spellings, without a list: a letter amiss, letters exchanged, and vowels left out."""

import re
from collections.abc import Collection, Iterator
from functools import lru_cache

from shared.language.text.frequency import heard_words, rank_of, vocabulary

_SHORTEST, _SHORTEST_BONES, _SHORTEST_AMISS = 3, 3, 4
_MOST_LETTERS_APART = 4
_MOST_KEPT = 10_000
"""Words of which is kept what they mean."""
_VOWELS = re.compile(r"(?<=.)[aeiouyäöüáéíóúàèêô]")
_DOUBLED = re.compile(r"(.)\1+")


class Slips:
    """Finds the known word that a slip means.

    A slip has the letters of its word in another order, or all but one of them, or its consonants in order. A word that people
    use is no slip. Of two words that a slip may mean it is the more frequent one.

    >>> slips = Slips({"forget", "remember", "save"})
    >>> [slips.meant(word) for word in ("froget", "rmbr", "svae", "safe", "Frigate")]
    ['forget', 'remember', 'save', None, None]
    """

    def __init__(self, known: Collection[str]) -> None:
        self._known = frozenset(known)
        self._word: dict[str, str] = {}
        self._meant: dict[str, str | None] = {}
        for word in sorted(filter(str.isalpha, known), key=rank_of):
            for key in _keys(word):
                self._word.setdefault(key, word)

    def meant(self, word: str) -> str | None:
        """Return the word that a slip means; None if it is none."""
        if word not in self._meant:
            if len(self._meant) >= _MOST_KEPT:
                self._meant.clear()
            self._meant[word] = self._find(word)
        return self._meant[word]

    def _find(self, word: str) -> str | None:
        heard = heard_words()
        if word in self._known or not word.isalpha() or word in heard or (word[-1] == "s" and word[:-1] in heard):  # `heres`
            return None
        found = (self._word.get(key) for key in _keys(word))
        return next((each for each in found if each and abs(len(each) - len(word)) <= _MOST_LETTERS_APART), None)

    def all_meant(self, words: frozenset[str]) -> frozenset[str]:
        """Return the words, and those that slips among them mean."""
        known, rare = self._meant, _unheard(words)
        found = [known[word] if word in known else self.meant(word) for word in rare]
        return words.union(filter(None, found)) if rare else words


@lru_cache(maxsize=2)
def _unheard(words: frozenset[str]) -> frozenset[str]:
    """The words that are not in the vocabulary; all languages ask for those of one text."""
    return words.difference(vocabulary())


def _keys(word: str) -> Iterator[str]:
    if len(word) < _SHORTEST:
        return
    yield f"{word[0]}={''.join(sorted(word))}"
    bones = _DOUBLED.sub(r"\1", _VOWELS.sub("", word))
    if len(bones) >= _SHORTEST_BONES:
        yield bones
    if len(word) >= _SHORTEST_AMISS:
        yield from (f"-{word[:at]}{word[at + 1 :]}" for at in range(1, len(word)))
    yield f"-{word}"
