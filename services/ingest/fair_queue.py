"""What a lane has read and not decided yet. Those who wait take turns: nobody's thousand messages come before one of others."""

from collections import deque
from collections.abc import Hashable, Iterator
from itertools import islice
from typing import Generic, TypeVar

T = TypeVar("T")


class FairQueue(Generic[T]):
    """Items in the order of a stream, taken in turns from all owners; of one owner in their order.

    Whoever adds more than there is room for makes others wait for what is beyond.
    """

    def __init__(self, *, most: int = 50_000, most_bytes: int = 33_554_432) -> None:
        self._most = most
        self._most_bytes = most_bytes
        self._of: dict[Hashable, deque[tuple[int, T, int]]] = {}  # owners in the order in which they are next
        self._sequences: deque[int] = deque()  # of all that was added, but for the first that are taken
        self._taken: set[int] = set()  # of these
        self._bytes = 0

    def __len__(self) -> int:
        return len(self._sequences) - len(self._taken)

    @property
    def has_room(self) -> bool:
        """True if more may be read ahead."""
        return len(self) < self._most and self._bytes < self._most_bytes

    @property
    def first(self) -> int | None:
        """The lowest sequence that waits; None if nothing does."""
        while self._sequences and self._sequences[0] in self._taken:
            self._taken.remove(self._sequences.popleft())
        return self._sequences[0] if self._sequences else None

    def add(self, owner: Hashable, sequence: int, item: T, *, size: int) -> None:
        """Add an item of so many bytes. Sequences come in ascending order."""
        self._of.setdefault(owner, deque()).append((sequence, item, size))
        self._sequences.append(sequence)
        self._bytes += size

    def take(self, most: int, *, most_bytes: int) -> list[T]:
        """Take up to `most` items, about so many bytes, one of each owner in turn; who was not reached is first next time.

        >>> queue = FairQueue()
        >>> for sequence, item in enumerate(["a1", "a2", "a3", "b1"]):
        ...     queue.add(item[0], sequence, item, size=5)
        >>> queue.take(3, most_bytes=99), queue.take(3, most_bytes=99)
        (['a1', 'b1', 'a2'], ['a3'])
        """
        return list(islice(self._in_turns(self._bytes - most_bytes), most))

    def _in_turns(self, least_left: int) -> Iterator[T]:
        """Take items until no more bytes than these are left."""
        while self._of and self._bytes > least_left:
            owner = next(iter(self._of))
            waiting = self._of.pop(owner)
            sequence, item, size = waiting.popleft()
            if waiting:
                self._of[owner] = waiting  # behind all others
            self._taken.add(sequence)
            self._bytes -= size
            yield item
