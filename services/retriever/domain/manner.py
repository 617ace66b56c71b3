"""How something is said, whatever it is about: what answers questions tells of oneself, with names and numbers, at some length.

The words of the first and the second person are those of the question's language; other languages leave them unknown.
"""

from typing import NamedTuple

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
_FIRST = {language: frozenset(words.split()) for language, words in _I.items()}
_SECOND = {language: frozenset(words.split()) for language, words in _YOU.items()}
_I_BY_CHARACTER, _YOU_BY_CHARACTER = "我咱私僕俺", "你您妳"


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


def manner_of(text: str, language: str, *, is_fact: bool = False) -> Manner:
    """How a text is said. A fact says of its person what the person said of themselves.

    >>> manner_of("I met Ben in 2019", "en")
    Manner(of_self=1.0, to_other=0.0, names=0.2, numbers=1.0, length=0.07083333333333333)
    """
    words = text.lower().translate(_TO_SPACES).split()
    return Manner(
        of_self=float(is_fact or _has(words, text, _FIRST[language], _I_BY_CHARACTER)),
        to_other=float(_has(words, text, _SECOND[language], _YOU_BY_CHARACTER)),
        names=_names(text, language),
        numbers=float(any(digit in text for digit in _DIGITS)),
        length=min(len(text.encode()), _ENOUGH_BYTES) / _ENOUGH_BYTES,
    )


def _has(words: list[str], text: str, known: frozenset[str], characters: str) -> bool:
    return not known.isdisjoint(words) or (not text.isascii() and any(character in text for character in characters))


def _names(text: str, language: str) -> float:
    """How many words but the first, and but `I`, begin with a capital letter; 0 in German, where every noun does."""
    if language == _NOUNS_ARE_CAPITAL:
        return 0.0
    later = text.split()[1:]
    capital = sum(map(str.istitle, later)) + sum(map(str.isupper, later)) - 2 * later.count("I")
    return min(capital, _ENOUGH_NAMES) / _ENOUGH_NAMES
