"""The moment for which a file is read: what fades with time is told as it is by then."""

from datetime import datetime
from weakref import WeakKeyDictionary

from sqlalchemy import Connection

from shared.domain.decay import Fading, told_as
from shared.domain.moments import microseconds

_MOMENTS: WeakKeyDictionary[Connection, int] = WeakKeyDictionary()
"""Beside the connections: SQLAlchemy takes 10 us to keep an option of one, and a question tells it three times."""


def as_at(db: Connection, moment: datetime) -> None:
    """From now on what is read through this connection is told as it is at this moment."""
    _MOMENTS[db] = microseconds(moment)


def moment_of(db: Connection) -> int | None:
    """The moment for which the file is read, in microseconds; None where there is none."""
    return _MOMENTS.get(db)


def told_confidence(moment: int | None, fading: Fading, *, pinned: bool) -> float:
    """How sure a memory is at a moment, in thousandths; where there is none, at its anchor."""
    return told_as(fading.confidence if moment is None or pinned else fading.at(moment))
