"""Reads which days a text speaks of: `yesterday`, `last week`, `on 7 May`, `in May 2023`, `two weeks ago`.

What could be many things is left out, as `in the summer`, and so is what names no day, as `every Friday`. Only a question is
read for more: there what has no year is past, seasons are of the north, and `since` reaches until today.
"""

from __future__ import annotations

import re
from bisect import bisect_left, insort
from datetime import date
from typing import TYPE_CHECKING

from shared.language.tables import ENGLISH
from shared.language.text.calendar import MONTH, WEEKDAY, Period
from shared.language.text.languages import language_of

if TYPE_CHECKING:
    from shared.language.questions.named_times import Patterns

_MOST = 16
_MOST_NAMED = 64
"""A text that names more times than this, repeated or not, is read no further."""

_WORTH_READING = re.compile(
    r"\d|day|night|morning|evening|afternoon|tomorrow|week|month|year|quarter|spring|summer|autumn|fall\b|winter|christmas|easter"
    rf"|halloween|ties\b|thanksgiving|ago\b|\b{MONTH}\b|{WEEKDAY}|tmrw|tmr",
    re.IGNORECASE,
)
_CUES = ("day", "night", "morning", "evening", "afternoon", "tomorrow", "week", "month", "year", "ago", "tmr")
_DIGIT = re.compile(r"\d")


def periods(text: str, today: date, *, asked: bool = False) -> list[Period]:
    """Return the periods that a text names, said on this day; in a question (`asked`) a day without a year is past.

    >>> [str(period.first) for period in periods("We met on 7 May and again last Friday", date(2026, 5, 20))]
    ['2026-05-07', '2026-05-15']
    """
    found: dict[Period, None] = {}
    taken: list[tuple[int, int]] = []
    for pattern, resolver in _of_question(text) if asked else _of_statement(text):
        for match in pattern.finditer(text):
            if len(taken) == _MOST_NAMED:
                break
            if _is_apart(match.span(), taken):
                insort(taken, match.span())
                if period := resolver(match, today):
                    found[period] = None
    return list(found)[:_MOST]


def _is_apart(span: tuple[int, int], taken: list[tuple[int, int]]) -> bool:
    """True if a span overlaps none of these, which are in their order."""
    at = bisect_left(taken, span)
    return (at == 0 or taken[at - 1][1] <= span[0]) and (at == len(taken) or span[1] <= taken[at][0])


def _of_question(text: str) -> Patterns:
    """The patterns that may find something in a question."""
    code = language_of(text)
    if code == ENGLISH and not _WORTH_READING.search(text):
        return ()
    from shared.language.questions.asked_times import asked_in  # noqa: PLC0415 - here and below: forty patterns

    return asked_in(code)


def _of_statement(text: str) -> Patterns:
    """The patterns that may find something in what is said, where a month names a period only beside a number.

    Every memory is read: four in five name no time, and these are told by their characters, ten times as fast.
    """
    folded = text.casefold()
    is_numbered, is_spoken = _DIGIT.search(text) is not None, any(cue in folded for cue in _CUES)
    if not (is_numbered or is_spoken):
        return ()
    from shared.language.questions.named_times import NUMBERED, SPOKEN  # noqa: PLC0415

    return (NUMBERED if is_numbered else ()) + (SPOKEN if is_spoken else ())
