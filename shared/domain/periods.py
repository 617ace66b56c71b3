"""Which days a text speaks of: `yesterday`, `last week`, `on 7 May`, `in May 2023`, `two weeks ago`.

What could be many things is left out, as `in the summer`, and so is what names no day, as `every Friday`.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import date

from shared.domain import calendar
from shared.domain.calendar import COUNT, DAYS, MONTH, WEEK_DAYS, WEEKDAY, Period

_Resolver = Callable[[re.Match[str], date], Period | None]

_STEPS = {"last": -1, "past": -1, "previous": -1, "this": 0, "next": 1}
_ABOUT = {"day": 0, "week": 3, "month": 15, "year": 0}
"""Who says `two weeks ago` is right within so many days."""

_MONTH_DAYS = 30
_MOST = 16
_WORTH_READING = re.compile(
    rf"\d|day|night|morning|evening|afternoon|tomorrow|week|month|year|ago\b|\b{MONTH}\b|{WEEKDAY}|tmrw|tmr", re.IGNORECASE
)

_CUES = ("day", "night", "morning", "evening", "afternoon", "tomorrow", "week", "month", "year", "ago", "tmr")
_DIGIT = re.compile(r"\d")


def periods(text: str, today: date, *, asked: bool = False) -> list[Period]:
    """The periods that a text names, said on this day; in a question (`asked`) a day without a year is past.

    >>> [str(period.first) for period in periods("We met on 7 May and again last Friday", date(2026, 5, 20))]
    ['2026-05-07', '2026-05-15']
    """
    if not (asked or _names_a_time(text)) or not _WORTH_READING.search(text):
        return []
    found: dict[Period, None] = {}
    taken: list[tuple[int, int]] = []
    for pattern, resolver in _ASKED + _RESOLVERS if asked else _RESOLVERS:
        for match in pattern.finditer(text):
            if all(match.end() <= start or end <= match.start() for start, end in taken):
                taken.append(match.span())
                if period := resolver(match, today):
                    found[period] = None
    return list(found)[:_MOST]


def _names_a_time(text: str) -> bool:
    """Whether what is said may name a period: a month does so only beside a number. Tells it quicker than the patterns."""
    folded = text.casefold()
    return any(cue in folded for cue in _CUES) or _DIGIT.search(text) is not None


def _one(day: date | None) -> Period | None:
    return Period(day, day) if day else None


def _day(days: int) -> _Resolver:
    return lambda _, today: calendar.span(today, days, days)


def _iso(match: re.Match[str], _: date) -> Period | None:
    year, month = int(match["year"]), int(match["month"])
    if match["day"]:
        return _one(calendar.day(year, month, int(match["day"])))
    return calendar.month(year, month) if 1 <= month <= calendar.YEAR_MONTHS else None


def _day_of_month(match: re.Match[str], today: date) -> Period | None:
    """With its year; else of the years about the one in which it is nearest."""
    month = calendar.month_number(match["month"] or match["month2"])
    number = int(match["day"] or match["day2"])
    if match["year"]:
        return _one(calendar.day(int(match["year"]), month, number))
    days = [day for years in (-1, 0, 1) if (day := calendar.day(today.year + years, month, number))]
    return _one(min(days, key=lambda day: abs(day - today), default=None))


def _past_day_of_month(match: re.Match[str], today: date) -> Period | None:
    if match["year"]:
        return _day_of_month(match, today)
    month = calendar.month_number(match["month"] or match["month2"])
    days = (calendar.day(today.year - years, month, int(match["day"] or match["day2"])) for years in range(5))
    return _one(next((day for day in days if day and day <= today), None))


def _month_of_year(match: re.Match[str], _: date) -> Period | None:
    return calendar.month(int(match["year"]), calendar.month_number(match["month"]))


def _past_month(match: re.Match[str], today: date) -> Period | None:
    number = calendar.month_number(match["month"])
    return calendar.month(today.year if number <= today.month else today.year - 1, number)


def _whole_year(match: re.Match[str], _: date) -> Period | None:
    return calendar.year(int(match["year"]))


def _period(match: re.Match[str], today: date) -> Period | None:
    steps = _STEPS[match["which"].lower()]
    match match["unit"].lower():
        case "week":
            return calendar.week(today, steps)
        case "weekend":
            return calendar.weekend(today, steps)
        case "month":
            return calendar.month(today.year, today.month + steps)
        case _:
            return calendar.year(today.year + steps)


def _named_weekday(match: re.Match[str], today: date) -> Period | None:
    """`last Friday`: the latest before today. `next Friday`: that of the following week."""
    index = DAYS.index(match["weekday"].lower())
    if match["which"].lower() == "next":
        return _one(calendar.day_at(today, WEEK_DAYS - today.weekday() + index))
    return _one(calendar.day_at(today, (index - today.weekday()) % WEEK_DAYS - WEEK_DAYS))


def _past_weekday(match: re.Match[str], today: date) -> Period | None:
    index = DAYS.index(match["weekday"].lower())
    return _one(calendar.day_at(today, -((today.weekday() - index) % WEEK_DAYS)))


def _ago(match: re.Match[str], today: date) -> Period | None:
    steps, unit = calendar.count(match["count"]), match["unit"].lower()
    if unit == "year":
        return calendar.year(today.year - steps)
    days = -steps * {"day": 1, "week": WEEK_DAYS, "month": _MONTH_DAYS}[unit]
    return calendar.span(today, days - _ABOUT[unit], days + _ABOUT[unit])


def _until_now(match: re.Match[str], today: date) -> Period | None:
    """`the last three weeks`: from then until today."""
    length = {"day": 1, "week": WEEK_DAYS, "month": _MONTH_DAYS, "year": 365}[match["unit"].lower()]
    return calendar.span(today, -calendar.count(match["count"]) * length, 0)


def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(rf"\b{pattern}\b", re.IGNORECASE)


_YEAR = r"(?P<year>(?:19|20)\d\d)"
_OF_MONTH = (
    rf"(?:(?P<day>\d{{1,2}})(?:st|nd|rd|th)? (?:of )?(?P<month>{MONTH})|(?P<month2>{MONTH}) (?:the )?(?P<day2>\d{{1,2}})"
    rf"(?:st|nd|rd|th)?)\b(?:,? {_YEAR})?"
)
_NOT_OFTEN = r"(?<!every )(?<!each )"
_RESOLVERS: tuple[tuple[re.Pattern[str], _Resolver], ...] = (
    (_compiled(r"(?P<year>(?:19|20)\d\d)-(?P<month>\d\d)(?:-(?P<day>\d\d))?"), _iso),
    (_compiled(_OF_MONTH), _day_of_month),
    (_compiled(rf"(?P<month>{MONTH}),? (?:of )?{_YEAR}"), _month_of_year),
    (_compiled(rf"(?:in|during|of|since|throughout|year) (?:early |late )?{_YEAR}"), _whole_year),
    (_compiled("the day before yesterday"), _day(-2)),
    (_compiled("the day after tomorrow"), _day(2)),
    (_compiled("(?:yesterday|last night)"), _day(-1)),
    (_compiled("(?:tomorrow|tmrw|tmr)"), _day(1)),
    (_compiled("(?:today|tonight|this (?:morning|afternoon|evening))"), _day(0)),
    (_compiled(rf"(?P<which>last|next) (?P<weekday>{WEEKDAY})"), _named_weekday),
    (_compiled(rf"(?:last|past) (?P<count>{COUNT}) (?P<unit>day|week|month|year)s"), _until_now),
    (_compiled("(?P<which>last|past|previous|this|next) (?P<unit>weekend|week|month|year)(?! before)"), _period),
    (_compiled(rf"(?P<count>{COUNT}) (?P<unit>day|week|month|year)s? (?:ago|earlier)"), _ago),
)
_ASKED: tuple[tuple[re.Pattern[str], _Resolver], ...] = (
    (_compiled(_OF_MONTH), _past_day_of_month),
    (_compiled(rf"(?:in|during|of|since|last|this) (?P<month>{MONTH})(?!,? (?:of )?\d)"), _past_month),
    (_compiled(rf"{_NOT_OFTEN}(?:on|this) (?P<weekday>{WEEKDAY})"), _past_weekday),
)
