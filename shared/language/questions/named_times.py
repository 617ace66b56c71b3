"""The words for days, weeks, months and years that anyone says, and what they mean on the day they are said."""

import re
from collections.abc import Callable, Mapping
from datetime import date

from shared.language.text import calendar
from shared.language.text.calendar import COUNT, DAY_OF_MONTH, DAYS_FROM_TODAY, MONTH, MONTHS, STEPS, WEEK_DAYS, WEEKDAY, Period

Resolver = Callable[[re.Match[str], date], Period | None]
"""From a match and the day on which it was said."""

Patterns = tuple[tuple[re.Pattern[str], Resolver], ...]
"""Patterns in their order, and what each of them means."""

_UNITS = {"day": (1, 0), "week": (WEEK_DAYS, 3), "month": (30, 15), "year": (365, 0)}
"""Days of each, and within how many of them `two weeks ago` is right."""
_FEW = 4
"""`A few days ago`: so many, or two more or less."""


def one_day(day: date | None) -> Period | None:
    """A day as a period; None for none."""
    return Period(day, day) if day else None


def about(days: int, within: int = 0) -> Resolver:
    """So many days after today, right within some."""
    return lambda _, today: calendar.span(today, days - within, days + within)


def _iso(match: re.Match[str], _: date) -> Period | None:
    year, month = int(match["year"]), int(match["month"])
    if match["day"]:
        return one_day(calendar.day(year, month, int(match["day"])))
    return calendar.month(year, month) if 1 <= month <= calendar.YEAR_MONTHS else None


def _numeric(match: re.Match[str], _: date) -> Period | None:
    """`3.5.2023`, day first; with strokes only where one number can be no month, or both are equal."""
    first, second = int(match["first"]), int(match["second"])
    if match["mark"] == "." or first > calendar.YEAR_MONTHS or first == second:
        return one_day(calendar.day(int(match["year"]), second, first))
    return one_day(calendar.day(int(match["year"]), first, second)) if second > calendar.YEAR_MONTHS else None


def _day_of_month(match: re.Match[str], today: date) -> Period | None:
    """`7 May 2023`; without a year the nearest `7 May`."""
    month, number = calendar.day_of_month(match)
    return one_day(
        calendar.day(int(match["year"]), month, number) if match["year"] else calendar.nearest_day(today, month, number)
    )


def _ago(match: re.Match[str], today: date) -> Period | None:
    steps, unit = calendar.count(match["count"]), match["unit"].lower()
    if unit == "year":
        return calendar.year(today.year - steps)
    length, within = _UNITS[unit]
    return about(-steps * length, within)(match, today)


def _vaguely_ago(match: re.Match[str], today: date) -> Period | None:
    """`A few weeks ago`, `a couple of days ago`: the longer the unit the less exactly."""
    length, _ = _UNITS[match["unit"].lower()]
    steps, within = (2, max(length // 2, 1)) if match["some"].lower() == "couple" else (_FEW, 2 * length)
    return about(-steps * length, within)(match, today)


def _until_now(match: re.Match[str], today: date) -> Period | None:
    """`The last three weeks`: from then until today."""
    word = match["count"].lower()
    steps = {"few": _FEW, "couple of": 2}.get(word) or calendar.count(word)
    return calendar.span(today, -steps * _UNITS[match["unit"].lower()][0], 0)


def patterns(meanings: Mapping[str, Resolver]) -> Patterns:
    """The patterns in their order, between word boundaries and in any case, and what each of them means."""
    return tuple((re.compile(rf"\b{pattern}\b", re.IGNORECASE), resolver) for pattern, resolver in meanings.items())


YEAR = r"(?P<year>(?:19|20)\d\d)"
DATE = rf"{DAY_OF_MONTH}(?:,? {YEAR})?"
NUMBERED = patterns(
    {
        rf"{YEAR}-(?P<month>\d\d)(?:-(?P<day>\d\d))?": _iso,
        rf"(?P<first>\d{{1,2}})(?P<mark>[./])(?P<second>\d{{1,2}})(?P=mark){YEAR}": _numeric,
        DATE: _day_of_month,
        rf"(?P<month>{MONTH}),? (?:of )?{YEAR}": lambda match, _: calendar.month(
            int(match["year"]), MONTHS[match["month"].lower()]
        ),
        rf"(?:in|during|of|since|throughout|year) (?:early |late )?{YEAR}": lambda match, _: calendar.year(int(match["year"])),
    }
)
"""What names a time by a number that is written in digits."""

SPOKEN = patterns(
    {
        **{pattern: about(days) for pattern, days in DAYS_FROM_TODAY},
        rf"(?P<which>last|next) (?P<weekday>{WEEKDAY})": lambda match, today: one_day(
            calendar.named_weekday(today, match["which"], match["weekday"])
        ),
        rf"(?:last|past) (?P<count>few|couple of|{COUNT}) (?P<unit>day|week|month|year)s": _until_now,
        "(?P<which>last|past|previous|this|next) (?P<unit>weekend|week|month|year)(?! before)": lambda match, today: (
            calendar.relative_period(today, STEPS[match["which"].lower()], match["unit"])
        ),
        "half a year ago": about(-182, _UNITS["month"][1]),
        "a fortnight ago": about(-2 * WEEK_DAYS, _UNITS["week"][1]),
        "a (?P<some>couple|few)(?: of)? (?P<unit>day|week|month|year)s ago": _vaguely_ago,
        rf"(?P<count>{COUNT}) (?P<unit>day|week|month|year)s? (?:ago|earlier)": _ago,
    }
)
"""What names a time by the words for days, weeks, months and years."""
