"""What the page says, in the languages of its catalogues: a file of keys and sayings for each."""

import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from functools import cache
from pathlib import Path
from typing import Any

from markupsafe import Markup

DEFAULT_LANGUAGE = "en"
_FOLDER = Path(__file__).parent / "catalogues"
_COUNT = "count"


@dataclass(frozen=True, slots=True)
class PageWords:
    """The sayings of one language, and how it writes numbers and days."""

    language: str
    sayings: Mapping[str, str]
    now: datetime
    """From here `today` and `yesterday` are counted."""

    def __call__(self, key: str, **values: Any) -> str:  # noqa: ANN401 - as templates give them
        """The saying of a key. Where it has forms for one and for several, `count` chooses."""
        found = self.sayings.get(key)
        if found is None and _COUNT in values:
            found = self.sayings[f"{key}.one" if values[_COUNT] == 1 else f"{key}.other"]
        if found is None:
            raise KeyError(key)
        return found.format_map({name: self._shown(value) for name, value in values.items()})

    def has(self, key: str) -> bool:
        """Whether there is a saying."""
        return key in self.sayings

    def or_else(self, key: str, otherwise: str, **values: Any) -> str:  # noqa: ANN401 - as templates give them
        """The saying of a key, or of another one where the first has none."""
        return self(key if key in self.sayings else otherwise, **values)

    def number(self, value: int) -> str:
        """A whole number, in groups of three digits.

        >>> words_of("de", now=datetime(2026, 5, 3, tzinfo=UTC)).number(12345)
        '12.345'
        """
        return f"{value:,}".replace(",", self.sayings["format.thousands"])

    def day(self, moment: datetime) -> str:
        """A day as it is said: today, yesterday, 3 May 2026."""
        on = moment.astimezone(UTC).date()
        ago = (self.now.astimezone(UTC).date() - on).days
        if ago in {0, 1}:
            return self(("format.today", "format.yesterday")[ago])
        return self._date(on)

    def moment(self, moment: datetime) -> str:
        """A day and its hour, in UTC."""
        return self("format.moment", day=self._date(moment.astimezone(UTC).date()), time=f"{moment.astimezone(UTC):%H:%M}")

    def month(self, moment: datetime) -> str:
        """A month of a year."""
        on = moment.astimezone(UTC)
        return self("format.month", month=self(f"month.{on.month}"), year=str(on.year))

    def length(self, lasts: timedelta) -> str:
        """How long something lasts, in whole minutes, rounded up."""
        return self("format.minutes", count=max(1, -(-int(lasts.total_seconds()) // 60)))

    def _date(self, on: date) -> str:
        return self("format.date", day=str(on.day), month=self(f"month.{on.month}"), year=str(on.year))

    def _shown(self, value: object) -> str:
        return self.number(value) if isinstance(value, int) else str(value)


def time_tag(words: PageWords, moment: datetime, *, shows: str = "day") -> Markup:
    """A moment for people and for the script, which writes it in their own time zone."""
    said = words.day(moment) if shows == "day" else words.moment(moment)
    tag = Markup('<time datetime="{}" data-shows="{}">{}</time>')
    return tag.format(moment.astimezone(UTC).isoformat(timespec="seconds"), shows, said)


@cache
def catalogue(language: str) -> Mapping[str, str]:
    """The sayings of a language by their keys."""
    with (_FOLDER / f"{language}.toml").open("rb") as file:
        return dict(_flat(tomllib.load(file)))


@cache
def languages() -> tuple[str, ...]:
    """The languages that there are, the default first."""
    found = {path.stem for path in _FOLDER.glob("*.toml")}
    return (DEFAULT_LANGUAGE, *sorted(found - {DEFAULT_LANGUAGE}))


def words_of(language: str, *, now: datetime) -> PageWords:
    """The words of a language; of one that there is not the default's."""
    known = language if language in languages() else DEFAULT_LANGUAGE
    return PageWords(known, catalogue(known), now)


def preferred(accept_language: str | None) -> str:
    """The first language of `Accept-Language` that there is, by weight; the default if there is none.

    >>> preferred("fr, de-AT;q=0.8, en;q=0.5"), preferred("de;q=0, en"), preferred("fr"), preferred(None)
    ('de', 'en', 'en', 'en')
    """
    offered = sorted(_weighed(accept_language or ""), key=lambda each: -each[1])
    return next((language for language, weight in offered if weight > 0 and language in languages()), DEFAULT_LANGUAGE)


def _weighed(header: str) -> Iterator[tuple[str, float]]:
    for part in header.split(",")[:32]:
        name, _, weight = part.strip().partition(";q=")
        try:
            yield name.partition("-")[0].lower(), float(weight or 1)
        except ValueError:
            continue


def _flat(tree: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, str]]:
    for name, value in tree.items():
        if isinstance(value, Mapping):
            yield from _flat(value, f"{prefix}{name}.")
        else:
            yield f"{prefix}{name}", value
