"""Turns and records in portions that fit one message."""

from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

from memstream._contracts import Contract, portions

_MAX_BYTES = 900_000
"""Below the largest payload that ingest takes (1 MiB)."""

_Item = TypeVar("_Item", bound=Contract)


def batches(items: Iterable[_Item], *, most: int) -> Iterator[list[_Item]]:
    """The items in order, in lists of at most so many that each fit one message."""
    return portions(items, lambda item: len(item.model_dump_json().encode()) + 1, most_weight=_MAX_BYTES, most=most)


def batches_of_groups(items: Iterable[_Item], *, most: int, belongs: Callable[[_Item, _Item], bool]) -> Iterator[list[_Item]]:
    """The items in order, in lists that each fit one message; what belongs to the item before it is in the same list."""

    def weigh(group: list[_Item]) -> int:
        return max(sum(len(item.model_dump_json().encode()) + 1 for item in group), -(-len(group) * _MAX_BYTES // most))

    for page in portions(_groups(items, belongs), weigh, most_weight=_MAX_BYTES):
        yield [item for group in page for item in group]


def _groups(items: Iterable[_Item], belongs: Callable[[_Item, _Item], bool]) -> Iterator[list[_Item]]:
    group: list[_Item] = []
    for item in items:
        if group and not belongs(item, group[-1]):
            yield group
            group = []
        group.append(item)
    if group:
        yield group
