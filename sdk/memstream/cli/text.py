"""User text on a terminal: shortened, and without the control characters that would steer it."""

import re
from datetime import datetime

_SHORT = 8
"""Hex digits of a short id. Of 1,000 memories two begin alike in one store of 10,000; then more digits are asked for."""
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


def counted(count: int, one: str, many: str | None = None) -> str:
    """So many of something.

    >>> counted(1, "event"), counted(2, "memory", "memories")
    ('1 event', '2 memories')
    """
    return f"{count} {one if count == 1 else many or f'{one}s'}"


def memories(count: int) -> str:
    """So many memories."""
    return counted(count, "memory", "memories")


def short_id(memory_id: str) -> str:
    """The beginning of an id: enough for a person to type, and for `whole_id` to know it by."""
    prefix, sign, digits = memory_id.rpartition("_")
    return f"{prefix}{sign}{digits[:_SHORT]}"
