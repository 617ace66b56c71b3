"""Days, weeks and months by the calendar, and the English words for them."""

import re
from datetime import date, timedelta
from typing import NamedTuple

from shared.language.text.languages import text_tables


def months_in(code: str) -> dict[str, int]:
    """Return the numbers of the months in a language, 1 to 12, by their names and short forms."""
    return {name: number for number, names in enumerate(text_tables(code).calendar.months, 1) for name in names.split()}


DAYS = text_tables("en").calendar.weekdays
MONTHS = months_in("en")
MONTH_NAMES = tuple(names.split()[0].title() for names in text_tables("en").calendar.months)

NUMBERS = tuple(
    """zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen
    nineteen""".split()  # noqa: SIM905 - a list of words reads best as words
)
COUNTS = {"a": 1, "an": 1} | {NUMBERS[number]: number for number in range(1, 13)}
STEPS = {"last": -1, "past": -1, "previous": -1, "this": 0, "next": 1}
WEEK_DAYS = 7
YEAR_MONTHS = 12
SATURDAY = 5

WEEKDAY = f"(?:{'|'.join(DAYS)})"
MONTH = f"(?:{'|'.join(sorted(MONTHS, key=len, reverse=True))})"
COUNT = rf"(?:{'|'.join(COUNTS)}|\d{{1,3}})"
ORDINAL = "(?:st|nd|rd|th)"
DAY_OF_MONTH = (
    rf"(?:(?P<day>\d{{1,2}}){ORDINAL}? (?:of )?(?P<month>{MONTH})"
    rf"|(?P<month2>{MONTH}) (?:the (?=\d{{1,2}}{ORDINAL}))?(?P<day2>\d{{1,2}}){ORDINAL}?)\b"
)
"""Regular expressions, to be compiled with IGNORECASE."""

_PART_OF_DAY = "(?:morning|afternoon|evening|night)"
DAYS_FROM_TODAY = (
    ("the day before yesterday", -2),
    ("the day after tomorrow", 2),
    (f"(?:yesterday(?: {_PART_OF_DAY})?|last night)", -1),
    (f"(?:tomorrow|tmrw|tmr)(?: {_PART_OF_DAY})?", 1),
    ("(?:today|tonight|this (?:morning|afternoon|evening))", 0),
)
"""Regular expressions for days, each with its distance from today in days; the longest first."""


class Period(NamedTuple):
    """Consecutive days; both ends are included."""

    first: date
    last: date

    @property
    def days(self) -> int:
        """How many days it has."""
        return (self.last - self.first).days + 1


def day_at(today: date, days: int) -> date | None:
    """The day so many days after today; None outside the years 1 to 9999."""
    try:
        return today + timedelta(days=days)
    except OverflowError:
        return None


def span(today: date, first: int, last: int) -> Period | None:
    """The days from `first` to `last` days after today.

    >>> span(date(2026, 5, 3), -1, 0).days
    2
    """
    begin, end = day_at(today, first), day_at(today, last)
    return Period(begin, end) if begin and end else None


def week(today: date, steps: int = 0) -> Period | None:
    """The week that is `steps` weeks later, Monday to Sunday."""
    monday = steps * WEEK_DAYS - today.weekday()
    return span(today, monday, monday + WEEK_DAYS - 1)


def weekend(today: date, steps: int = 0) -> Period | None:
    """Saturday and Sunday of the week that is `steps` weeks later."""
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
    """All days of a year."""
    return Period(date(number, 1, 1), date(number, 12, 31)) if date.min.year <= number <= date.max.year else None


def third(period: Period, index: int) -> Period:
    """The first (0), middle (1) or last (2) third of a period, in whole days.

    >>> str(third(Period(date(2023, 5, 1), date(2023, 5, 31)), 2).first)
    '2023-05-21'
    """
    begin, end = period.days * index // 3, period.days * (index + 1) // 3
    return Period(period.first + timedelta(days=begin), period.first + timedelta(days=end - 1))


def months(year: int, first: int, count: int) -> Period | None:
    """`count` months from the month `first` on; numbers as in `month`."""
    begin, end = month(year, first), month(year, first + count - 1)
    return Period(begin.first, end.last) if begin and end else None


def day(year: int, month: int, number: int) -> date | None:
    """The date; None if there is no such day."""
    try:
        return date(year, month, number)
    except ValueError:
        return None


def day_of_month(match: re.Match[str]) -> tuple[int, int]:
    """Month and day, 1 to 12 and 0 to 99, of a match of DAY_OF_MONTH."""
    return MONTHS[(match["month"] or match["month2"]).lower()], int(match["day"] or match["day2"])


def nearest_day(today: date, month: int, number: int, weekday: str | None = None, direction: int = 0) -> date | None:
    """The date with this month and day that is nearest to today; if a weekday is given, the nearest that falls on it.

    `direction` is 1 for the next one only, -1 for the last one only.

    >>> str(nearest_day(date(2026, 1, 5), 12, 24))
    '2025-12-24'
    """
    days = [found for years in (-1, 0, 1) if (found := day(today.year + years, month, number))]
    meant = [each for each in days if not weekday or each.weekday() == DAYS.index(weekday.lower())]
    meant = [each for each in meant if not direction or (each - today).days * direction >= 0]
    return min(meant, key=lambda each: abs(each - today), default=None)


def named_weekday(today: date, which: str, weekday: str) -> date | None:
    """The day that `last Friday` (the latest before today) or `next Friday` (in the week from next Monday) means."""
    index = DAYS.index(weekday.lower()) - today.weekday()
    return day_at(today, index + WEEK_DAYS if which.lower() == "next" else index % WEEK_DAYS - WEEK_DAYS)


def relative_period(today: date, steps: int, unit: str) -> Period | None:
    """The calendar week, weekend, month or year that is `steps` units later.

    >>> str(relative_period(date(2026, 5, 20), -1, "month").first)
    '2026-04-01'
    """
    match unit.lower():
        case "week":
            return week(today, steps)
        case "weekend":
            return weekend(today, steps)
        case "month":
            return month(today.year, today.month + steps)
        case _:
            return year(today.year + steps)


def count(word: str) -> int:
    """The number that a word matching COUNT stands for."""
    return COUNTS.get(word.lower()) or int(word)


def named_day(text: str, date: str) -> str:
    """A date of a text with the word before it, where it stands there in brackets; else the date alone.

    >>> named_day("The lesson is on Thursday (2026-11-26) now.", "2026-11-26")
    'Thursday (2026-11-26)'
    """
    found = re.search(rf"(?<![\w'’-])[\w'’-]++ \({re.escape(date)}\)", text)
    return found[0] if found else date
