"""The times that only a question names. Said in passing the same words may be many things, so texts are not read for them.

What comes again each year, a month, a season, a feast or a day of a month, is one thing: a function from a year to its days.
"""

import re
from collections.abc import Callable
from datetime import date, timedelta
from functools import cache

from shared.language.questions.named_times import DATE, NUMBERED, SPOKEN, YEAR, Patterns, Resolver, about, one_day, patterns
from shared.language.questions.tables import question_tables
from shared.language.tables import CODES
from shared.language.text import calendar
from shared.language.text.calendar import DAYS, MONTH, ORDINAL, STEPS, WEEK_DAYS, WEEKDAY, Period
from shared.language.text.languages import text_tables

Yearly = Callable[[int], Period | None]

_LEAP_YEARS = 9
"""Every day of a year comes at least once in so many years."""
_SEASONS = {"spring": 3, "summer": 6, "autumn": 9, "fall": 9, "winter": 12}
"""The month in which each begins, of three; the winter of a year begins in its December."""
_THIRDS = {"early": 0, "beginning": 0, "start": 0, "mid": 1, "middle": 1, "late": 2, "end": 2}
_NTH = {"first": 0, "second": 1, "third": 2, "fourth": 3}
_DECADES = "twenties thirties forties fifties sixties seventies eighties nineties".split()  # noqa: SIM905
_DAY_HOURS = 24
_MONTHS = {name: number for code in CODES for name, number in calendar.months_in(code).items()}
_WEEKDAYS = {day: index for code in CODES for index, day in enumerate(text_tables(code).calendar.weekdays)}
_FEASTS = question_tables("en").feasts
_OF_EASTER = re.compile(r"easter([+-]\d+)?")


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


def _feast(name: str) -> Yearly:
    """When a feast is. Its days are written `12-24`, `easter+1`, or `11-4-thursday` for the fourth Thursday of November."""
    first, _, last = _FEASTS[re.sub(r"['’]", "", name)].partition(" ")

    def day(written: str, year: int) -> date:
        if found := _OF_EASTER.fullmatch(written):
            return easter(year) + timedelta(days=int(found[1] or 0))
        month, number, *weekday = written.split("-")
        if not weekday:
            return date(year, int(month), int(number))
        begins = date(year, int(month), 1)
        return begins + timedelta(days=(DAYS.index(weekday[0]) - begins.weekday()) % WEEK_DAYS + (int(number) - 1) * WEEK_DAYS)

    return lambda year: Period(day(first, year), day(last or first, year)) if date.min.year <= year <= date.max.year else None


def _yearly(match: re.Match[str]) -> Yearly:
    """Return the yearly time (a month, season, feast or day) that a match names."""
    groups = {name: value.lower() for name, value in match.groupdict().items() if value}
    if "season" in groups:
        return lambda year: calendar.months(year, _SEASONS[groups["season"]], 3)
    if "feast" in groups:
        return _feast(groups["feast"])
    month = _MONTHS[groups.get("month") or groups["month2"]]
    if number := groups.get("day") or groups.get("day2"):
        return lambda year: one_day(calendar.day(year, month, int(number)))
    return lambda year: calendar.month(year, month)


def _of_years(yearly: Yearly, today: date, which: str = "") -> Period | None:
    """`May`: the latest that has begun; `last May`: the latest that is over; `next May`: the first that has not begun."""
    found = [period for years in range(_LEAP_YEARS, -2, -1) if (period := yearly(today.year - years))]
    if which == "next":
        return next((period for period in found if period.first > today), None)
    is_over = which in {"last", "past", "previous"}
    return next((period for period in reversed(found) if (period.last < today if is_over else period.first <= today)), None)


def _named_again(match: re.Match[str], today: date) -> Period | None:
    """`In May`, `the summer of 2023`, `7 May last year`, `last Christmas`."""
    groups, yearly = match.groupdict(), _yearly(match)
    if year := groups.get("year"):
        return yearly(int(year))
    if of := groups.get("of_year") or groups.get("of_year2"):
        return yearly(today.year + STEPS[of.lower()])
    return _of_years(yearly, today, (groups.get("which") or "").lower().strip())


