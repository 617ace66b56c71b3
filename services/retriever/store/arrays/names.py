"""The names in a person's arrays, words of texts included: each is known by its place, new ones come last."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
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
        self._names = [name.decode() for name in stored.tobytes().split(_END)[:-1]]
        self._places = {name: place for place, name in enumerate(self._names)}

    def __len__(self) -> int:
        return len(self._places)

    @property
    def places(self) -> Mapping[str, int]:
        """The place of each name."""
        return self._places

    def of(self, name: str) -> int | None:
        """The place of a name; None if it is not known."""
        return self._places.get(name)

    def after(self, start: str, place: int) -> str | None:
        """What follows this beginning of the name at a place; None for a place below 0."""
        return None if place < 0 else self._names[place].removeprefix(start)

    def beginning_with(self, start: str) -> list[int]:
        """The places of the names that begin like this."""
        return [place for name, place in self._places.items() if name.startswith(start)]

    def add(self, names: Iterable[str]) -> NDArray[Any]:
        """Give places to those of these names that have none; the bytes to be stored after the others'."""
        new = [name for name in dict.fromkeys(names) if name not in self._places]
        for name in new:
            self._places[name] = len(self._names)
            self._names.append(name)
        return np.frombuffer(b"".join(name.encode() + _END for name in new), np.uint8)
