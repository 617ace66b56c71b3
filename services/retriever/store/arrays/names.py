"""The names in a person's arrays, words of texts included: each is known by its place, new ones come last."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import count
from typing import Any

from shared.domain.arrays import NDArray, np

_END = b"\xff"
"""No text has this byte in UTF-8."""


def names_stored(stored: NDArray[Any], places: NDArray[Any]) -> NDArray[Any]:
    """The stored names at some places, as they are stored."""
    names = stored.tobytes().split(_END)
    return np.frombuffer(b"".join(names[place] + _END for place in places.tolist()), np.uint8)


class Names:
    """All names of a file by their places."""

    def __init__(self, stored: NDArray[Any]) -> None:
        self._names = stored.tobytes().split(_END)[:-1]
        self._places = dict(zip(self._names, count()))  # of bytes: most names of a file are never looked at

    def __len__(self) -> int:
        return len(self._places)

    def __contains__(self, name: str) -> bool:
        return name.encode() in self._places

    def __getitem__(self, name: str) -> int:
        """The place of a name that is known."""
        return self._places[name.encode()]

    def of(self, name: str) -> int | None:
        """The place of a name; None if it is not known."""
        return self._places.get(name.encode())

    def after(self, start: str, place: int) -> str | None:
        """What follows this beginning of the name at a place; None for a place below 0."""
        return None if place < 0 else self._names[place].decode().removeprefix(start)

    def beginning_with(self, start: str) -> list[int]:
        """The places of the names that begin like this."""
        begins = start.encode()
        return [place for place, name in enumerate(self._names) if name.startswith(begins)]

    def add(self, names: Iterable[str]) -> NDArray[Any]:
        """Give places to those of these names that have none; the bytes to be stored after the others'."""
        new = [name for name in dict.fromkeys(name.encode() for name in names) if name not in self._places]
        self._places.update(zip(new, count(len(self._names))))
        self._names += new
        return np.frombuffer(b"".join(name + _END for name in new), np.uint8)
