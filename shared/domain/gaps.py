"""Gaps in a scope's event numbers: noted when they are met, and removed when an event explains them.

What was forgotten is erased from the log, so its numbers are missing; the `memory_forgotten` or `user_forgotten` that names
them comes after the gap. What no event explains was lost.
"""

from collections.abc import Iterable, Iterator, Sequence

from shared.contracts.event import EventData
from shared.contracts.privacy import MemoryForgotten, UserForgotten

Range = tuple[int, int]
"""First and last number of a range, both included."""


def explained(data: EventData) -> list[Range]:
    """The ranges of numbers that this event says are erased.

    >>> explained(UserForgotten(forget_id="f", scope="s", through_number=7))
    [(1, 7)]
    """
    if isinstance(data, MemoryForgotten):
        return list(ranges(data.numbers))
    if isinstance(data, UserForgotten) and data.through_number:
        return [(1, data.through_number)]
    return []


def ranges(numbers: Iterable[int]) -> Iterator[Range]:
    """These numbers as ranges, in order.

    >>> list(ranges([5, 1, 2, 3]))
    [(1, 3), (5, 5)]
    """
    first = last = None
    for number in sorted(numbers):
        if first is None or last is None:
            first = number
        elif number > last + 1:
            yield first, last
            first = number
        last = number
    if first is not None and last is not None:
        yield first, last


def without(gaps: Iterable[Range], struck: Sequence[Range]) -> list[Range]:
    """What is left of the gaps without the ranges that are struck out.

    >>> without([(1, 9)], [(1, 2), (5, 5)])
    [(3, 4), (6, 9)]
    """
    left = list(gaps)
    for first, last in struck:
        left = [piece for gap in left for piece in _pieces(gap, first, last)]
    return left


def size(gaps: Iterable[Range]) -> int:
    """How many numbers the gaps hold.

    >>> size([(3, 4), (6, 9)])
    6
    """
    return sum(last - first + 1 for first, last in gaps)


def _pieces(gap: Range, first: int, last: int) -> Iterator[Range]:
    start, end = gap
    if last < start or end < first:
        yield gap
        return
    if start < first:
        yield start, first - 1
    if last < end:
        yield last + 1, end
