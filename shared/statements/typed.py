"""The values in a clause, by their types: what may differ between two sentences that otherwise say the same."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

from shared.statements.clauses import Said

_PHONE = re.compile(r"\+?\(?\d[\d()/.-]*")
_LEAST_DIGITS = 7
_CLOCK = re.compile(r"\d{1,2}(?:[.:]\d\d)?(?:am|pm|uhr|h)|\d{1,2}:\d\d|\d{1,2}h\d\d")
_DATE = re.compile(
    r"\d{4}-\d\d(?:-\d\d)?|\d{1,2}(?:st|nd|rd|th|er)|\d{1,2}/\d{1,2}(?:/\d{2,4})?|\d{1,2}\.\d{1,2}\.(?:\d{2,4})?|\d{1,2}\.(?=$)"
)
_MEASURE = re.compile(r"(\d+(?:[.,]\d+)*)([a-zµ]*)")
_MONEY = re.compile(r"[$€£¥]\d[\d.,]*k?|\d[\d.,]*k?[$€£¥]")
_THOUSANDS = re.compile(r"[,.](?=\d{3}\b)")
_SIGNS = "$€£¥"
_CURRENCIES = frozenset("$ € £ ¥ chf usd eur gbp euro euros pounds quid bucks dollars franken francs dólares pesos".split())  # noqa: SIM905
_TIMES = {"once": "1", "twice": "2", "thrice": "3"}


class ValueType(StrEnum):
    """What a value is."""

    EMAIL = "email"
    PHONE = "phone"
    MONEY = "money"
    TIME = "time"
    NUMBER = "number"
    NAME = "name"


ADDRESSES = frozenset({ValueType.EMAIL, ValueType.PHONE})
"""Types of which a new value stands for the old one, whatever else is said."""


@dataclass(frozen=True, slots=True)
class Typed:
    """The values of a clause, and its other words."""

    values: frozenset[tuple[ValueType, str]]
    rest: tuple[str, ...]

    def differing(self, other: Typed) -> set[ValueType]:
        """The types of which both have values, each one that the other has not; of an address it is enough to be new."""
        mine, others = self._by_type(), other._by_type()
        both = mine.keys() & others.keys()
        return {each for each in both if mine[each] - others[each] and (each in ADDRESSES or others[each] - mine[each])}

    def _by_type(self) -> dict[ValueType, set[str]]:
        found: dict[ValueType, set[str]] = {}
        for kind, value in self.values:
            found.setdefault(kind, set()).add(value)
        return found


def typed(words: Sequence[str], whole: Said) -> Typed:
    """The values of a clause of a text.

    >>> from shared.statements.clauses import said
    >>> sorted(typed(("my", "rent", "is", "£900"), said("My rent is £900", ())).values)
    [(<ValueType.MONEY: 'money'>, '900')]
    """
    values: set[tuple[ValueType, str]] = set()
    rest: list[str] = []
    for word, kind in _typed(words, whole):
        if kind is None:
            rest.append(word)
        else:
            values.add((kind, word))
            if kind is ValueType.NUMBER and (found := _MEASURE.fullmatch(word)) and found[2]:
                rest.append(found[2])
    return Typed(frozenset(values), tuple(rest))


def _typed(words: Sequence[str], whole: Said) -> Iterator[tuple[str, ValueType | None]]:
    place = 0
    while place < len(words):
        end = place
        while end < len(words) and _PHONE.fullmatch(words[end]):
            end += 1
        digits = "".join(character for word in words[place:end] for character in word if character.isdigit())
        if len(digits) >= _LEAST_DIGITS and not _DATE.fullmatch(words[place]):
            yield digits, ValueType.PHONE
            place = end
            continue
        if words[place] not in _CURRENCIES:
            kind = _kind(words[place], words[place - 1] if place else "", "".join(words[place + 1 : place + 2]), whole)
            yield _value(words[place], kind, whole), kind
        place += 1


def _kind(word: str, before: str, following: str, whole: Said) -> ValueType | None:
    months, numbers = whole.language.months, whole.language.tables.numbers
    if "@" in word[1:-1]:
        return ValueType.EMAIL
    if (
        word in months
        or not whole.language.weekdays.keys().isdisjoint((word, word.removesuffix("s")))
        or _CLOCK.fullmatch(word)
        or _DATE.fullmatch(word)
    ):
        return ValueType.TIME
    if word in numbers or word in _TIMES or word[:1].isdigit() or _MONEY.fullmatch(word):
        is_money = _MONEY.fullmatch(word) or following in _CURRENCIES or before in _CURRENCIES
        is_day = following in months or before in months
        return ValueType.MONEY if is_money else ValueType.TIME if is_day else ValueType.NUMBER
    return ValueType.NAME if _is_name(word, before, whole) else None


def _is_name(word: str, before: str, whole: Said) -> bool:
    if before in whole.language.tables.titles:
        return True
    return word in whole.capitals and word not in whole.language.pronouns and not whole.language.tables.nouns_are_capital


def _value(word: str, kind: ValueType | None, whole: Said) -> str:
    """The value in one spelling."""
    if kind is ValueType.MONEY:
        return _THOUSANDS.sub("", word.strip(_SIGNS))
    if kind is ValueType.NUMBER:
        return whole.language.tables.numbers.get(word) or _TIMES.get(word) or _THOUSANDS.sub("", word)
    return word.removesuffix("s") if kind is ValueType.TIME and word not in whole.language.months else word
