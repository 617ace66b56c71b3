"""What a lane has read and not decided yet. Those who wait take turns: nobody's thousand messages come before one of others.

Imports and what jobs propose fill what is left: they are taken while nothing else waits.
"""

from collections import deque
from collections.abc import Hashable
from dataclasses import dataclass, field
from math import inf
from typing import Generic, NamedTuple, TypeVar

T = TypeVar("T")


class _Queued(NamedTuple, Generic[T]):
    sequence: int
    item: T
    size: int
    can_wait: bool
    weight: float


@dataclass(slots=True)
class _Queue(Generic[T]):
    """What waits of one owner, in its order, and how many of that cannot wait."""

    entries: deque[_Queued[T]] = field(default_factory=deque)
    hurried: int = 0


class FairQueue(Generic[T]):
    """Items in the order of a stream, taken in turns from all owners; of one owner in their order.

    Owners of whom everything can wait have their turns when there are no others. Whoever adds more than there is room for makes
    others wait for what is beyond.
    """

    def __init__(self, *, most: int = 50_000, most_bytes: int = 33_554_432) -> None:
        self._most = most
        self._most_bytes = most_bytes
        self._hurried: dict[Hashable, _Queue[T]] = {}  # owners in the order in which they are next
        self._patient: dict[Hashable, _Queue[T]] = {}  # likewise: those of whom everything can wait
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
    def is_patient(self) -> bool:
        """True if everything that waits can wait."""
        return not self._hurried

    @property
    def only_owner(self) -> Hashable | None:
        """Whose all is that cannot wait; None if that is of nobody, or of several."""
        return next(iter(self._hurried)) if len(self._hurried) == 1 else None

    @property
    def first(self) -> int | None:
        """The lowest sequence that waits; None if nothing does."""
        while self._sequences and self._sequences[0] in self._taken:
            self._taken.remove(self._sequences.popleft())
        return self._sequences[0] if self._sequences else None

    def add(self, owner: Hashable, sequence: int, item: T, *, size: int, can_wait: bool = False, weight: float = 1.0) -> None:
        """Add an item of so many bytes. Sequences come in ascending order.

        `weight`: the part of an item, and of its bytes, for which it counts where several are taken.
        """
        theirs = self._hurried.get(owner) or self._patient.get(owner) or _Queue()
        theirs.entries.append(_Queued(sequence, item, size, can_wait, weight))
        theirs.hurried += not can_wait
        if theirs.hurried:
            self._patient.pop(owner, None)
        self._owners_like(theirs).setdefault(owner, theirs)
        self._sequences.append(sequence)
        self._bytes += size

    def take(self, most: int, *, most_bytes: int, most_weight: float = inf) -> list[T]:
        """Take up to `most` items, about so many bytes, one of each owner in turn; who was not reached is first next time.

        `most_weight`: what they count for together, at most. What can wait is taken alone, so that nothing else waits for it.

        >>> queue = FairQueue()
        >>> for sequence, item in enumerate(["a1", "a2", "a3", "b1"]):
        ...     queue.add(item[0], sequence, item, size=5)
        >>> queue.take(3, most_bytes=99), queue.take(3, most_bytes=99)
        (['a1', 'b1', 'a2'], ['a3'])
        """
        owners, taken = self._hurried or self._patient, list[T]()
        weight, weighed_bytes = 0.0, 0.0
        while owners and len(taken) < most and weight < most_weight and weighed_bytes < most_bytes:
            entry = self._next_of(owners)
            taken.append(entry.item)
            weight += entry.weight
            weighed_bytes += entry.weight * entry.size
        return taken

    def _next_of(self, owners: dict[Hashable, _Queue[T]]) -> _Queued[T]:
        """Take an item of the first of these owners, who then is the last."""
        owner = next(iter(owners))
        theirs = owners.pop(owner)
        entry = theirs.entries.popleft()
        theirs.hurried -= not entry.can_wait
        if theirs.entries:
            self._owners_like(theirs)[owner] = theirs  # behind all others
        self._taken.add(entry.sequence)
        self._bytes -= entry.size
        return entry

    def _owners_like(self, theirs: _Queue[T]) -> dict[Hashable, _Queue[T]]:
        return self._hurried if theirs.hurried else self._patient
