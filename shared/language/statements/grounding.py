"""Tells whether the words of a fact rest on the turns that it is drawn from, so that what a model invents is not learned.

A fact may be put into other words, into the third person and into another language, and its dates may be worked out. But its
names and numbers must have been said, or follow from what was said, and each of its clauses must share something with it and
mean it in the same way: what was denied, asked, wished, over or told of somebody else is stated so, or not at all.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from difflib import SequenceMatcher
from functools import cached_property
from itertools import pairwise
from typing import Protocol

from shared.contracts.parts import Role
from shared.language.statements.frame_words import NAMING, RANKING
from shared.language.statements.related_words import related_words
from shared.language.statements.stances import turns_sense
from shared.language.statements.stated_words import StatedWords, is_frame, month_number, unaccented
from shared.language.text.calendar import DAYS
from shared.language.text.stemming import stem

_CLAUSE = re.compile(
    r"(?:[,;:(]|\b(?:and|but|who|which|while|because|where|und|aber|der|die|y|pero|que|et|mais|qui)\b)+", re.IGNORECASE
)
_ALIKE = 0.7
_LEAST_ALIKE = 4
_LEAST_SHARE = 0.25
_SHORT_ANSWER_WORDS = 12
_LONG_COMMON = 5
_SMALL = 12
_MANY_DIGITS = 100
_YEARS_AROUND = 2
_LIFETIME_YEARS = 120


class TurnSaid(Protocol):
    """A turn of a conversation."""

    @property
    def role(self) -> Role | None:
        """Who spoke."""

    @property
    def speaker(self) -> str | None:
        """The name of who spoke, where it is known."""

    @property
    def text(self) -> str:
        """What was said."""

    @property
    def occurred_at(self) -> datetime:
        """When the turn was said."""


@dataclass(frozen=True)
class FactClause:
    """What of a clause of a fact needs evidence."""

    names: tuple[str, ...]
    words: tuple[str, ...]
    stated: StatedWords


@dataclass(frozen=True)
class Grounds:
    """What a fact may rest on: the user's turns that it cites, and what helps to understand them.

    Known facts explain names only: what is known already is no evidence.
    """

    own: StatedWords
    beside: StatedWords
    known: StatedWords
    day: date
    speakers: frozenset[str]
    said: tuple[str, ...]
    asked: tuple[str, ...]
    names: tuple[str, ...]

    @classmethod
    def of(cls, cited: Sequence[TurnSaid], page: Sequence[TurnSaid], known: Iterable[str] = ()) -> Grounds:
        """The grounds of a fact that cites these turns of a page, where facts that are known were shown, too."""
        own = [turn for turn in cited if turn.role is Role.USER]
        asked = [before.text for before, turn in pairwise(page) if turn in own and _asks(before, turn)]
        others = [turn.text for turn in page if turn.role is Role.USER and turn not in own]
        names = {" ".join(turn.speaker.lower().split()) for turn in page if turn.speaker}
        return cls(
            own=StatedWords("\n".join(turn.text for turn in own)),
            beside=StatedWords("\n".join((*others, *asked))),
            known=StatedWords("\n".join(known)),
            day=max(turn.occurred_at for turn in cited).date(),
            speakers=StatedWords(" ".join(names)).plain,
            said=tuple(turn.text for turn in own),
            asked=tuple(asked),
            names=tuple(sorted(filter(None, names))),
        )

    def supports(self, text: str) -> bool:
        """True if the words of a fact rest on these grounds."""
        fact = StatedWords(text)
        if not all(map(self._has_number, fact.numbers)) or not self._has_dates(fact):
            return False
        if turns_sense(text, self.said, asked=self.asked, speakers=self.names):
            return False
        if fact.is_latin != self.own.is_latin:
            return True  # words in two scripts cannot be compared
        writes_nouns_large = fact.language == "de"
        clauses = [
            self._clause(part, opens=index == 0, writes_nouns_large=writes_nouns_large)
            for index, part in enumerate(_CLAUSE.split(fact.text))
        ]
        if not all(self._has_name(name) for clause in clauses for name in clause.names):
            return False
        if fact.language != self.own.language:
            return True
        return (
            self.own.affirms
            or bool(self.own.pairs & fact.pairs)
            or bool(self.own.numbers and fact.numbers)
            or bool(self.own.days & fact.days)
            or any(_has_alike(name, self.own) for clause in clauses for name in clause.names)
            or any(_has_word(word, self.own) for clause in clauses for word in clause.words)
        ) and all(map(self._has_clause, clauses))

    def _clause(self, part: str, *, opens: bool, writes_nouns_large: bool) -> FactClause:
        stated = StatedWords(part)
        names: list[str] = []
        words: list[str] = []
        for place, word in enumerate(stated.words):
            plain = word.lower().removesuffix("'s")
            if is_frame(word) or plain in self.speakers or month_number(plain) or plain in DAYS or StatedWords(word).numbers:
                continue
            is_written_large = word[0].isupper() and not word.isupper() and not (opens and place == 0)
            is_name = is_written_large and (not writes_nouns_large or stated.words[place - 1].lower() in NAMING)
            (names if is_name else words).append(plain)
        return FactClause(tuple(names), tuple(words), stated)

    def _has_clause(self, clause: FactClause) -> bool:
        """True if enough of a clause was said."""
        if clause.stated.pairs:
            return _is_share(len(clause.stated.pairs & (self.own.pairs | self.beside.pairs)), len(clause.stated.pairs))
        wanted = [*clause.names, *clause.words]
        if not wanted or any(number > _SMALL for number in clause.stated.numbers) or clause.stated.days & self._days:
            return True
        return _is_share(sum(self._has_name(word) or self._has_word(word) for word in wanted), len(wanted))

    def _has_name(self, name: str) -> bool:
        """True if a name was said, perhaps in another spelling: Munich for München."""
        return name in self.speakers or any(_has_alike(name, said) for said in (self.own, self.beside, self.known))

    def _has_word(self, word: str) -> bool:
        return _has_word(word, self.own) or _has_word(word, self.beside)

    def _has_number(self, number: int) -> bool:
        """True if a number was said, follows from one that was, or belongs to a date."""
        if number in self._numbers or self._is_year(number):
            return True
        if _SMALL < number < 2 * _SMALL and number - _SMALL in self._numbers:  # 15:30 for half past three
            return True
        if number <= _SMALL:  # a count of what was listed, or the others of three
            is_rest = number + 1 in self._numbers and not RANKING.isdisjoint(self.own.plain)
            return is_rest or not any(said <= 2 * _SMALL for said in self._numbers)
        return any(str(number) in str(said) or str(said) in str(number) for said in self._numbers if said > _MANY_DIGITS)

    def _is_year(self, number: int) -> bool:
        """True for a year near the turn's, or as many years away from it as a number that was said."""
        away = abs(self.day.year - number)
        return away <= _YEARS_AROUND or (away < _LIFETIME_YEARS and any(abs(away - said) <= 1 for said in self._numbers))

    def _has_dates(self, fact: StatedWords) -> bool:
        """True if the dates and months of a fact were said, or can be worked out from what was."""
        if self.own.is_relative or self.beside.is_relative:
            return True
        told = self.own.months | self.beside.months | {self.day.month}
        are_dates_told = all(month in told and day in self._numbers | {self.day.day} for _, month, day in fact.dates)
        return are_dates_told and (fact.months <= told or bool(self._numbers) or fact.months <= _MAY)

    @cached_property
    def _numbers(self) -> frozenset[int]:
        return self.own.numbers | self.beside.numbers

    @cached_property
    def _days(self) -> frozenset[str]:
        return self.own.days | self.beside.days


