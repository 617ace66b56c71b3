"""The names in a person's arrays, words of texts included: each is known by its place, new ones come last."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable
from itertools import count
from typing import Any

from shared.domain.arrays import NDArray, np

_END = b"\xff"
"""No text has this byte in UTF-8."""
_MOST_TOLD = 500


def names_stored(stored: NDArray[Any], places: NDArray[Any]) -> NDArray[Any]:
    """The stored names at some places, as they are stored."""
    names = stored.tobytes().split(_END)
    return np.frombuffer(b"".join(names[place] + _END for place in places.tolist()), np.uint8)


def names_sorted(stored: NDArray[Any]) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Where each stored name ends, and the places of all of them in the order of their bytes."""
    names = stored.tobytes().split(_END)[:-1]
    ends = np.cumsum([len(name) + len(_END) for name in names], dtype=np.int32)
    return ends, np.array(sorted(range(len(names)), key=names.__getitem__), np.int32)


class Names:
    """All names of a file by their places: those that are sorted are looked up where they lie, the others are read."""

    def __init__(self, stored: NDArray[Any], ends: NDArray[Any], order: NDArray[Any]) -> None:
        """`ends` and `order`: as of `names_sorted`, of the first names."""
        self._stored = stored.data
        self._ends, self._order = (np.asarray(each, np.int32).data for each in (ends, order))
        begin = self._ends[-1] if len(ends) else 0
        self._told: dict[tuple[str, int], str] = {}  # what follows the beginnings of names that were asked for
        self._late = stored[begin:].tobytes().split(_END)[:-1]
        self._late_places = dict(zip(self._late, count(len(order))))

    def __len__(self) -> int:
        return len(self._order) + len(self._late)

    def __contains__(self, name: str) -> bool:
        return self.of(name) is not None

    def __getitem__(self, name: str) -> int:
        """The place of a name that is known."""
        place = self.of(name)
        if place is None:
            raise KeyError(name)
        return place

    def of(self, name: str) -> int | None:
        """The place of a name; None if it is not known."""
        return self._place(name.encode())

    def after(self, start: str, place: int) -> str | None:
        """What follows this beginning of the name at a place; None for a place below 0."""
        if place < 0:
            return None
        name = self._told.get((start, place))
        if name is None:
            if len(self._told) >= _MOST_TOLD:
                self._told.clear()
            name = self._told[start, place] = self._name(place).decode().removeprefix(start)
        return name

    def beginning_with(self, start: str) -> list[int]:
        """The places of the names that begin like this."""
        begins = start.encode()
        first, behind = (self._rank(each) for each in (begins, begins + _END))
        late = (place for name, place in self._late_places.items() if name.startswith(begins))
        return [*sorted(self._order[first:behind]), *late]

    def add(self, names: Iterable[str]) -> NDArray[Any]:
        """Give places to those of these names that have none; the bytes to be stored after the others'."""
        new = [name for name in dict.fromkeys(name.encode() for name in names) if self._place(name) is None]
        self._late_places.update(zip(new, count(len(self))))
        self._late += new
        return np.frombuffer(b"".join(name + _END for name in new), np.uint8)

    def _place(self, name: bytes) -> int | None:
        if (late := self._late_places.get(name)) is not None:
            return late
        rank = self._rank(name)
        return self._order[rank] if rank < len(self._order) and self._name(self._order[rank]) == name else None

    def _rank(self, name: bytes) -> int:
        """So many of the sorted names come before this one."""
        return bisect_left(self._order, name, key=self._name)

    def _name(self, place: int) -> bytes:
        if place >= len(self._order):
            return self._late[place - len(self._order)]
        return bytes(self._stored[self._ends[place - 1] if place else 0 : self._ends[place] - len(_END)])
