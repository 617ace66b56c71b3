"""In which order memories are embedded: what was said live before what can wait, and texts of like length together."""

from collections.abc import Callable, Hashable, Sequence
from typing import TypeVar

T = TypeVar("T")


def by_length(texts: Sequence[tuple[int, T]], most: int) -> list[list[T]]:
    """Things with the length of their texts, in batches of at most `most`, from short to long.

    A batch is computed as if all of its texts were as long as its longest; of equal length the first stays first.

    >>> by_length([(9, "c"), (1, "a"), (8, "b")], 2)
    [['a', 'b'], ['c']]
    """
    ordered = [thing for _, thing in sorted(texts, key=lambda each: each[0])]
    return [ordered[start : start + most] for start in range(0, len(ordered), most)]


def in_turns(waiting: Sequence[T], owner: Callable[[T], Hashable]) -> list[T]:
    """What waits, one of each owner in turn; the order of each owner stays, and so does that of the owners.

    >>> in_turns(["a1", "a2", "b1", "a3"], lambda each: each[0])
    ['a1', 'b1', 'a2', 'a3']
    """
    rounds: dict[Hashable, int] = {}
    turns = []
    for each in waiting:
        rounds[owner(each)] = turn = rounds.get(owner(each), 0) + 1
        turns.append((turn, each))
    return [each for _, each in sorted(turns, key=lambda both: both[0])]
