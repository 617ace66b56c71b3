"""How frequent an English word is, by its place in the vocabulary of BERT-uncased, which begins with the most frequent.

NOTICE: vocab.txt beside this module is by Google, under the Apache License 2.0; see shared/runtime/embedders/wordpiece.py.
"""

from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from functools import cache
from importlib import resources

UNHEARD = 100_000
"""The place of a word that is not among the 30,000 pieces, nor a form of one of them."""

_ROOT = 6
_SHORTEST = 4
_LONGEST_ENDING = 5
_SHORTENED = frozenset(("t", "s", "m", "d", "re", "ve", "ll"))
"""What stands after an apostrophe."""
_ENDINGS = ("", "e", "s")


def heard_words() -> AbstractSet[str]:
    """The words and pieces of words of the vocabulary."""
    return vocabulary().keys()


@cache
def vocabulary() -> Mapping[str, int]:
    """The words and pieces of words with their places."""
    lines = resources.files(__package__).joinpath("vocab.txt").read_text(encoding="utf-8").splitlines()
    return {word: place for place, word in enumerate(lines)}


def rank_of(word: str) -> int:
    """The place of a word as it is; that of the word before its apostrophe, which is left out.

    >>> rank_of("the") < rank_of("dont") < rank_of("confidential") < rank_of("citalopram") == UNHEARD
    True
    """
    ranks = vocabulary()
    if word in ranks:
        return ranks[word]
    return next((ranks[word[:-end]] for end in (1, 2) if word[-end:] in _SHORTENED and word[:-end] in ranks), UNHEARD)


@cache
def _places() -> dict[str, int]:
    """The places of roots, each that of its most frequent word."""
    found: dict[str, int] = {}
    for word, place in vocabulary().items():
        if word.isalpha():
            for end in range(min(len(word), max(_SHORTEST, len(word) - _LONGEST_ENDING)), min(len(word), _ROOT) + 1):
                found.setdefault(word[:end], place)
    return found


def place_of(stem: str) -> int:
    """The place of the most frequent word that begins with a stem, or at least with its first six letters.

    >>> place_of("prison") < place_of("abort") < place_of("citalopram") == UNHEARD
    True
    """
    root = stem[:_ROOT]
    forms = (root, f"{root[:-1]}y") if root.endswith("i") else (root,)  # `sorri` is of `sorry`
    return min(_places().get(form, UNHEARD) for form in forms)


def is_listed(stem: str) -> bool:
    """True for the stem of a word or name that is among the 30,000: hardly anybody has it alone.

    >>> is_listed("triest"), is_listed("anna"), is_listed("kestrelbi")
    (True, True, False)
    """
    return any(stem + ending in heard_words() for ending in _ENDINGS) or (
        stem.endswith("i") and f"{stem[:-1]}y" in heard_words()
    )
