"""Days that have a name of their own, and when they are in a year."""

from collections.abc import Callable
from datetime import date, timedelta

from shared.text.calendar import WEEK_DAYS, Period

_THURSDAY = 3
FEAST = (
    r"(?P<feast>Christmas Eve|Christmas(?: Day)?|Boxing Day|New Year['\u2019]?s Eve|New Year(?:['\u2019]?s(?: Day)?)?|Halloween"
    r"|Valentine['\u2019]?s Day|Good Friday|Easter(?: Sunday| Monday)?|Thanksgiving)"
)
"""Their names, as a pattern to be compiled without regard to case."""


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


def _fixed(month: int, first: int, last: int | None = None) -> Callable[[int], Period]:
    return lambda year: Period(date(year, month, first), date(year, month, last or first))


def _easter(first: int, last: int) -> Callable[[int], Period]:
    return lambda year: Period(
        easter(year) + timedelta(days=first),
        easter(year) + timedelta(days=last),
    )


def _thanksgiving(year: int) -> Period:
    """The fourth Thursday of November, as in the United States."""
    first = date(year, 11, 1)
    day = first + timedelta(days=(_THURSDAY - first.weekday()) % WEEK_DAYS + 3 * WEEK_DAYS)
    return Period(day, day)


_FEASTS: dict[str, Callable[[int], Period]] = {
    "christmas": _fixed(12, 24, 26),
    "christmas eve": _fixed(12, 24),
    "christmas day": _fixed(12, 25),
    "boxing day": _fixed(12, 26),
    "new years eve": _fixed(12, 31),
    "new year": _fixed(1, 1),
    "new years": _fixed(1, 1),
    "new years day": _fixed(1, 1),
    "halloween": _fixed(10, 31),
    "valentines day": _fixed(2, 14),
    "good friday": _easter(-2, -2),
    "easter": _easter(-2, 1),
    "easter sunday": _easter(0, 0),
    "easter monday": _easter(1, 1),
    "thanksgiving": _thanksgiving,
}


def feast(name: str, year: int) -> Period | None:
    """When this feast is in that year; None outside the years 1 to 9999. `name`: as FEAST finds it.

    >>> feast("Easter", 2026).first.isoformat()
    '2026-04-03'
    """
    plain = name.lower().replace("'", "").replace("\u2019", "")
    return _FEASTS[plain](year) if date.min.year <= year <= date.max.year else None
