"""Turns and records in portions that fit one message."""

from collections.abc import Iterable, Iterator
from typing import TypeVar

from memstream._contracts import Contract, portions

_MAX_BYTES = 900_000
"""Below the largest payload that ingest takes (1 MiB)."""

_Item = TypeVar("_Item", bound=Contract)


def batches(items: Iterable[_Item], *, most: int) -> Iterator[list[_Item]]:
    """The items in order, in lists of at most so many that each fit one message."""
    return portions(items, lambda item: len(item.model_dump_json().encode()) + 1, most_weight=_MAX_BYTES, most=most)
