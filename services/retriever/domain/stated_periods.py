"""The words for days, weeks, months and years that anyone says, and what they mean on the day they are said."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import date

from shared.text import calendar
from shared.text.calendar import COUNT, DAYS, MONTH, WEEK_DAYS, WEEKDAY, Period

Resolver = Callable[[re.Match[str], date], Period | None]
"""From a match and the day on which it was said."""

STEPS = {"last": -1, "past": -1, "previous": -1, "this": 0, "next": 1}
_ABOUT = {"day": 0, "week": 3, "month": 15, "year": 0}
"""Who says `two weeks ago` is right within so many days."""

_UNIT_DAYS = {"day": 1, "week": WEEK_DAYS, "month": 30, "year": 365}
_HALF_YEAR_DAYS = 182
_FORTNIGHT_DAYS = 14
_FEW = 4
"""`A few days ago`: so many, or two more or less."""


def one_day(day: date | None) -> Period | None:
    """A day as a period; None for none."""
    return Period(day, day) if day else None


def _day(days: int) -> Resolver:
    return lambda _, today: calendar.span(today, days, days)


def _iso(match: re.Match[str], _: date) -> Period | None:
    year, month = int(match["year"]), int(match["month"])
    if match["day"]:
        return one_day(calendar.day(year, month, int(match["day"])))
    return calendar.month(year, month) if 1 <= month <= calendar.YEAR_MONTHS else None


def day_of_month(match: re.Match[str], today: date) -> Period | None:
    """With its year; else of the years about the one in which it is nearest."""
    month = calendar.month_number(match["month"] or match["month2"])
    number = int(match["day"] or match["day2"])
    if match["year"]:
        return one_day(calendar.day(int(match["year"]), month, number))
    days = [day for years in (-1, 0, 1) if (day := calendar.day(today.year + years, month, number))]
    return one_day(min(days, key=lambda day: abs(day - today), default=None))


def _month_of_year(match: re.Match[str], _: date) -> Period | None:
    return calendar.month(int(match["year"]), calendar.month_number(match["month"]))


def _whole_year(match: re.Match[str], _: date) -> Period | None:
    return calendar.year(int(match["year"]))


def relative_period(match: re.Match[str], today: date) -> Period | None:
    """`last week`, `this month`: by the calendar, weeks from Monday."""
    steps = STEPS[match["which"].lower()]
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
        return one_day(calendar.day_at(today, WEEK_DAYS - today.weekday() + index))
    return one_day(calendar.day_at(today, (index - today.weekday()) % WEEK_DAYS - WEEK_DAYS))


def _ago(match: re.Match[str], today: date) -> Period | None:
    steps, unit = calendar.count(match["count"]), match["unit"].lower()
    if unit == "year":
        return calendar.year(today.year - steps)
    days = -steps * _UNIT_DAYS[unit]
    return calendar.span(today, days - _ABOUT[unit], days + _ABOUT[unit])


def _vaguely_ago(match: re.Match[str], today: date) -> Period | None:
    """`A few weeks ago`, `a couple of days ago`: the longer the unit the less exactly."""
    length = _UNIT_DAYS[match["unit"].lower()]
    steps, about = (2, max(length // 2, 1)) if match["some"].lower() == "couple" else (_FEW, 2 * length)
    return calendar.span(today, -steps * length - about, -steps * length + about)


def _about(days: int, about: int) -> Resolver:
    return lambda _, today: calendar.span(today, days - about, days + about)


def _until_now(match: re.Match[str], today: date) -> Period | None:
    """`The last three weeks`: from then until today."""
    word = match["count"].lower()
    steps = {"few": _FEW, "couple of": 2}.get(word) or calendar.count(word)
    return calendar.span(today, -steps * _UNIT_DAYS[match["unit"].lower()], 0)


def _numeric(match: re.Match[str], _: date) -> Period | None:
    """`3.5.2023`, day first; with strokes only where one number can be no month, or both are equal."""
    first, second = int(match["first"]), int(match["second"])
    if match["mark"] == "." or first > calendar.YEAR_MONTHS or first == second:
        return one_day(calendar.day(int(match["year"]), second, first))
    return one_day(calendar.day(int(match["year"]), first, second)) if second > calendar.YEAR_MONTHS else None


def compiled(pattern: str) -> re.Pattern[str]:
    """Between word boundaries, in any case."""
    return re.compile(rf"\b{pattern}\b", re.IGNORECASE)


YEAR = r"(?P<year>(?:19|20)\d\d)"
DAY_OF_MONTH = (
    rf"(?:(?P<day>\d{{1,2}})(?:st|nd|rd|th)? (?:of )?(?P<month>{MONTH})|(?P<month2>{MONTH}) (?:the )?(?P<day2>\d{{1,2}})"
    rf"(?:st|nd|rd|th)?)\b(?:,? {YEAR})?"
)
STATED: tuple[tuple[re.Pattern[str], Resolver], ...] = (
    (compiled(r"(?P<year>(?:19|20)\d\d)-(?P<month>\d\d)(?:-(?P<day>\d\d))?"), _iso),
    (compiled(r"(?P<first>\d{1,2})(?P<mark>[./])(?P<second>\d{1,2})(?P=mark)(?P<year>(?:19|20)\d\d)"), _numeric),
    (compiled(DAY_OF_MONTH), day_of_month),
    (compiled(rf"(?P<month>{MONTH}),? (?:of )?{YEAR}"), _month_of_year),
    (compiled(rf"(?:in|during|of|since|throughout|year) (?:early |late )?{YEAR}"), _whole_year),
    (compiled("the day before yesterday"), _day(-2)),
    (compiled("the day after tomorrow"), _day(2)),
    (compiled("(?:yesterday|last night)"), _day(-1)),
    (compiled("(?:tomorrow|tmrw|tmr)"), _day(1)),
    (compiled("(?:today|tonight|this (?:morning|afternoon|evening))"), _day(0)),
    (compiled(rf"(?P<which>last|next) (?P<weekday>{WEEKDAY})"), _named_weekday),
    (compiled(rf"(?:last|past) (?P<count>few|couple of|{COUNT}) (?P<unit>day|week|month|year)s"), _until_now),
    (compiled("(?P<which>last|past|previous|this|next) (?P<unit>weekend|week|month|year)(?! before)"), relative_period),
    (compiled("half a year ago"), _about(-_HALF_YEAR_DAYS, _ABOUT["month"])),
    (compiled("a fortnight ago"), _about(-_FORTNIGHT_DAYS, _ABOUT["week"])),
    (compiled("a (?P<some>couple|few)(?: of)? (?P<unit>day|week|month|year)s ago"), _vaguely_ago),
    (compiled(rf"(?P<count>{COUNT}) (?P<unit>day|week|month|year)s? (?:ago|earlier)"), _ago),
)
