"""Resolves dates relative to the day of speaking: `yesterday` on 9 March 2026 becomes `yesterday (2026-03-08)`.

A date that could be two days is left as it is: better none than a wrong one. The day of speaking is the person's own.
"""

import re
from collections.abc import Callable
from datetime import date
from typing import NamedTuple

from shared.language.text import calendar
from shared.language.text.calendar import COUNT, DAY_OF_MONTH, DAYS, DAYS_FROM_TODAY, MONTH, STEPS, WEEK_DAYS, WEEKDAY
from shared.language.text.grammar import EITHER, is_past
from shared.language.text.words import words_of

_YEARLY = re.compile(r"\b(?:every|each|birthdays?|anniversar(?:y|ies)|born|annual(?:ly)?|yearly)\b", re.IGNORECASE)
_RECURRING = re.compile(rf"{_YEARLY.pattern}|\b(?:always|usually|weekly|normally|often|never|{WEEKDAY}s)\b", re.IGNORECASE)
_FUTURE = re.compile(
    r"\b(?:will|'ll|is|are|am|(?:decided|wanted|planned|hoped|promised|agreed|had|needed|asked|meant|offered|supposed|arranged"
    r"|intended|invited|told \w+) to)\b",
    re.IGNORECASE,
)
_NOW = re.compile(r"\bnow\b", re.IGNORECASE)
_COMING = re.compile(
    r"\b(?:(?:moved|pushed|postponed|rescheduled|extended|delayed|changed|rebooked|shifted|brought forward|put (?:off|back))\b"
    r"[^.,]* (?:to|until|till)|due(?: on| by)?|(?:is|are) on|(?:signed up|registered|enrolled|tickets?|appointment|booked"
    r"|booking|reserved|reservation|scheduled)\b[^.,]* for)(?: the)? $",
    re.IGNORECASE,
)
"""Words right before a day that is to come, whatever the tense: `it was moved to 10 May`, `I booked a table for 10 May`."""
_PLANNED = re.compile(
    r"\b(?:due|deadline|by the|appointment|booked|booking|reserved|reservation|(?:re)?scheduled|signed up|registered|enrolled"
    r"|tickets?)\b",
    re.IGNORECASE,
)
"""Words of what is to come or is just over: `I got an appointment on 24 November`, `about the deadline of 24 November`."""
_NEAR_DAYS = 30
"""A day so near is meant whatever the words around it: who speaks of plans and deadlines mixes the tenses."""


class _DatedClause(NamedTuple):
    """A date expression in its sentence."""

    match: re.Match[str]
    today: date
    sentence: str

    @property
    def direction(self) -> int:
        """-1 if the words before the date speak of the past, 1 of the future, 0 if they do not tell."""
        past, future = self._tenses
        if past or future:
            return int(future) - int(past)
        words = [word.folded for word in words_of(self.sentence[: self.match.start()])]
        return 0 if EITHER.intersection(words) else 1

    @property
    def explicit_direction(self) -> int:
        """The direction if the words before the date tell it; `it was 10 May, now it's 24 May` tells none."""
        if _PLANNED.search(self.sentence[: self.match.start()]):
            return 1
        past, future = self._tenses
        return 0 if past and _NOW.search(self.sentence) else int(future) - int(past)

    @property
    def _tenses(self) -> tuple[bool, bool]:
        """Whether the words before the date speak of the past, and of the future."""
        before = self.sentence[: self.match.start()]
        words = [word.folded for word in words_of(before)]
        return any(map(is_past, words)) and not _HAS_GOT.search(before), bool(_FUTURE.search(before))


_Resolver = Callable[[_DatedClause], str | None]


def resolved(sentence: str, today: date) -> str:
    """The sentence with an ISO date after each date expression that is relative to the day of speaking.

    >>> resolved("Anna went to Oslo yesterday", date(2026, 3, 9))
    'Anna went to Oslo yesterday (2026-03-08)'
    """
    found: list[tuple[int, int, str]] = []
    for pattern, resolver in _RESOLVERS:
        for match in pattern.finditer(sentence):
            meant = resolver(_DatedClause(match, today, sentence))
            if meant and all(match.end() <= start or end <= match.start() for start, end, _ in found):
                found.append((match.start(), match.end(), meant))
    for _, end, meant in sorted(found, reverse=True):
        sentence = f"{sentence[:end]} ({meant}){sentence[end:]}"
    return sentence


def _day(days: int) -> _Resolver:
    return lambda clause: _iso(calendar.day_at(clause.today, days))


