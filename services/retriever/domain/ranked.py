"""Candidates in their order, of which few are looked at: each is made when it is."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from typing import Any, NamedTuple, overload

from services.retriever.domain.candidate import Placed
from shared.domain.arrays import NDArray, np

_AT_ONCE = 64


class RankedRows(NamedTuple):
    """What is known of all candidates, a row for each in any order, and what makes the places of some rows."""

    number: Sequence[int]
    kind: Sequence[str]
    is_superseded: NDArray[Any]  # bool[n]
    total: NDArray[Any]  # float64[n], as the next two
    relevance: NDArray[Any]
    states: NDArray[Any]  # of relevance: what is gained by stating just what is asked
    make: Callable[[Sequence[int]], Sequence[Placed]]

    @classmethod
    def of(cls, places: Sequence[Placed]) -> RankedRows:
        """The rows of places that are made already."""
        candidates = [place.candidate for place in places]
        return cls(
            [candidate.number for candidate in candidates],
            [candidate.kind for candidate in candidates],
            np.array([candidate.is_superseded for candidate in candidates], bool),
            np.array([place.total for place in places], float),
            np.array([place.relevance for place in places], float),
            np.array([place.parts.states for place in places], float),
            lambda rows: [places[row] for row in rows],
        )


class Ranked(Sequence[Placed]):
    """Places in their order, best first. Hundreds of candidates are ranked, some sixty are compared, and a dozen is shown."""

    def __init__(self, rows: RankedRows, order: Sequence[int], made: dict[int, Placed] | None = None) -> None:
        """`order`: the rows of the places. `made`: those that are made already, by row."""
        self._rows, self._order = rows, order
        self._made: dict[int, Placed] = {} if made is None else made

    @classmethod
    def of(cls, places: Sequence[Placed]) -> Ranked:
        """Places that are made already, in this order."""
        return cls(RankedRows.of(places), range(len(places)))

    def __len__(self) -> int:
        return len(self._order)

    @overload
    def __getitem__(self, which: int) -> Placed: ...
    @overload
    def __getitem__(self, which: slice) -> list[Placed]: ...
    def __getitem__(self, which: int | slice) -> Placed | list[Placed]:
        return self._places(self._order[which]) if isinstance(which, slice) else self._places([self._order[which]])[0]

    def __iter__(self) -> Iterator[Placed]:
        for start in range(0, len(self), _AT_ONCE):
            yield from self[start : start + _AT_ONCE]

    @property
    def numbers(self) -> list[int]:
        """The numbers of the memories, in order."""
        number = self._rows.number
        return [number[row] for row in self._order]

    @property
    def totals(self) -> list[float]:
        """The scores that place them, in order."""
        return self._in_order(self._rows.total)

    @property
    def relevances(self) -> list[float]:
        """How relevant they are, in order."""
        return self._in_order(self._rows.relevance)

    @property
    def relevances_beside_stating(self) -> list[float]:
        """The same, without what is gained by stating just what is asked."""
        return self._in_order(self._rows.relevance - self._rows.states)

    def of_kind(self, kind: str) -> list[int]:
        """The numbers of those of a kind, in order."""
        number, kinds = self._rows.number, self._rows.kind
        return [number[row] for row in self._order if kinds[row] == kind]

    def among(self, numbers: Collection[int]) -> dict[int, Placed]:
        """The places of these memories by their numbers, in order; without those that are not here."""
        number = self._rows.number
        found = self._places([row for row in self._order if number[row] in numbers])
        return {place.candidate.number: place for place in found}

    def changed(self, places: Iterable[Placed]) -> Ranked:
        """All of them by their totals, of equals the newer first, with these in the place of those with their numbers."""
        found, number = {place.candidate.number: place for place in places}, self._rows.number
        made = {row: found[number[row]] for row in self._order if number[row] in found}
        total, relevance, states = (column.copy() for column in (self._rows.total, self._rows.relevance, self._rows.states))
        for row, place in made.items():
            total[row], relevance[row], states[row] = place.total, place.relevance, place.parts.states
        rows = self._rows._replace(total=total, relevance=relevance, states=states)
        order = sorted(self._order, key=lambda row: (-total[row], -number[row]))
        return Ranked(rows, order, self._made | made)

    def beginning_with(self, first: Sequence[Placed]) -> Ranked:
        """These first, which are as many of the first ones in another order, and with other penalties; then the others."""
        row_of = {self._rows.number[row]: row for row in self._order[: len(first)]}
        rows = [row_of[place.candidate.number] for place in first]
        return Ranked(self._rows, [*rows, *self._order[len(first) :]], self._made | dict(zip(rows, first, strict=True)))

    def without_superseded(self) -> Ranked:
        """Those in whose place no other memory holds."""
        is_superseded = self._rows.is_superseded
        if not is_superseded.any():
            return self
        return Ranked(self._rows, [row for row in self._order if not is_superseded[row]], self._made)

    def _in_order(self, column: NDArray[Any]) -> list[float]:
        found: list[float] = column[np.asarray(self._order, np.intp)].tolist()
        return found

    def _places(self, rows: Sequence[int]) -> list[Placed]:
        if new := [row for row in rows if row not in self._made]:
            self._made.update(zip(new, self._rows.make(new), strict=True))
        return [self._made[row] for row in rows]
