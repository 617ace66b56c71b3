"""Days, weeks and months by the calendar, and the English words for them."""

from __future__ import annotations

from datetime import date, timedelta
from typing import NamedTuple

DAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_NUMBERS = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
COUNTS = {"a": 1, "an": 1} | {word: number for number, word in enumerate(_NUMBERS, start=1)}
WEEK_DAYS = 7
YEAR_MONTHS = 12
SATURDAY = 5

WEEKDAY = "(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day"
MONTH = (
    "(?:Jan(?:uary)?|Feb(?:ruary)?|Mar(?:ch)?|Apr(?:il)?|May|June?|July?|Aug(?:ust)?|Sept?(?:ember)?|Oct(?:ober)?"
    "|Nov(?:ember)?|Dec(?:ember)?)"
)
COUNT = rf"(?:{'|'.join(COUNTS)}|\d{{1,3}})"
"""Patterns, to be compiled without regard to case."""


class Period(NamedTuple):
    """Some days on end, both ends included."""

    first: date
    last: date

    @property
    def days(self) -> int:
        """How many they are."""
        return (self.last - self.first).days + 1


def day_at(today: date, days: int) -> date | None:
    """So many days later; None outside the years 1 to 9999."""
    try:
        return today + timedelta(days=days)
    except OverflowError:
        return None


def span(today: date, first: int, last: int) -> Period | None:
    """From so many days later to so many days later.

    >>> span(date(2026, 5, 3), -1, 0).days
    2
    """
    begin, end = day_at(today, first), day_at(today, last)
    return Period(begin, end) if begin and end else None


def week(today: date, steps: int = 0) -> Period | None:
    """The week so many weeks later, Monday to Sunday."""
    monday = steps * WEEK_DAYS - today.weekday()
    return span(today, monday, monday + WEEK_DAYS - 1)


def weekend(today: date, steps: int = 0) -> Period | None:
    """Saturday and Sunday of that week."""
    saturday = steps * WEEK_DAYS + SATURDAY - today.weekday()
    return span(today, saturday, saturday + 1)


def month(year: int, number: int) -> Period | None:
    """A month by its number; 0 is December of the year before, and so on in both directions.

    >>> month(2024, 14)
    Period(first=datetime.date(2025, 2, 1), last=datetime.date(2025, 2, 28))
    """
    years, index = divmod(number - 1, YEAR_MONTHS)
    if not date.min.year <= year + years < date.max.year:
        return None
    first = date(year + years, index + 1, 1)
    following = date(first.year + (index + 1) // YEAR_MONTHS, (index + 1) % YEAR_MONTHS + 1, 1)
    return Period(first, following - timedelta(days=1))


def year(number: int) -> Period | None:
    """A whole year."""
    return Period(date(number, 1, 1), date(number, 12, 31)) if date.min.year <= number <= date.max.year else None


def third(period: Period, index: int) -> Period:
    """Its first (0), middle (1) or last (2) third, in whole days.

    >>> str(third(Period(date(2023, 5, 1), date(2023, 5, 31)), 2).first)
    '2023-05-21'
    """
    begin, end = period.days * index // 3, period.days * (index + 1) // 3
    return Period(period.first + timedelta(days=begin), period.first + timedelta(days=end - 1))


def months(year: int, first: int, count: int) -> Period | None:
    """So many months from that one on; numbers as in `month`."""
    begin, end = month(year, first), month(year, first + count - 1)
    return Period(begin.first, end.last) if begin and end else None


def easter(year: int) -> date:
    """Easter Sunday of the Gregorian calendar.

    Source: J. Meeus, Astronomical Algorithms (1991), chapter 8.

    >>> str(easter(2026))
    '2026-04-05'
    """
    a, (b, c) = year % 19, divmod(year, 100)
    h = (19 * a + b - b // 4 - (b - (b + 8) // 25 + 1) // 3 + 15) % 30
    weekday = (32 + 2 * (b % 4) + 2 * (c // 4) - h - c % 4) % 7
    after = h + weekday - 7 * ((a + 11 * h + 22 * weekday) // 451) + 114
    return date(year, after // 31, after % 31 + 1)


def day(year: int, month: int, number: int) -> date | None:
    """A day; None where there is none of that name."""
    try:
        return date(year, month, number)
    except ValueError:
        return None


def month_number(name: str) -> int:
    """1 to 12, by the first three letters."""
    return MONTHS.index(name[:3].lower()) + 1


def count(word: str) -> int:
    """The number that a word of COUNT says."""
    return COUNTS.get(word.lower()) or int(word)
