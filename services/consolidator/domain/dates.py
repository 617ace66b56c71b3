"""Resolves dates that lean on the day of speaking: `yesterday` said on 9 March 2026 becomes `yesterday (2026-03-08)`.

What could be two days is left as it is: better no date than a false one. Days are those of UTC.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import date, timedelta
from typing import NamedTuple

from services.consolidator.domain.grammar import EITHER, is_past

_DAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_COUNTS = {"a": 1, "an": 1, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "ten": 10}
_WEEK_DAYS = 7
_YEAR_MONTHS = 12
_SATURDAY = 5

WEEKDAY = "(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day"
MONTH = (
    "(?:Jan(?:uary)?|Feb(?:ruary)?|Mar(?:ch)?|Apr(?:il)?|May|June?|July?|Aug(?:ust)?|Sept?(?:ember)?|Oct(?:ober)?"
    "|Nov(?:ember)?|Dec(?:ember)?)"
)
_COUNT = rf"(?P<count>{'|'.join(_COUNTS)}|\d{{1,3}})"
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
    try:
        return (today + timedelta(days=days)).isoformat()
    except OverflowError:
        return None


def _day_of_month(clause: _Clause) -> str | None:
    """`Sunday 10 May`: of the years about, the nearest in which it is that weekday."""
    match, today = clause.match, clause.today
    weekday = match["weekday"]
    if not weekday and _RECURRING.search(clause.sentence):
        return None
    month = _MONTHS.index((match["month"] or match["month2"])[:3].lower()) + 1
    days = [day for year in (-1, 0, 1) if (day := _date(today.year + year, month, int(match["day"] or match["day2"])))]
    if weekday:
        days = [day for day in days if day.weekday() == _DAYS.index(weekday.lower())]
    nearest = min(days, key=lambda day: abs(day - today), default=None)
    return nearest.isoformat() if nearest else None


def _date(year: int, month: int, day: int) -> date | None:
    try:
        return date(year, month, day)
    except ValueError:
        return None


def _weekday(clause: _Clause) -> str | None:
    """`on Friday`, `this Friday`: the one before in a tale of the past, else the one to come. Today's own could be either."""
    if _RECURRING.search(clause.sentence):
        return None
    days = (_DAYS.index(clause.match["weekday"].lower()) - clause.today.weekday()) % _WEEK_DAYS
    if not days or not clause.direction:
        return None
    return _iso(clause.today, days if clause.direction > 0 else days - _WEEK_DAYS)


def _named_weekday(clause: _Clause) -> str | None:
    """`last Friday`: the latest before today. `next Friday`: that of the following week, which begins on a Monday."""
    index = _DAYS.index(clause.match["weekday"].lower())
    if clause.match["which"].lower() == "next":
        return _iso(clause.today, _WEEK_DAYS - clause.today.weekday() + index)
    return _iso(clause.today, (index - clause.today.weekday()) % _WEEK_DAYS - _WEEK_DAYS)


def _period(clause: _Clause) -> str | None:
    """`last week`, `this weekend`, `next month`, `last year`."""
    steps = {"last": -1, "this": 0, "next": 1}[clause.match["which"].lower()]
    match clause.match["unit"].lower():
        case "week":
            monday = _iso(clause.today, steps * _WEEK_DAYS - clause.today.weekday())
            return monday and f"week of {monday}"
        case "weekend":
            saturday = _iso(clause.today, steps * _WEEK_DAYS + _SATURDAY - clause.today.weekday())
            return saturday and f"weekend of {saturday}"
        case "month":
            return _month(clause.today, steps)
        case _:
            return _year(clause.today, steps)


def _month(today: date, months: int) -> str | None:
    year, month = divmod(today.year * _YEAR_MONTHS + today.month - 1 + months, _YEAR_MONTHS)
    return f"{year:04}-{month + 1:02}" if date.min.year <= year <= date.max.year else None


def _year(today: date, years: int) -> str | None:
    year = today.year + years
    return f"{year:04}" if date.min.year <= year <= date.max.year else None


def _distance(clause: _Clause) -> str | None:
    """`3 days ago`, `in two weeks` (but not `done in two weeks`): the day, a day about, the month or the year."""
    is_ago = bool(clause.match["ago"])
    if not is_ago and not (clause.match["in"] and clause.direction > 0):
        return None
    word = clause.match["count"].lower()
    steps = (_COUNTS.get(word) or int(word)) * (-1 if is_ago else 1)
    match clause.match["unit"].lower():
        case "day":
            return _iso(clause.today, steps)
        case "week":
            day = _iso(clause.today, steps * _WEEK_DAYS)
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
