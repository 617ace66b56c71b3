"""The times that only a question names: what has no year is past, seasons are of the north, `since` reaches until today.

Said in passing the same words may be many things, so texts are not read for them.
"""

import re
from datetime import date

from services.retriever.domain.periods.feasts import FEAST, feast
from services.retriever.domain.periods.seasons import (
    DECADES,
    SEASON,
    SEASONS,
    decade,
    half_of_year,
    latest,
    past_season,
    quarter,
    quarter_of_year,
    season_before_last,
    season_of_year,
    short_year,
)
from services.retriever.domain.periods.stated import (
    DATE,
    STATED,
    YEAR,
    Resolver,
    day_of_month,
    one_day,
    resolvers,
)
from shared.text import calendar
from shared.text.calendar import DAYS, MONTH, MONTHS, ORDINAL, STEPS, WEEK_DAYS, WEEKDAY, Period

_THIRDS = {"early": 0, "beginning": 0, "start": 0, "mid": 1, "middle": 1, "late": 2, "end": 2}
_LEAP_YEARS = 9
"""Every day of a year comes at least once in so many years."""

_DAY_HOURS = 24
_WEEKS = {"first": 0, "second": 1, "third": 2, "fourth": 3}


def _past_day_of_month(match: re.Match[str], today: date) -> Period | None:
    if match["year"]:
        return day_of_month(match, today)
    month, number = calendar.day_of_month(match)
    return latest([one_day(calendar.day(today.year - years, month, number)) for years in range(_LEAP_YEARS)], today)


def _past_month(match: re.Match[str], today: date) -> Period | None:
    """`In May`: this year's, if it has begun. `last May`: not the month that it is."""
    number, which = MONTHS[match["month"].lower()], match["which"].lower().strip()
    if which == "next":
        return calendar.month(today.year + (number <= today.month), number)
    return calendar.month(today.year - (number > today.month or (which == "last" and number == today.month)), number)


def _month_of_relative_year(match: re.Match[str], today: date) -> Period | None:
    steps = STEPS[(match["which"] or match["which2"]).lower()]
    return calendar.month(today.year + steps, MONTHS[(match["month"] or match["month2"]).lower()])


def _past_weekday(match: re.Match[str], today: date) -> Period | None:
    index = DAYS.index(match["weekday"].lower())
    return one_day(calendar.day_at(today, -((today.weekday() - index) % WEEK_DAYS)))


def _weekday_of_week(match: re.Match[str], today: date) -> Period | None:
    week = calendar.week(today, STEPS[match["which"].lower()])
    return one_day(calendar.day_at(week.first, DAYS.index(match["weekday"].lower()))) if week else None


def _past_number(match: re.Match[str], today: date) -> Period | None:
    """`On the 3rd`: the latest 3rd of a month."""
    firsts = [calendar.month(today.year, today.month - months) for months in range(3)]
    days = [calendar.day(month.first.year, month.first.month, int(match["day"])) for month in firsts if month]
    return latest([one_day(day) for day in days], today)


def _before_last(match: re.Match[str], today: date) -> Period | None:
    unit = match["unit"].lower()
    if unit not in DAYS:
        return calendar.relative_period(today, -2, unit)
    return one_day(calendar.day_at(today, (DAYS.index(unit) - today.weekday()) % WEEK_DAYS - 2 * WEEK_DAYS))


def _week_of_month(match: re.Match[str], today: date) -> Period | None:
    """`The first week of May`: its first seven days. `the last week`: its last seven."""
    month = _named(match["of"], today)
    if month is None:
        return None
    if match["index"].lower() == "last":
        return calendar.span(month.last, 1 - WEEK_DAYS, 0)
    begin = _WEEKS[match["index"].lower()] * WEEK_DAYS
    return calendar.span(month.first, begin, begin + WEEK_DAYS - 1)


def _part(match: re.Match[str], today: date) -> Period | None:
    """`Early May`, `the end of last year`: a third of it."""
    whole = _named(match["of"], today)
    return calendar.third(whole, _THIRDS[(match["part"] or match["part2"]).lower()]) if whole else None


def _a_year_ago_today(match: re.Match[str], today: date) -> Period | None:
    about = 0 if match["today"] else WEEK_DAYS
    then = calendar.day(today.year - 1, today.month, min(today.day, 28) if today.month == 2 else today.day)  # noqa: PLR2004
    return calendar.span(then, -about, about) if then else None


