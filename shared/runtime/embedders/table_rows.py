"""Rows of a table that stays in its file: memory holds those that were wanted last."""

import os
import weakref
from collections.abc import Callable, Sequence
from functools import lru_cache, partial
from pathlib import Path

_MOST_KEPT = 2_048
"""Rows. Reading one gives Python's lock away, so what is wanted again and again is kept: 1 MB of rows of 384 bytes."""


class TableRows:
    """A table of bytes with rows of equal length. Safe for several threads."""

    def __init__(self, table: Path | bytes, *, width: int) -> None:
        """`width`: the bytes of a row. A table that could not be kept as a file is given as it is. Raises OSError."""
        self._width = width
        if isinstance(table, Path):
            file = os.open(table, os.O_RDONLY | os.O_CLOEXEC)
            weakref.finalize(self, os.close, file)
            read: Callable[[int], bytes] = partial(os.pread, file, width)
        else:
            read = partial(_cut, table, width)
        self._row = lru_cache(_MOST_KEPT)(lambda number: read(number * width))

    def of(self, numbers: Sequence[int]) -> bytes:
        """The rows with these numbers, one after the other. Raises ValueError where the table has no such row."""
        rows = b"".join(map(self._row, numbers))
        if len(rows) != len(numbers) * self._width:
            raise ValueError("the table ends before one of these rows")
        return rows


def _cut(table: bytes, length: int, start: int) -> bytes:
    return table[start : start + length]