def _iso(day: date | None) -> str | None:
    return day.isoformat() if day else None


def _day_of_month(clause: _DatedClause) -> str | None:
    """Resolve `Sunday 10 May`: the nearest year in which it falls on that weekday; without one the nearest that fits the verb.

    A day that does not fit the verb, and is not near either, is in doubt: its words stay as they are.
    """
    weekday, day = clause.match["weekday"], calendar.day_of_month(clause.match)
    if weekday:
        return _iso(calendar.nearest_day(clause.today, *day, weekday))
    if _YEARLY.search(clause.sentence):
        return None
    if _COMING.search(clause.sentence[: clause.match.start()]):
        return _iso(calendar.nearest_day(clause.today, *day, direction=1))
    nearest = calendar.nearest_day(clause.today, *day)
    days = (nearest - clause.today).days if nearest else 0
    return _iso(nearest) if abs(days) <= _NEAR_DAYS or days * clause.explicit_direction >= 0 else None


def _weekday(clause: _DatedClause) -> str | None:
    """Resolve `on Friday`: the last if the sentence speaks of the past, the next if of the future. Not today's own weekday."""
    if _RECURRING.search(clause.sentence):
        return None
    days = (DAYS.index(clause.match["weekday"].lower()) - clause.today.weekday()) % WEEK_DAYS
    if not days or not clause.direction:
        return None
    return _iso(calendar.day_at(clause.today, days if clause.direction > 0 else days - WEEK_DAYS))


def _named_weekday(clause: _DatedClause) -> str | None:
    return _iso(calendar.named_weekday(clause.today, clause.match["which"], clause.match["weekday"]))


def _period(clause: _DatedClause) -> str | None:
    """Resolve `last week`, `this weekend`, `next month`, `last year`."""
    return _steps_away(clause, STEPS[clause.match["which"].lower()])


def _steps_away(clause: _DatedClause, steps: int) -> str | None:
    """The period `steps` units from today, as the first day of a week, a month, or a year."""
    unit = clause.match["unit"].lower()
    found = calendar.relative_period(clause.today, steps, unit)
    if found is None:
        return None
    first = found.first.isoformat()
    return {"month": first[:7], "year": first[:4]}.get(unit, f"{unit} of {first}")


def _distance(clause: _DatedClause) -> str | None:
    """Resolve `3 days ago`, `in two weeks` (not `done in two weeks`): the day, about the day, the month or the year."""
    is_ago = bool(clause.match["ago"])
    if not is_ago and not (clause.match["in"] and clause.direction > 0):
        return None
    steps = calendar.count(clause.match["count"]) * (-1 if is_ago else 1)
    unit = clause.match["unit"].lower()
    if unit == "day":
        return _iso(calendar.day_at(clause.today, steps))
    if unit == "week":
        day = _iso(calendar.day_at(clause.today, steps * WEEK_DAYS))
        return day and f"about {day}"
    return _steps_away(clause, steps)


def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(rf"\b{pattern}", re.IGNORECASE)


_HAS_GOT = re.compile(r"\b(?:have|has|'ve|'s) got\b(?!.*\b(?:was|were|did|had|[a-z]+ed)\b)", re.IGNORECASE)
_NO_MORE = r"\b(?!'s)"
_NO_DATE = rf"(?!,? (?:the )?\d|,? (?:the )?{MONTH}\b| (?:mornings|afternoons|evenings|nights))"
_RESOLVERS: tuple[tuple[re.Pattern[str], _Resolver], ...] = (
    (_compiled(rf"(?:(?P<weekday>{WEEKDAY}),? (?:the )?)?{DAY_OF_MONTH}(?!,? \d{{4}}|:\d)"), _day_of_month),
    *((_compiled(f"{pattern}{_NO_MORE}"), _day(days)) for pattern, days in DAYS_FROM_TODAY),
    (_compiled(rf"(?P<which>last|next) (?P<weekday>{WEEKDAY}){_NO_MORE}"), _named_weekday),
    (_compiled(rf"(?:on|this|by|until|before) (?P<weekday>{WEEKDAY}){_NO_MORE}{_NO_DATE}"), _weekday),
    (_compiled(rf"(?P<which>last|this|next) (?P<unit>weekend|week|month|year){_NO_MORE}"), _period),
    (_compiled(rf"(?P<in>in )?(?P<count>{COUNT}) (?P<unit>day|week|month|year)s?(?P<ago> ago)?{_NO_MORE}"), _distance),
)
