"""Splits texts into words: for comparisons, and as the full-text index does."""

import re
from itertools import islice
from typing import NamedTuple

from shared.language.text.cleaning import Comparable, comparable
from shared.language.text.scripts import SEARCHED_BY_CHARACTER, UNSPACED

_WORD = re.compile(rf"[{UNSPACED}]|[^\W_{UNSPACED}]++(?:['’][^\W_{UNSPACED}]++)*+")
_SEARCHED = re.compile(rf"[{SEARCHED_BY_CHARACTER}]++|[^\W_{SEARCHED_BY_CHARACTER}]++")
_BY_CHARACTER = re.compile(f"[{SEARCHED_BY_CHARACTER}]")
_RUN_BY_CHARACTER = re.compile(f"[{SEARCHED_BY_CHARACTER}]++")
_RUN = re.compile(f"[{UNSPACED}]++")
_POSSESSIVE = re.compile(r"['’]s\b")


class Word(NamedTuple):
    """A case folded word of a text, with its place."""

    folded: str
    start: int
    end: int  # one past its last character


def words_of(text: str, most: int | None = None) -> list[Word]:
    """The first `most` words of a text, as they are compared.

    Contractions are whole; each character of a script without spaces is a word.

    >>> [word.folded for word in words_of("Don’t: I'm 寿司 FINE!")]
    ["don't", "i'm", '寿', '司', 'fine']
    """
    shown, offsets = Comparable.of(text)
    return [
        Word(found[0].casefold().replace("’", "'"), offsets[found.start()], offsets[found.end()])
        for found in islice(_WORD.finditer(shown), most)
    ]


def folded_words(text: str) -> list[str]:
    """The words of a text without their places, in a third of the time.

    >>> folded_words("Don’t: FINE!")
    ["don't", 'fine']
    """
    if text.isascii():
        return _WORD.findall(text.lower())
    return [word.casefold().replace("’", "'") for word in _WORD.findall(comparable(text))]


def pairs_of(text: str) -> list[str]:
    """The pairs of neighbouring characters of scripts without spaces, and characters that stand alone.

    >>> pairs_of("我喜欢 tea と")
    ['我喜', '喜欢', 'と']
    """
    runs: list[str] = _RUN.findall(comparable(text))
    return [run[at : at + 2] for run in runs for at in range(max(len(run) - 1, 1))]


def search_words(text: str) -> list[str]:
    """The words as the index has them: lower case, contractions in parts, no possessive, runs of scripts without spaces whole.

    >>> search_words("Anna's e-mail? 寿司")
    ['anna', 'e', 'mail', '寿司']
    """
    return _SEARCHED.findall(_POSSESSIVE.sub("", comparable(text).lower()))


def is_by_character(word: str) -> bool:
    """True for a run of a script that the index splits into characters."""
    return _BY_CHARACTER.match(word) is not None


def spaced(text: str) -> str:
    """The text for the index: each character of a script without spaces, or of Korean, becomes a word.

    >>> spaced("I ♥ 寿司!")
    'I ♥  寿  司 !'
    """
    return _RUN_BY_CHARACTER.sub(lambda run: f" {'  '.join(run[0])} ", comparable(text))