def _hours(match: re.Match[str], today: date) -> Period | None:
    """`The last 24 hours` reach into as many days before."""
    return calendar.span(today, -int(match["hours"]) // _DAY_HOURS, 0)


def _feast(match: re.Match[str], today: date) -> Period | None:
    name, year = match["feast"], match["year"]
    if year:
        return feast(name, int(year))
    return latest([feast(name, today.year - years) for years in range(3)], today)


def _between(match: re.Match[str], today: date) -> Period | None:
    """From the first day of the one until the last of the other; the first is the latest before the other."""
    begin, end = match["begin"], match["end"]
    if year := re.search(rf"{YEAR}$", end):
        begin = begin if re.search(r"\d{4}", begin) else f"{begin} {year[0]}"
    if begin.isdigit() and len(begin) <= 2 and (month := re.search(MONTH, end, re.IGNORECASE)):  # noqa: PLR2004 - a day's digits
        begin = f"{begin} {month[0]}"
    later = _named(end, today)
    earlier = _named(begin, later.last) if later else None
    if not (earlier and later):
        return None
    return Period(earlier.first, later.last) if earlier.first <= later.last else None


def _since(match: re.Match[str], today: date) -> Period | None:
    period = _named(match["begin"], today)
    return Period(period.first, today) if period and period.first <= today else None


def _named(name: str, today: date) -> Period | None:
    """What a single name means in a question, as `May`, `3 May 2023`, `2019`, `last week`, `Monday`."""
    text = re.sub(r"^the ", "", name.strip(), flags=re.IGNORECASE)
    for pattern, resolver in _NAMES + STATED:
        if match := pattern.fullmatch(text):
            return resolver(match, today)
    return None


_NOT_CAUGHT = r"(?:19|20)\d\d"
_ONE = (
    rf"(?:\d{{4}}-\d\d(?:-\d\d)?|\d{{1,2}}{ORDINAL}? (?:of )?{MONTH}(?:,? {_NOT_CAUGHT})?"
    rf"|(?:last )?{MONTH}(?: (?:the )?\d{{1,2}}{ORDINAL}?\b(?!\d))?(?:,? (?:of )?{_NOT_CAUGHT})?(?: (?:of )?last year)?"
    rf"|{_NOT_CAUGHT}|(?:last )?{WEEKDAY}|yesterday|today|(?:last|this) (?:weekend|week|month|year)"
    rf"|(?:last |this )?(?:{'|'.join(SEASONS)})(?:,? (?:of )?{_NOT_CAUGHT})?"
    rf"|(?:last )?{FEAST.replace('?P<feast>', '?:')}(?:,? {_NOT_CAUGHT})?)"
)
_OF_A_YEAR = rf"{MONTH}(?:,? (?:of )?{_NOT_CAUGHT}| (?:of )?last year)?"
_WHOLE = rf"(?:(?:last|this) (?:week|month|year)|{_OF_A_YEAR}|{_NOT_CAUGHT})"
_NOT_OFTEN = r"(?<!every )(?<!each )"
_ANYWHERE: dict[str, Resolver] = {
    rf"{SEASON},? (?:of |in )?{YEAR}": season_of_year,
    rf"(?P<which>last|this|past|previous) {SEASON}": past_season,
    rf"(?:(?P<month>{MONTH}),? (?:of )?(?P<which>last|this|next) year"
    rf"|(?P<which2>last|this|next) year,? in (?P<month2>{MONTH}))": _month_of_relative_year,
    DATE: _past_day_of_month,
}
"""What means the same in a question and as one end of `between` and `since`."""

_NAMES = resolvers(
    _ANYWHERE
    | {
        rf"(?:last )?{FEAST}(?:,? (?:of |in )?{YEAR})?": _feast,
        YEAR: lambda match, _: calendar.year(int(match["year"])),
        rf"(?P<which>last |)(?P<month>{MONTH})": _past_month,
        rf"(?P<weekday>{WEEKDAY})": _past_weekday,
    }
)
ASKED = resolvers(
    {
        rf"(?:between|from) (?:the )?(?P<begin>{_ONE}|\d\d?) (?:and|to|until|till|through) (?:the )?(?P<end>{_ONE})": _between,
        rf"(?:ever )?since (?:the )?(?P<begin>{_ONE})": _since,
        "the (?P<index>first|second|third|fourth|last) week (?:of|in) "
        rf"(?P<of>{_OF_A_YEAR}|(?:last|this) month)": _week_of_month,
        rf"the (?P<half>first|second) half of {YEAR}": half_of_year,
        rf"Q(?P<quarter>[1-4])(?: of)?,? {YEAR}": quarter_of_year,
        "(?P<which>last|past|previous|this|next) quarter": quarter,
        "(?:(?P<part>early|late|mid)[ -](?:in )?|(?P<part2>beginning|start|middle|end) of )"
        rf"(?P<of>{_WHOLE})": _part,
        rf"the {SEASON} before last": season_before_last,
        rf"the (?P<unit>weekend|week|month|year|{WEEKDAY}) before last": _before_last,
        r"the ['\u2019]?(?:(?P<century>19|20)?(?P<tens>\d0)['\u2019]?s"
        rf"|(?P<word>{'|'.join(DECADES)}))": decade,
        r"in ['\u2019](?P<tens>\d\d)(?!\d|['\u2019]?s)": short_year,
        rf"(?:at|on|over|during|around|this|last) {FEAST}(?:,? (?:of |in )?{YEAR})?": _feast,
        "(?:this time last year|a year ago (?P<today>today))": _a_year_ago_today,
        r"(?:last|past) (?P<hours>\d{1,3}) hours": _hours,
        rf"(?P<weekday>{WEEKDAY}),? (?:of )?(?P<which>last|this|next) week": _weekday_of_week,
    }
    | _ANYWHERE
    | {
        rf"(?P<which>in|during|of|last|this|next) (?P<month>{MONTH})(?!,? (?:of )?\d)": _past_month,
        rf"on the (?P<day>\d{{1,2}}){ORDINAL}(?=\s*(?:$|[?.,!;:)]))": _past_number,
        rf"{_NOT_OFTEN}(?:on|this) (?P<weekday>{WEEKDAY})": _past_weekday,
    }
)
"""Tried in this order, before what anyone says."""
