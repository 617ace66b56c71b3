"""Resolves dates that lean on the day of speaking: `yesterday` said on 9 March 2026 becomes `yesterday (2026-03-08)`.

What could be two days is left as it is: better no date than a false one. Days are those of UTC.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import date
from typing import NamedTuple

from services.consolidator.domain.grammar import EITHER, is_past
from shared.text import calendar
from shared.text.calendar import COUNT, DAYS, MONTH, WEEK_DAYS, WEEKDAY

_COUNT = rf"(?P<count>{COUNT})"
_DAY_OF_MONTH = (
    rf"(?:(?P<weekday>{WEEKDAY}),? (?:the )?)?"
    rf"(?:(?P<day>\d{{1,2}})(?:st|nd|rd|th)? (?:of )?(?P<month>{MONTH})|(?P<month2>{MONTH}) (?P<day2>\d{{1,2}})(?:st|nd|rd"
    rf"|th)?)"
    r"\b(?!,? \d{4}|:\d)"
)
_RECURRING = re.compile(
    rf"\b(?:every|each|always|usually|weekly|normally|often|never|{WEEKDAY}s|birthday|anniversary|born|annual(?:ly)?)\b",
    re.IGNORECASE,
)
_FUTURE = re.compile(
    r"\b(?:will|'ll|is|are|am|(?:decided|wanted|planned|hoped|promised|agreed|had|needed|asked|meant|offered|supposed|arranged"
    r"|intended|invited|told \w+) to)\b",
    re.IGNORECASE,
)
_WORD = re.compile(r"[A-Za-z]+")


class _Clause(NamedTuple):
    """What a resolver may look at."""

    match: re.Match[str]
    today: date
    sentence: str

    @property
    def direction(self) -> int:
        """-1 where the words before the date tell of the past, 1 of what is to come, 0 where they do not say."""
        before = self.sentence[: self.match.start()]
        words = [word.lower() for word in _WORD.findall(before)]
        past, future = any(map(is_past, words)), bool(_FUTURE.search(before))
        if past or future:
            return int(future) - int(past)
        return 0 if EITHER.intersection(words) else 1


_Resolver = Callable[[_Clause], str | None]


def resolved(sentence: str, today: date) -> str:
    """The sentence with an ISO date after each expression that needs the day of speaking to be understood.

    >>> resolved("Anna went to Oslo yesterday", date(2026, 3, 9))
    'Anna went to Oslo yesterday (2026-03-08)'
    """
    found: list[tuple[int, int, str]] = []
    for pattern, resolver in _RESOLVERS:
        for match in pattern.finditer(sentence):
            meant = resolver(_Clause(match, today, sentence))
            if meant and all(match.end() <= start or end <= match.start() for start, end, _ in found):
                found.append((match.start(), match.end(), meant))
    for _, end, meant in sorted(found, reverse=True):
        sentence = f"{sentence[:end]} ({meant}){sentence[end:]}"
    return sentence


def _day(days: int) -> _Resolver:
    return lambda clause: _iso(clause.today, days)


def _iso(today: date, days: int) -> str | None:
    day = calendar.day_at(today, days)
    return day.isoformat() if day else None


def _day_of_month(clause: _Clause) -> str | None:
    """`Sunday 10 May`: of the years about, the nearest in which it is that weekday."""
    match, today = clause.match, clause.today
    weekday = match["weekday"]
    if not weekday and _RECURRING.search(clause.sentence):
        return None
    month = calendar.month_number(match["month"] or match["month2"])
    days = [day for year in (-1, 0, 1) if (day := calendar.day(today.year + year, month, int(match["day"] or match["day2"])))]
    if weekday:
        days = [day for day in days if day.weekday() == DAYS.index(weekday.lower())]
    nearest = min(days, key=lambda day: abs(day - today), default=None)
    return nearest.isoformat() if nearest else None


def _weekday(clause: _Clause) -> str | None:
    """`on Friday`, `this Friday`: the one before in a tale of the past, else the one to come. Today's own could be either."""
    if _RECURRING.search(clause.sentence):
        return None
    days = (DAYS.index(clause.match["weekday"].lower()) - clause.today.weekday()) % WEEK_DAYS
    if not days or not clause.direction:
        return None
    return _iso(clause.today, days if clause.direction > 0 else days - WEEK_DAYS)


