"""Cuts what is too much for one message, append or request into portions."""

from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

_Portioned = TypeVar("_Portioned")


def portions(
    items: Iterable[_Portioned], weigh: Callable[[_Portioned], int], *, most_weight: int, most: int | None = None
) -> Iterator[list[_Portioned]]:
    """The items in order, at most `most` in a list, of at most `most_weight` together; a heavier one is alone.

    >>> list(portions([2, 1, 1, 5], int, most_weight=3, most=2))
    [[2, 1], [1], [5]]
    """
    portion: list[_Portioned] = []
    weight = 0
    for item in items:
        added = weigh(item)
        if portion and (len(portion) == most or weight + added > most_weight):
            yield portion
            portion, weight = [], 0
        portion.append(item)
        weight += added
    if portion:
        yield portion
