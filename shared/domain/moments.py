"""Moments as numbers: microseconds since 1970, UTC, exact in both directions."""

from datetime import UTC, datetime, timedelta

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)


def microseconds(moment: datetime) -> int:
    """The moment as an integer, without the rounding of floats.

    >>> microseconds(datetime(1970, 1, 1, 0, 0, 1, tzinfo=UTC))
    1000000
    """
    return (moment - _EPOCH) // _MICROSECOND


def moment(value: int) -> datetime:
    """The moment, in UTC, of microseconds since 1970."""
    return _EPOCH + value * _MICROSECOND
