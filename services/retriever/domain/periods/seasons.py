"""Seasons, quarters, decades and short years, as a question names them."""

import re
from collections.abc import Sequence
from datetime import date

from shared.text import calendar
from shared.text.calendar import STEPS, Period

SEASONS = {"spring": 3, "summer": 6, "autumn": 9, "fall": 9, "winter": 12}
"""The month in which each begins; of three months."""

SEASON = rf"(?P<season>{'|'.join(SEASONS)})"
_SEASON_MONTHS = 3
_QUARTER_MONTHS = 3
DECADES = {
    word: 10 * tens
    for tens, word in enumerate("twenties thirties forties fifties sixties seventies eighties nineties".split(), start=2)  # noqa: SIM905
}


def latest(periods: Sequence[Period | None], today: date) -> Period | None:
    """The latest of these that has begun."""
    return max((period for period in periods if period and period.first <= today), default=None)


def _of_season(year: int, season: str) -> Period | None:
    """Spring from March on; the winter of a year begins in its December."""
    return calendar.months(year, SEASONS[season.lower()], _SEASON_MONTHS)


def season_of_year(match: re.Match[str], _: date) -> Period | None:
    """`The spring of 2023`, `winter 2023`."""
    return _of_season(int(match["year"]), match["season"])


def past_season(match: re.Match[str], today: date) -> Period | None:
    """`This summer`: the latest that has begun. `last summer`: the latest that is over."""
    found = [_of_season(today.year - years, match["season"]) for years in range(4)]
    begun = [each for each in found if each and each.first <= today]
    over = [each for each in begun if each.last < today or match["which"].lower() == "this"]
    return over[0] if over else None


def season_before_last(match: re.Match[str], today: date) -> Period | None:
    """The one before the latest that is over."""
    found = [_of_season(today.year - years, match["season"]) for years in range(5)]
    over = [each for each in found if each and each.last < today]
    return over[1] if len(over) > 1 else None


def decade(match: re.Match[str], today: date) -> Period | None:
    """`The 90s`, `the 1990s`, `the nineties`: of two centuries the latest that has begun."""
    if match["word"]:
        tens = DECADES[match["word"].lower()]
    else:
        tens = int(match["tens"])
        if match["century"]:
            return _years(int(match["century"]) * 100 + tens, 9)
    return latest([_years(century * 100 + tens, 9) for century in (today.year // 100, today.year // 100 - 1)], today)


def _years(first: int, more: int) -> Period | None:
    begin, end = calendar.year(first), calendar.year(first + more)
    return Period(begin.first, end.last) if begin and end else None


def short_year(match: re.Match[str], today: date) -> Period | None:
    """`'98`: the latest year that ends so and has begun."""
    century = today.year // 100 * 100
    return latest([calendar.year(start + int(match["tens"])) for start in (century, century - 100)], today)


def quarter_of_year(match: re.Match[str], _: date) -> Period | None:
    """`Q3 2024`."""
    return calendar.months(int(match["year"]), _QUARTER_MONTHS * (int(match["quarter"]) - 1) + 1, _QUARTER_MONTHS)


def quarter(match: re.Match[str], today: date) -> Period | None:
    """`Last quarter`, by the calendar."""
    first = (today.month - 1) // _QUARTER_MONTHS * _QUARTER_MONTHS + 1
    return calendar.months(today.year, first + STEPS[match["which"].lower()] * _QUARTER_MONTHS, _QUARTER_MONTHS)


def half_of_year(match: re.Match[str], _: date) -> Period | None:
    """`The first half of 2024`."""
    return calendar.months(int(match["year"]), 1 if match["half"].lower() == "first" else 7, 6)