def _latest(*found: Period | None, today: date) -> Period | None:
    return max((period for period in found if period and period.first <= today), default=None)


def _years(first: int, count: int = 1) -> Period | None:
    return calendar.months(first, 1, count * calendar.YEAR_MONTHS)


def _decade(match: re.Match[str], today: date) -> Period | None:
    """`The 90s`, `the 1990s`, `the nineties`: of two centuries the latest that has begun."""
    tens = int(match["tens"]) if match["tens"] else 10 * (_DECADES.index(match["word"].lower()) + 2)
    if match["century"]:
        return _years(int(match["century"]) * 100 + tens, 10)
    century = today.year // 100 * 100
    return _latest(_years(century + tens, 10), _years(century - 100 + tens, 10), today=today)


def _short_year(match: re.Match[str], today: date) -> Period | None:
    """`'98`: the latest year that ends so and has begun."""
    year = today.year // 100 * 100 + int(match["tens"])
    return _latest(_years(year), _years(year - 100), today=today)


def _quarter(match: re.Match[str], today: date) -> Period | None:
    """`Q3 2024`, `last quarter`, by the calendar."""
    if match["number"]:
        return calendar.months(int(match["year"]), 3 * int(match["number"]) - 2, 3)
    return calendar.months(today.year, (today.month - 1) // 3 * 3 + 1 + 3 * STEPS[match["which"].lower()], 3)


def _past_weekday(match: re.Match[str], today: date) -> Period | None:
    return one_day(calendar.day_at(today, -((today.weekday() - _WEEKDAYS[match["weekday"].lower()]) % WEEK_DAYS)))


def _weekday_of_week(match: re.Match[str], today: date) -> Period | None:
    week = calendar.week(today, STEPS[match["which"].lower()])
    return one_day(calendar.day_at(week.first, DAYS.index(match["weekday"].lower()))) if week else None


def _past_number(match: re.Match[str], today: date) -> Period | None:
    """`On the 3rd`: the latest 3rd of a month."""
    months = [calendar.month(today.year, today.month - back) for back in range(3)]
    days = (calendar.day(month.first.year, month.first.month, int(match["day"])) for month in months if month)
    return _latest(*map(one_day, days), today=today)


def _before_last(match: re.Match[str], today: date) -> Period | None:
    unit = match["unit"].lower()
    if unit in _SEASONS:
        last = _of_years(yearly := lambda year: calendar.months(year, _SEASONS[unit], 3), today, "last")
        return _of_years(yearly, last.first, "last") if last else None
    if unit not in DAYS:
        return calendar.relative_period(today, -2, unit)
    return one_day(calendar.day_at(today, (DAYS.index(unit) - today.weekday()) % WEEK_DAYS - 2 * WEEK_DAYS))


def _week_of_month(match: re.Match[str], today: date) -> Period | None:
    """`The first week of May`: its first seven days. `the last week`: its last seven."""
    month, index = _named(match["of"], today), match["index"].lower()
    if month is None:
        return None
    begin = _NTH[index] * WEEK_DAYS if index in _NTH else month.days - WEEK_DAYS
    return calendar.span(month.first, begin, begin + WEEK_DAYS - 1)


def _part(match: re.Match[str], today: date) -> Period | None:
    """`Early May`, `the end of last year`: a third of it."""
    whole = _named(match["of"], today)
    return calendar.third(whole, _THIRDS[(match["part"] or match["part2"]).lower()]) if whole else None


def _a_year_ago(match: re.Match[str], today: date) -> Period | None:
    about = 0 if match["today"] else WEEK_DAYS
    then = calendar.day(today.year - 1, today.month, today.day) or calendar.day(today.year - 1, today.month, today.day - 1)
    return calendar.span(then, -about, about) if then else None


def _between(match: re.Match[str], today: date) -> Period | None:
    """From the first day of the one until the last of the other; the first is the latest before the other."""
    begin, end = match["begin"], match["end"]
    if year := re.search(rf"{YEAR}$", end):
        begin = begin if re.search(r"\d{4}", begin) else f"{begin} {year[0]}"
    if begin.isdigit() and len(begin) <= 2 and (month := re.search(MONTH, end, re.IGNORECASE)):  # noqa: PLR2004 - a day's digits
        begin = f"{begin} {month[0]}"
    later = _named(end, today)
    earlier = _named(begin, later.last) if later else None
    return Period(earlier.first, later.last) if earlier and later and earlier.first <= later.last else None


def _since(match: re.Match[str], today: date) -> Period | None:
    period = _named(match["begin"], today)
    return Period(period.first, today) if period and period.first <= today else None


def _named(name: str, today: date) -> Period | None:
    """Return the time that one name means in a question, such as `May`, `3 May 2023`, `2019`, `last week` or `Monday`."""
    text = re.sub(r"^the ", "", name.strip(), flags=re.IGNORECASE)
    found = ((pattern.fullmatch(text), resolver) for pattern, resolver in _NAMES + NUMBERED + SPOKEN)
    return next((resolver(match, today) for match, resolver in found if match), None)


_SEASON = rf"(?P<season>{'|'.join(_SEASONS)})"
_FEAST_NAMES = "|".join(re.sub(r"s\b", "['’]?s", name) for name in sorted(_FEASTS, key=len, reverse=True))
_FEAST = rf"(?P<feast>{_FEAST_NAMES})"
_THEN = rf"(?:,? (?:of |in )?{YEAR})"
_LAST_YEAR = r",? (?:of )?(?P<of_year>last|this|next) year"
_LAST = "(?P<which>last|this|past|previous)"
_NOT_CAUGHT = r"(?:19|20)\d\d"
_ONE = (
    rf"(?:\d{{4}}-\d\d(?:-\d\d)?|\d{{1,2}}{ORDINAL}? (?:of )?{MONTH}(?:,? {_NOT_CAUGHT})?"
    rf"|(?:last )?{MONTH}(?: (?:the )?\d{{1,2}}{ORDINAL}?\b(?!\d))?(?:,? (?:of )?{_NOT_CAUGHT})?(?: (?:of )?last year)?"
    rf"|{_NOT_CAUGHT}|(?:last )?{WEEKDAY}|yesterday|today|(?:last|this) (?:weekend|week|month|year)"
    rf"|(?:last |this )?(?:{'|'.join(_SEASONS)})(?:,? (?:of )?{_NOT_CAUGHT})?"
    rf"|(?:last )?(?:{_FEAST_NAMES})(?:,? {_NOT_CAUGHT})?)"
)
_OF_A_YEAR = rf"{MONTH}(?:,? (?:of )?{_NOT_CAUGHT}| (?:of )?last year)?"
_ANYWHERE = {
    rf"{_SEASON}{_THEN}": _named_again,
    rf"{_LAST} {_SEASON}": _named_again,
    rf"(?:(?P<month>{MONTH}){_LAST_YEAR}|(?P<of_year2>last|this|next) year,? in (?P<month2>{MONTH}))": _named_again,
    DATE: _named_again,
}
"""What means the same in a question and as one end of `between` and `since`."""

_NAMES = patterns(
    _ANYWHERE
    | {
        rf"(?:last )?{_FEAST}{_THEN}?": _named_again,
        YEAR: lambda match, _: calendar.year(int(match["year"])),
        rf"(?P<which>last |)(?P<month>{MONTH})": _named_again,
        rf"(?P<weekday>{WEEKDAY})": _past_weekday,
    }
)
ASKED = (
    patterns(
        {
            rf"(?:between|from) (?:the )?(?P<begin>{_ONE}|\d\d?) "
            rf"(?:and|to|until|till|through) (?:the )?(?P<end>{_ONE})": _between,
            rf"(?:ever )?since (?:the )?(?P<begin>{_ONE})": _since,
            rf"the (?P<index>{'|'.join(_NTH)}|last) week (?:of|in) (?P<of>{_OF_A_YEAR}|(?:last|this) month)": _week_of_month,
            rf"the (?P<half>first|second) half of {YEAR}": lambda match, _: calendar.months(
                int(match["year"]), 1 if match["half"].lower() == "first" else 7, 6
            ),
            rf"(?:Q(?P<number>[1-4])(?: of)?,? {YEAR}|{_LAST.replace('|this', '|this|next')} quarter)": _quarter,
            "(?:(?P<part>early|late|mid)[ -](?:in )?|(?P<part2>beginning|start|middle|end) of )"
            rf"(?P<of>(?:last|this) (?:week|month|year)|{_OF_A_YEAR}|{_NOT_CAUGHT})": _part,
            rf"the (?P<unit>weekend|week|month|year|{WEEKDAY}|{'|'.join(_SEASONS)}) before last": _before_last,
            rf"the ['\u2019]?(?:(?P<century>19|20)?(?P<tens>\d0)['\u2019]?s|(?P<word>{'|'.join(_DECADES)}))": _decade,
            r"in ['\u2019](?P<tens>\d\d)(?!\d|['\u2019]?s)": _short_year,
            rf"(?:at|on|over|during|around|this|last) {_FEAST}{_THEN}?": _named_again,
            "(?:this time last year|a year ago (?P<today>today))": _a_year_ago,
            r"(?:last|past) (?P<hours>\d{1,3}) hours": lambda match, today: calendar.span(
                today, -int(match["hours"]) // _DAY_HOURS, 0
            ),
            rf"(?P<weekday>{WEEKDAY}),? (?:of )?(?P<which>last|this|next) week": _weekday_of_week,
        }
        | _ANYWHERE
        | {
            rf"(?P<which>in|during|of|last|this|next) (?P<month>{MONTH})(?!,? (?:of )?\d)": _named_again,
            rf"on the (?P<day>\d{{1,2}}){ORDINAL}(?=\s*(?:$|[?.,!;:)]))": _past_number,
            rf"(?<!every )(?<!each )(?:on|this) (?P<weekday>{WEEKDAY})": _past_weekday,
        }
    )
    + NUMBERED
    + SPOKEN
)
"""Tried in this order, before what anyone says."""


@cache
def asked_in(code: str) -> Patterns:
    """Return the patterns for questions in a language: all in English, in others those for the times that its file names."""
    times, days = question_tables(code).times, text_tables(code).calendar.weekdays
    if times is None:
        return ASKED
    month = f"(?P<month>{'|'.join(sorted(calendar.months_in(code), key=len, reverse=True))})"
    meanings: dict[str, Resolver] = {rf"(?P<day>\d{{1,2}})(?:\.|º|er)? (?:de )?{month}(?:,? (?:del? )?{YEAR})?": _named_again}
    meanings |= {rf"{month} (?:del? )?{YEAR}": _named_again, rf"(?:{times.inside}) {month}": _named_again}
    meanings |= {rf"(?:{times.inside}) {YEAR}": lambda match, _: calendar.year(int(match["year"]))}
    meanings |= {f"(?:{pattern})": about(days) for pattern, days in times.days.items()}
    meanings |= {f"(?:{pattern})": _of_span(*span.split()) for pattern, span in times.spans.items()}
    every = "".join(rf"(?<!\b{word} )" for word in times.every.split("|"))
    return patterns(meanings | {rf"{every}(?P<weekday>{'|'.join(days)})": _past_weekday}) + NUMBERED


def _of_span(unit: str, steps: str) -> Resolver:
    return lambda _, today: calendar.relative_period(today, int(steps), unit)
