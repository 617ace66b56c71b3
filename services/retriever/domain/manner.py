"""How something is said, whatever it is about: what answers questions tells of oneself, with names and numbers, at some length.

The words of the first and the second person are those of the question's language; other languages leave them unknown.
"""

from __future__ import annotations

import functools
import operator
from typing import Any, NamedTuple

from shared.domain.arrays import NDArray, np
from shared.language.questions.tables import question_tables
from shared.language.text.languages import language_of

_ENOUGH_BYTES = 240
"""What is longer is not the better for it. Bytes, as a letter of a script without spaces says more than one of the alphabet."""

_ENOUGH_NAMES = 5
_DIGITS = "0123456789"
_TO_SPACES = str.maketrans(dict.fromkeys("'’.,!?;:()[]\"“”„…–—-*/\n\t", " "))
_NOUNS_ARE_CAPITAL = "de"
_LANGUAGES = ("en", "de", "fr", "es", "it", "pt")
"""In the order of their bits, which are stored; a language more comes last."""
_I_BY_CHARACTER, _YOU_BY_CHARACTER = "我咱私僕俺", "你您妳"
_EVERY_LANGUAGE = (1 << len(_LANGUAGES)) - 1


class Manner(NamedTuple):
    """How something is said; all in [0, 1]."""

    of_self: float  # 1 if its speaker speaks of themselves
    to_other: float  # 1 if somebody is spoken to
    names: float  # words that are written like names, five or more being 1
    numbers: float  # 1 if it has a digit
    length: float  # 240 bytes or more being 1


PLAIN = Manner(0.0, 0.0, 0.0, 0.0, 0.0)


def language_asked(question: str) -> str:
    """The language in which the manner of the memories is looked for: that of the question."""
    return language_of(question)


class PlainManner(NamedTuple):
    """How a text is said, whatever language it is read in."""

    of_self: int  # a bit for each language in which a word is of the first person
    to_other: int  # and of the second
    capitals: int  # words but the first, and but `I`, that begin with a capital letter, up to five
    has_digit: bool
    length: int  # bytes, up to 240


class PlainManners(NamedTuple):
    """How several texts are said, whatever language they are read in: a column for each field of `PlainManner`."""

    of_self: NDArray[Any]
    to_other: NDArray[Any]
    capitals: NDArray[Any]
    has_digit: NDArray[Any]
    length: NDArray[Any]

    def read_in(self, language: str, are_facts: NDArray[Any]) -> NDArray[Any]:
        """The manners to who reads the texts in a language, float64[5, n]: a row for each field of `Manner`.

        A fact says of its person what the person said of themselves.
        """
        bit, found = 1 << _LANGUAGES.index(language), np.zeros((len(Manner._fields), len(self.capitals)))
        found[0] = are_facts | (self.of_self & bit != 0)
        found[1] = self.to_other & bit != 0
        if language != _NOUNS_ARE_CAPITAL:
            found[2] = self.capitals.astype(float) / _ENOUGH_NAMES
        found[3] = self.has_digit
        found[4] = self.length.astype(float) / _ENOUGH_BYTES
        return found


def manner_of(text: str, language: str, *, is_fact: bool = False) -> Manner:
    """How a text is said, read in a language.

    >>> manner_of("I met Ben in 2019", "en")
    Manner(of_self=1.0, to_other=0.0, names=0.2, numbers=1.0, length=0.07083333333333333)
    """
    columns = PlainManners._make(np.array([value]) for value in plain_manner(text))
    return Manner._make(columns.read_in(language, np.array([is_fact]))[:, 0].tolist())


def plain_manner(text: str) -> PlainManner:
    """How a text is said, before it is known in which language it will be asked for.

    >>> plain_manner("I met Ben in 2019")
    PlainManner(of_self=1, to_other=0, capitals=1, has_digit=True, length=17)
    """
    words = text.lower().translate(_TO_SPACES).split()
    later = text.split()[1:]
    capital = sum(map(str.istitle, later)) + sum(map(str.isupper, later)) - 2 * later.count("I")
    return PlainManner(
        of_self=_languages(words, text, _languages_by_word()[0], _I_BY_CHARACTER),
        to_other=_languages(words, text, _languages_by_word()[1], _YOU_BY_CHARACTER),
        capitals=min(capital, _ENOUGH_NAMES),
        has_digit=any(digit in text for digit in _DIGITS),
        length=min(len(text.encode()), _ENOUGH_BYTES),
    )


@functools.cache
def _languages_by_word() -> tuple[dict[str, int], dict[str, int]]:
    """The languages, as bits, in which a word is of the first person, and of the second."""
    first, second = dict[str, int](), dict[str, int]()
    for index, tables in enumerate(map(question_tables, _LANGUAGES)):
        for found, words in ((first, tables.first_person), (second, tables.second_person)):
            found.update((word, found.get(word, 0) | 1 << index) for word in words)
    return first, second


def _languages(words: list[str], text: str, known: dict[str, int], characters: str) -> int:
    if not text.isascii() and any(character in text for character in characters):
        return _EVERY_LANGUAGE
    return functools.reduce(operator.or_, (known[word] for word in words if word in known), 0)
