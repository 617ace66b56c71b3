"""What words, names and numbers a text has, so that a fact can be compared with the turns that it is drawn from."""

import re
from dataclasses import dataclass
from functools import cache, cached_property, reduce
from itertools import pairwise
from unicodedata import category, normalize

from shared.language.statements.frame_words import AFFIRMING, DENYING, FRAME, RELATIVE
from shared.language.statements.language import statement_language
from shared.language.statements.related_words import related_words
from shared.language.tables import CODES
from shared.language.text.calendar import DAYS, MONTHS, NUMBERS
from shared.language.text.cleaning import folded
from shared.language.text.languages import STOP_WORDS, language_of
from shared.language.text.scripts import UNSPACED
from shared.language.text.stemming import stem
from shared.language.text.words import pairs_of

_WORD = re.compile(rf"[^\W\d_{UNSPACED}]+(?:['’-][^\W\d_{UNSPACED}]+)*")
_DATE = re.compile(r"\b(\d{4})-(\d{1,2})-(\d{1,2})\b")
_CLOCK = re.compile(r"\b(\d{1,2})[:.](\d\d)\b")
_NUMBER = re.compile(r"\d[\d.,' ]*\d|\d")
_THOUSANDS = re.compile(r"(?<!\d)(\d{1,9}+(?:[.,]\d{1,9}+)?) ?k\b", re.IGNORECASE)
_MOST_DIGITS = 64
"""More are no number to compare; of thousands Python would make none."""
_UNSPACED = re.compile(f"[{UNSPACED}]")
_LATIN = re.compile(r"[A-Za-zÀ-ɏ]")
_TENS = {word: 10 * n for n, word in enumerate("twenty thirty forty fifty sixty seventy eighty ninety".split(), 2)}  # noqa: SIM905
_MONTHS_ABROAD = {
    name: number
    for names in (
        "januar februar märz april mai juni juli august september oktober november dezember",
        "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre",
        "janvier février mars avril mai juin juillet août septembre octobre novembre décembre",
    )
    for number, name in enumerate(names.split(), start=1)
}


@dataclass(frozen=True)
class StatedWords:
    """The words of a text."""

    text: str

    @cached_property
    def words(self) -> tuple[str, ...]:
        """The words of the text in order, as they are written."""
        return tuple(match[0].replace("’", "'") for match in _WORD.finditer(self.text))

    @cached_property
    def plain(self) -> frozenset[str]:
        """The words of the text in lower case."""
        return frozenset(part for word in self.words for part in (_plain(word), *_plain(word).split("-")) if part)

    @cached_property
    def unaccented(self) -> frozenset[str]:
        """The words of the text in lower case, without accents."""
        return frozenset(map(unaccented, self.plain))

    @cached_property
    def pairs(self) -> frozenset[str]:
        """Pairs of characters of scripts without spaces."""
        return frozenset(pairs_of(self.text))

    @cached_property
    def days(self) -> frozenset[str]:
        """The days of the week that it names, in English."""
        return self.plain.intersection(DAYS)

    @cached_property
    def stems(self) -> frozenset[str]:
        """The stems of its words by the rules of English and of its own language."""
        languages = {"en", self.language}
        return frozenset(stem(word, each) for word in self.plain for each in languages)

    @cached_property
    def groups(self) -> frozenset[int]:
        """The groups of related words that it has words of."""
        return reduce(frozenset.union, (related_words().get(each, frozenset()) for each in self.stems), frozenset())

    @cached_property
    def language(self) -> str:
        """The code of its language: English unless its words say otherwise."""
        return language_of(self.text)

    @cached_property
    def is_latin(self) -> bool:
        """True unless most of it is in another script."""
        letters = [character for character in self.text if character.isalpha()]
        return 2 * len(_LATIN.findall(self.text)) >= len(letters)

    @cached_property
    def numbers(self) -> frozenset[int]:
        """The whole numbers in it, in digits and in words, without dates."""
        text = _THOUSANDS.sub(lambda found: f" {round(float(found[1].replace(',', '.')) * 1000)} ", _DATE.sub(" ", self.text))
        return frozenset((*_in_digits(text), *_in_words(self.words)))

    @cached_property
    def dates(self) -> tuple[tuple[int, int, int], ...]:
        """The dates in it that are written out: year, month, day."""
        return tuple((int(year), int(month), int(day)) for year, month, day in _DATE.findall(self.text))

    @cached_property
    def months(self) -> frozenset[int]:
        """The months that it names."""
        return frozenset(number for word in self.plain if (number := month_number(word)))

    @cached_property
    def is_relative(self) -> bool:
        """True if it says when by words from which a date can be worked out: yesterday, next week, on Friday."""
        return not RELATIVE.isdisjoint(self.plain) or bool(self.days)

    @property
    def affirms(self) -> bool:
        """True if it begins by agreeing to what was asked."""
        return any(_plain(word) in AFFIRMING for word in self.words[:3])

    @property
    def denies(self) -> bool:
        """True if it begins by denying it."""
        return any(_plain(word) in DENYING for word in self.words[:2])


def unaccented(word: str) -> str:
    """The word without accents.

    >>> unaccented("münchen")
    'munchen'
    """
    return "".join(character for character in normalize("NFD", word) if category(character) != "Mn")


def month_number(word: str) -> int | None:
    """The number of the month that a word names, in four languages; `may` and `mars` count as one, too."""
    return MONTHS.get(word) or _MONTHS_ABROAD.get(word)


def is_frame(word: str) -> bool:
    """True if a word of a fact says nothing that needs evidence."""
    plain = _plain(word)
    return plain in _frame() or plain.removesuffix("'s") in _frame() or len(plain) == 1


@cache
def _frame() -> frozenset[str]:
    return FRAME.union(*(STOP_WORDS[code] for code in CODES))


def _plain(word: str) -> str:
    return folded(word).removesuffix("'s")


def _in_digits(text: str) -> list[int]:
    """Numbers as they are written: `1,400` and `0160 555 123` are one each, `15:30` is 15 and 30."""
    found: list[int] = []
    for match in _NUMBER.finditer(text):
        digits = re.sub(r"[.,]\d{1,2}$", "", match[0])
        parts = (re.sub(r"\D", "", digits), *re.findall(r"\d+", match[0]))
        found.extend(int(part) for part in parts if len(part) <= _MOST_DIGITS)
    return found


def _in_words(words: tuple[str, ...]) -> list[int]:
    plain = [part for word in words for part in _plain(word).split("-")]
    found = [number for word in plain for number in [_counts().get(word)] if number is not None]
    for first, second in pairwise(plain):
        if first in _TENS and 0 < _counts().get(second, 0) < 10:  # noqa: PLR2004 - a digit: twenty-five
            found.append(_TENS[first] + _counts()[second])
    return found


@cache
def _counts() -> dict[str, int]:
    counts = {word: number for number, word in enumerate(NUMBERS)} | _TENS
    for code in CODES[1:]:
        for word, number in statement_language(code).numbers.items():
            if word not in {"un", "une", "ein", "eine", "una", "uno"}:
                counts.setdefault(word, number)
    return counts | {"dix": 10, "zehn": 10, "diez": 10, "half": 30, "quarter": 15, "twice": 2, "couple": 2, "dozen": 12}
