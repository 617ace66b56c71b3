"""The one place that reads the clock."""

from datetime import UTC, datetime
from typing import Protocol


class Clock(Protocol):
    """Port for the time; tests use a clock that stands still."""

    def now(self) -> datetime:
        """The present moment in UTC."""


class SystemClock:
    """The machine's clock."""

    def now(self) -> datetime:
        """The present moment in UTC."""
        return datetime.now(UTC)
