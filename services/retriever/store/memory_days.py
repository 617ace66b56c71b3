"""Keeps the days that memories speak of: `yesterday`, said on 8 May, is 7 May."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from sqlalchemy import Connection

from services.retriever.store.schema import days
from shared.domain.moments import moment
from shared.language.questions.periods import periods
from shared.language.text.length import is_read
from shared.runtime.bulk import rows_into

_DAYS = rows_into(days)
_MICROSECONDS_A_MINUTE = 60_000_000
LONGEST_DAYS = 31
"""Longer periods tell too little of a memory."""


def index(db: Connection, new: Sequence[Mapping[str, Any]]) -> None:
    """Write the days of new rows of `memories`."""
    _DAYS.write(db, [row for memory in new for row in _rows(memory)])


def _rows(memory: Mapping[str, Any]) -> Iterable[dict[str, int]]:
    if not is_read(memory["content"]):
        return
    said_on = moment(memory["event_time"] + memory["utc_offset_minutes"] * _MICROSECONDS_A_MINUTE).date()
    for period in periods(memory["content"], said_on):
        if period.days <= LONGEST_DAYS:
            yield {"number": memory["number"], "first": period.first.toordinal(), "last": period.last.toordinal()}
