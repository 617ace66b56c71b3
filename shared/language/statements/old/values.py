"""Values as they are compared: cut off where something else begins, without articles, amounts and numbers in one spelling."""

import functools
import re
from typing import NamedTuple

from shared.language.statements.old.attributes import ValueKind
from shared.language.statements.old.language import StatementLanguage
from shared.language.statements.old.tables import Mark

_AMOUNT = re.compile(
    r"(?P<before>[$€£¥]|chf|usd|eur|gbp)? ?(?P<number>\d[\d.,' ]*\d|\d)(?P<k> ?k)?\b ?(?P<after>[$€£¥]|[a-z]+)?"
)
_CURRENCIES = {
    **dict.fromkeys(("$", "usd", "dollar", "dollars", "bucks", "dólares"), "usd"),
    **dict.fromkeys(("€", "eur", "euro", "euros"), "eur"),
    **dict.fromkeys(("£", "gbp", "pounds", "quid", "pound"), "gbp"),
    **dict.fromkeys(("chf", "francs", "franken"), "chf"),
}
_NUMBER = re.compile(r"\d+(?:[.,]\d+)?")
_CLOCK = re.compile(r"\b(\d{1,2})(?:[:.](\d\d))? ?(am|pm|uhr|hrs?|heures?|h)\b|\b(\d{1,2})[:.](\d\d)\b")
_JOINED = re.compile(r"\b(\d{1,2}) ?(?:h|uhr|heures?) ?(\d\d)\b")
_HOUR = re.compile(r"(?:^|(?<=\bat )|(?<=\bum )|(?<=\bas )|(?<=\bà ))(?<!\S)(\d{1,2})(?=$| o'clock$| on | every )")
_DOSE = re.compile(r"^\d+(?:[.,]\d+)? ?(?:mg|mcg|ml|µg|g)(?: (?:of|de|d'))? (?=\S)|(?<=\S) \d+(?:[.,]\d+)? ?(?:mg|mcg|ml|µg)$")
_LISTED = re.compile(r" ?, | and | und | y | et | & | or ")
_ORDINAL = re.compile(r"\b\d{1,2}(?:st|nd|rd|th)\b")
_MONEY = re.compile(rf"[$€£]\d|\d (?:{'|'.join(word for word in _CURRENCIES if word.isalpha())})\b")
_THOUSAND = 1_000
_NOON = 12
_MINUTES = 60
_MOST_WORDS = 7


class Cut(NamedTuple):
    """The words of a value, and whether what was cut off says something of its own."""

    words: str
    is_whole: bool


def cut(words: str, language: StatementLanguage) -> Cut:
    """A value up to where something else begins."""
    is_whole = True
    start = words.find(" ") + 1
    while start > 0:
        end = words.find(" ", start)
        first = words[start : end if end >= 0 else len(words)]
        if found := language.ends.longest(first, words, start):
            return Cut(words[: start - 1].rstrip(" ,"), is_whole=found[1] is Mark.TIME)
        start = end + 1
    return Cut(words, is_whole)


def compared(words: str, kind: ValueKind, language: StatementLanguage) -> str | None:
    """A value as it is compared; None where it is none of its kind."""
    match kind:
        case ValueKind.MONEY:
            return _amount(words)
        case ValueKind.NUMBER:
            return _number(words, language)
        case ValueKind.TIME:
            return _time(words, language)
        case ValueKind.CONTACT:
            return words.strip(" ,.") or None
        case ValueKind.NAME:
            value = _text(words, language)
            is_titled = value is not None and value.partition(" ")[0] in language.tables.titles  # `a Mrs Lindqvist`
            is_described = (words.partition(" ")[0] in language.articles and not is_titled) or value in language.adjectives
            return None if is_described else value
        case _:
            return _text(words, language)


def dose_of(words: str) -> str | None:
    """How much of a medicine the words name.

    >>> dose_of("50mg of sertraline")
    '50 mg'
    """
    found = _DOSE.search(words)
    return re.sub(r"(?<=\d)(?=[a-zµ])", " ", "".join(found[0].split()[:2]).removesuffix("of")) if found else None


def place_of(words: str, language: StatementLanguage) -> str:
    """The first of several places: `ghent` of `ghent in a small flat`."""
    split = words.split()
    for place in range(1, len(split) - 1):
        if split[place] in language.prepositions and split[place + 1] in language.articles:
            return " ".join(split[:place])
    return words


def listed(words: str) -> list[str]:
    """The values of an enumeration."""
    return [each.strip(" ,") for each in _LISTED.split(words) if each.strip(" ,")]


