"""How something is said, whatever it is about: what answers questions tells of oneself, with names and numbers, at some length.

The words of the first and the second person are those of the question's language; other languages leave them unknown.
"""

from __future__ import annotations

import functools
import operator
from typing import Any, NamedTuple

from shared.domain.arrays import NDArray, np
from shared.text.languages import language_of
from shared.text.words import search_words

_ENOUGH_BYTES = 240
"""What is longer is not the better for it. Bytes, as a letter of a script without spaces says more than one of the alphabet."""

_ENOUGH_NAMES = 5
_DIGITS = "0123456789"
_TO_SPACES = str.maketrans(dict.fromkeys("'’.,!?;:()[]\"“”„…–—-*/\n\t", " "))
_NOUNS_ARE_CAPITAL = "de"
_I = {
    "en": "i im ive my me mine myself we our ours us",
    "de": "ich mein meine meinen meinem meiner meines mir mich wir unser unsere unseren unserem uns",
    "fr": "je j mon ma mes moi nous notre nos",
    "es": "yo mi mis me mí nosotros nosotras nuestro nuestra nuestros nuestras nos",
    "it": "io mio mia miei mie mi me noi nostro nostra ci",
    "pt": "eu meu minha meus minhas me mim nós nosso nossa nos",
    "nl": "ik mijn me mij wij we ons onze",
}
_YOU = {
    "en": "you your yours yourself u ur",
    "de": "du dein deine deinen deinem deiner dir dich euch euer eure",
    "fr": "tu ton ta tes toi te t vous votre vos",
    "es": "tú tu tus te ti usted ustedes vosotros",
    "it": "tu tuo tua tuoi tue ti te voi vostro",
    "pt": "tu teu tua te ti você vocês",
    "nl": "jij je jou jouw jullie u uw",
}
_LANGUAGES = tuple(_I)
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
    return language_of(search_words(question))


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
    for found, of in ((first, _I), (second, _YOU)):
        for index, language in enumerate(_LANGUAGES):
            for word in of[language].split():
                found[word] = found.get(word, 0) | 1 << index
    return first, second


def _languages(words: list[str], text: str, known: dict[str, int], characters: str) -> int:
    if not text.isascii() and any(character in text for character in characters):
        return _EVERY_LANGUAGE
    return functools.reduce(operator.or_, (known[word] for word in words if word in known), 0)
