"""From when and until when a clause says that something holds: `since 2019`, `for three years`, `until May`."""

import functools
import re
from collections.abc import Sequence
from datetime import UTC, date, datetime, timedelta
from typing import NamedTuple

from shared.language.statements.old.language import StatementLanguage

_DAYS = {"day": 1, "week": 7, "month": 30.44, "year": 365.25}
_ISO = r"(?P<iso>\d{4}-\d\d(?:-\d\d)?)"
_YEAR = r"(?P<year>(?:19|20)\d\d)"


class Validity(NamedTuple):
    """The moments that a clause names, as far as they can be told."""

    start: datetime | None = None
    end: datetime | None = None
    is_coming: bool = False
    """Whether the start is said as one to come: `from Monday on`."""
    spans: tuple[tuple[int, int], ...] = ()
    """Where the words that say so begin and end in the clause."""


def validity_of(words: Sequence[str], language: StatementLanguage, said_on: date | None) -> Validity:
    """When what a clause states holds. Without the day on which it was said, only what names its year can be told."""
    text = " ".join(words)
    since, starting, until = (pattern.search(text) for pattern in _patterns(language))
    lasting = _lasting(language).search(text)
    start = _moment(since or starting, language, said_on, is_past=since is not None)
    if lasting and said_on:
        start = _at(
            said_on
            - timedelta(
                days=_count(lasting["count"], language)
                * _DAYS[next((unit for unit, words in language.tables.units.items() if lasting["unit"] in words.split()))]
            )
        )
    end = _moment(until, language, said_on, is_past=False)
    is_coming = starting is not None and (start is None or said_on is None or start.date() > said_on)
    return Validity(start, end, is_coming, tuple(found.span() for found in (since, starting, until, lasting) if found))


def moment_of(written: str) -> datetime | None:
    """The moment of a date or a month in digits; None where the calendar has none such.

    >>> moment_of("2026-12"), moment_of("2026-13-01")
    (datetime.datetime(2026, 12, 1, 0, 0, tzinfo=datetime.timezone.utc), None)
    """
    try:
        return _at(date.fromisoformat(written if len(written) > len("2026-12") else f"{written}-01"))
    except ValueError:
        return None


def _moment(
    found: re.Match[str] | None, language: StatementLanguage, said_on: date | None, *, is_past: bool
) -> datetime | None:
    if found is None:
        return None
    if found["iso"]:
        return moment_of(found["iso"])
    month = language.months.get(found["month"] or "", 1)
    if found["year"]:
        return _at(date(int(found["year"]), month, 1))
    if said_on is None:
        return None
    if found["weekday"]:
        ahead = (language.weekdays[found["weekday"]] - said_on.weekday()) % 7
        return _at(said_on + timedelta(days=ahead - 7 if is_past and ahead else ahead))
    day = date(said_on.year, month, 1)
    shift = -1 if is_past and day > said_on else 1 if not is_past and day <= said_on else 0
    return _at(day.replace(year=day.year + shift))


def _at(day: date) -> datetime:
    return datetime(day.year, day.month, day.day, tzinfo=UTC)


def _count(word: str, language: StatementLanguage) -> float:
    return float(word if word.isdigit() else language.tables.numbers.get(word, 1))


@functools.cache
def _patterns(language: StatementLanguage) -> tuple[re.Pattern[str], ...]:
    """What names a moment behind a word for since, for from, and for until."""
    tables = language.tables
    months, weekdays, onwards = "|".join(language.months), "|".join(language.weekdays), "|".join(tables.onwards)
    month = rf"(?:(?P<month>{months})(?: (?:of|de|del))?)?(?: ?{_YEAR})?"
    moment = rf"(?:{_ISO}|(?P<weekday>{weekdays})|{month})(?: (?:{onwards}))?(?!\S)"
    leads = ("|".join(words) for words in (tables.since, tables.starting, tables.until))
    return tuple(re.compile(rf"(?<!\S)(?:{lead}) (?=[^\W\d]|\d{{4}}){moment}") for lead in leads)


@functools.cache
def _lasting(language: StatementLanguage) -> re.Pattern[str]:
    units = "|".join(word for words in language.tables.units.values() for word in words.split())
    lead = "|".join(language.tables.lasting)
    counts = "|".join([r"\d+", *language.tables.numbers])
    return re.compile(rf"(?<!\S)(?:{lead}) (?:[^\W\d]+ )?(?P<count>{counts}) (?P<unit>{units})(?!\S)")