def _text(words: str, language: StatementLanguage) -> str | None:
    split = _DOSE.sub("", words.split(",", maxsplit=1)[0]).split()
    while split and split[0] in language.articles:
        split = split[1:]
    split = [*split[:-1], *split[-1].split("-")] if split and split[-1].rpartition("-")[2] in language.wrappers else split
    if len(split) > 2 and split[0] in language.wrappers and split[1] in language.prepositions:  # noqa: PLR2004 - `Abo bei Spotify`
        split = split[2:]
    while split and split[0] in language.articles:
        split = split[1:]
    while len(split) > 1 and split[-1] in language.wrappers and split[-2] not in language.articles:
        split = split[:-1]
    value = " ".join(split).strip(" .!'-:")
    value = language.tables.same.get(value, value)
    if (
        not value
        or split[0] in language.joints
        or (split[0] in language.vague and not (split[0] in language.tables.numbers and len(split) > 1))
        or language.tables.be in split
        or len(split) > _MOST_WORDS
    ):
        return None
    return value


def _amount(words: str) -> str | None:
    """`£1,400` and `1400 pounds` alike."""
    found = _AMOUNT.search(words)
    if not found:
        return None
    digits = re.sub(r"[ ']", "", found["number"])
    head, mark, tail = re.split(r"([.,])(?=\d{1,2}$)", digits) if re.search(r"[.,]\d{1,2}$", digits) else (digits, "", "")
    number = float(re.sub(r"[.,]", "", head) + (f".{tail}" if mark else "")) * (_THOUSAND if found["k"] else 1)
    currency = _CURRENCIES.get(found["before"] or "") or _CURRENCIES.get(found["after"] or "", "")
    return f"{number:.{0 if number == int(number) else 2}f} {currency}".strip()


def _number(words: str, language: StatementLanguage) -> str | None:
    if found := _NUMBER.search(words):
        return found[0].replace(",", ".")
    return language.tables.numbers.get(words)


def _time(words: str, language: StatementLanguage) -> str | None:
    """What says when, from its first such word on; clocks as `15:00`."""
    counted = " ".join(language.tables.numbers.get(word, word) for word in words.split())
    counted = " ".join(language.tables.hours.get(word, word) for word in counted.split())
    counted = _JOINED.sub(r"\1:\2", _with_minutes(counted, language))
    clocked = _HOUR.sub(r"\1:00", _CLOCK.sub(_clock, counted))
    split = [word.strip(",.") for word in clocked.split()]
    telling = [word for word in split if word in language.when or any(map(str.isdigit, word))]
    if not telling:
        return None
    dates = [word for word in telling if _is_date(word)]
    if dates:  # a date that was worked out stands for the words it was worked out from
        telling = [word for word in telling if _is_date(word) or any(map(str.isdigit, word))]
    return " ".join(telling)


def _with_minutes(words: str, language: StatementLanguage) -> str:
    """`half past 7` and `halb 8` as 7:30."""
    for pattern, shift in _shifts(language):
        words = pattern.sub(functools.partial(_shifted, shift=shift), words)
    return words


def _shifted(hour: re.Match[str], *, shift: int) -> str:
    hours, minutes = divmod(int(hour[1]) * _MINUTES + shift, _MINUTES)
    return f"{hours}:{minutes:02}"


@functools.cache
def _shifts(language: StatementLanguage) -> tuple[tuple[re.Pattern[str], int], ...]:
    before, behind = language.tables.before_hours, language.tables.behind_hours
    return (
        *((re.compile(rf"\b(?:{words}) (\d{{1,2}})\b"), minutes) for words, minutes in before.items()),
        *((re.compile(rf"\b(\d{{1,2}})(?: ?h| heures?| uhr)? (?:{words})\b"), minutes) for words, minutes in behind.items()),
    )


def has_clock(words: str, language: StatementLanguage) -> bool:
    """Whether words name a time of the day, a day of the week, or a date."""
    split = words.split()
    if _ORDINAL.search(words):
        return True
    is_dated = not language.months.keys().isdisjoint(split) and any(word[:1].isdigit() for word in split)
    return is_dated or bool(_CLOCK.search(words)) or not language.weekdays.keys().isdisjoint(split)


def is_money(words: str) -> bool:
    """Whether words name an amount with its currency.

    >>> is_money("1425 dollars"), is_money("3 cats")
    (True, False)
    """
    return bool(_MONEY.search(words))


def _is_date(word: str) -> bool:
    return len(word) == len("2026-03-08") and word[4:5] == word[7:8] == "-"


def _clock(found: re.Match[str]) -> str:
    hour, minutes = int(found[1] or found[4]), found[2] or found[5] or "00"
    if found[3] == "pm" and hour < _NOON:
        hour += _NOON
    return f"{hour}:{minutes}"
