"""User text on a terminal: shortened, and without the control characters that would steer it."""

from __future__ import annotations

import re
from datetime import datetime

_CONTROLS = re.compile(r"[\x00-\x1f\x7f-\x9f]+")


def one_line(text: str, most: int = 100) -> str:
    """The text in one line of at most so many characters."""
    flat = _CONTROLS.sub(" ", text).strip()
    return flat if len(flat) <= most else f"{flat[: most - 1]}…"


def harmless(text: str) -> str:
    """The text with its line breaks, but no other control character."""
    return "\n".join(_CONTROLS.sub(" ", line) for line in text.split("\n"))


def minute(moment: datetime) -> str:
    """A moment in UTC, to the minute."""
    return f"{moment:%Y-%m-%d %H:%M}"


def size(count: int) -> str:
    """Bytes for people."""
    amount, units = float(count), iter(("B", "KB", "MB", "GB"))
    unit = next(units)
    while amount >= 1000 and (larger := next(units, None)):  # noqa: PLR2004 - decimal units
        amount, unit = amount / 1000, larger
    return f"{amount:.0f} {unit}" if unit == "B" else f"{amount:.1f} {unit}"


def age(seconds: float) -> str:
    """A time span for people, in its largest unit.

    >>> age(59), age(7200)
    ('59 s', '2 h')
    """
    amount = seconds
    for unit, in_next in (("s", 60), ("min", 60), ("h", 24)):
        if amount < in_next:
            return f"{amount:.0f} {unit}"
        amount /= in_next
    return f"{amount:.0f} days"