def _named_weekday(clause: _Clause) -> str | None:
    """`last Friday`: the latest before today. `next Friday`: that of the following week, which begins on a Monday."""
    index = DAYS.index(clause.match["weekday"].lower())
    if clause.match["which"].lower() == "next":
        return _iso(clause.today, WEEK_DAYS - clause.today.weekday() + index)
    return _iso(clause.today, (index - clause.today.weekday()) % WEEK_DAYS - WEEK_DAYS)


def _period(clause: _Clause) -> str | None:
    """`last week`, `this weekend`, `next month`, `last year`."""
    steps = {"last": -1, "this": 0, "next": 1}[clause.match["which"].lower()]
    match clause.match["unit"].lower():
        case "week":
            found = calendar.week(clause.today, steps)
            return found and f"week of {found.first.isoformat()}"
        case "weekend":
            found = calendar.weekend(clause.today, steps)
            return found and f"weekend of {found.first.isoformat()}"
        case "month":
            return _month(clause.today, steps)
        case _:
            return _year(clause.today, steps)


def _month(today: date, months: int) -> str | None:
    found = calendar.month(today.year, today.month + months)
    return found and found.first.isoformat()[:7]


def _year(today: date, years: int) -> str | None:
    found = calendar.year(today.year + years)
    return found and f"{found.first.year:04}"


def _distance(clause: _Clause) -> str | None:
    """`3 days ago`, `in two weeks` (but not `done in two weeks`): the day, a day about, the month or the year."""
    is_ago = bool(clause.match["ago"])
    if not is_ago and not (clause.match["in"] and clause.direction > 0):
        return None
    steps = calendar.count(clause.match["count"]) * (-1 if is_ago else 1)
    match clause.match["unit"].lower():
        case "day":
            return _iso(clause.today, steps)
        case "week":
            day = _iso(clause.today, steps * WEEK_DAYS)
            return day and f"about {day}"
        case "month":
            return _month(clause.today, steps)
        case _:
            return _year(clause.today, steps)


def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(rf"\b{pattern}", re.IGNORECASE)


_NO_MORE = r"\b(?!'s)"
_NO_DATE = rf"(?!,? (?:the )?\d|,? (?:the )?{MONTH}\b| (?:mornings|afternoons|evenings|nights))"
_RESOLVERS: tuple[tuple[re.Pattern[str], _Resolver], ...] = (
    (_compiled(_DAY_OF_MONTH), _day_of_month),
    (_compiled(rf"the day before yesterday{_NO_MORE}"), _day(-2)),
    (_compiled(rf"the day after tomorrow{_NO_MORE}"), _day(2)),
    (_compiled(rf"(?:yesterday(?: (?:morning|afternoon|evening|night))?|last night){_NO_MORE}"), _day(-1)),
    (_compiled(rf"(?:tomorrow|tmrw|tmr)(?: (?:morning|afternoon|evening|night))?{_NO_MORE}"), _day(1)),
    (_compiled(rf"(?:today|tonight|this (?:morning|afternoon|evening)){_NO_MORE}"), _day(0)),
    (_compiled(rf"(?P<which>last|next) (?P<weekday>{WEEKDAY}){_NO_MORE}"), _named_weekday),
    (_compiled(rf"(?:on|this|by|until|before) (?P<weekday>{WEEKDAY}){_NO_MORE}{_NO_DATE}"), _weekday),
    (_compiled(rf"(?P<which>last|this|next) (?P<unit>weekend|week|month|year){_NO_MORE}"), _period),
    (_compiled(rf"(?P<in>in )?{_COUNT} (?P<unit>day|week|month|year)s?(?P<ago> ago)?{_NO_MORE}"), _distance),
)