_MAY = frozenset((5,))  # the verb, at the beginning of a sentence


def _is_share(found: int, wanted: int) -> bool:
    return found >= _LEAST_SHARE * wanted


def _asks(before: TurnSaid, turn: TurnSaid) -> bool:
    """True if a turn is the question that the next one answers, and not with no."""
    if before.role is Role.USER:
        return False
    answer = StatedWords(turn.text)
    return not answer.denies and (answer.affirms or "?" in before.text or len(answer.words) <= _SHORT_ANSWER_WORDS)


def _has_word(word: str, said: StatedWords) -> bool:
    """True if a text has a word, another form of it, or a related one."""
    stems = {stem(word), stem(word, said.language)}
    if not stems.isdisjoint(said.stems) or not _groups(stems).isdisjoint(said.groups):
        return True
    return any(_begin_alike(unaccented(word), other) for other in said.unaccented)


def _has_alike(name: str, said: StatedWords) -> bool:
    """True if a text has a name, perhaps in the spelling of another language."""
    if not _groups([stem(name)]).isdisjoint(said.groups):
        return True
    return any(_is_alike(unaccented(name), word) for word in said.unaccented)


def _groups(stems: Iterable[str]) -> frozenset[int]:
    return frozenset(group for each in stems for group in related_words().get(each, ()))


def _is_alike(name: str, word: str) -> bool:
    if name == word:
        return True
    if min(len(name), len(word)) < _LEAST_ALIKE:
        return False
    return name.startswith(word) or word.startswith(name) or SequenceMatcher(None, name, word).ratio() >= _ALIKE


def _begin_alike(word: str, other: str) -> bool:
    """True if two words begin alike, or one is a part of the other: `cello` and `cellist`, `nut` and `peanut` not."""
    shorter, longer = sorted((word, other), key=len)
    if len(shorter) < _LEAST_ALIKE:
        return False
    common = next((at for at, (one, two) in enumerate(zip(shorter, longer, strict=False)) if one != two), len(shorter))
    return common >= _LONG_COMMON or (common >= _LEAST_ALIKE and len(shorter) == _LONG_COMMON) or shorter in longer
