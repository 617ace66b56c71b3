"""Holds the columns that ranking reads of a person's memories, in memory while the person's file is open."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Sequence
from typing import Any, NamedTuple, TypeVar

from sqlalchemy import Connection

from services.retriever.domain.word_traits import CAPITALS_AT, LENGTH_AT, OF_SELF_AT, OF_WORDS, TO_OTHER_AT
from services.retriever.store.search import neighbours
from shared.contracts.parts import Kind
from shared.domain.arrays import NDArray, np
from shared.runtime.sqlite import rows

KINDS = tuple(kind.value for kind in Kind)
"""A kind is stored as its place in this tuple."""

ENDED, SUPERSEDED, HELD_BACK, ROLLED_UP, PINNED, OF_BOT, OF_USER, DATED = (1 << bit for bit in range(8, 16))
"""Bits of the column `flags`. The lower bits are `OF_WORDS`."""

_EPISODE = KINDS.index(Kind.EPISODE)
_MEMORIES = f"""
SELECT number, event_time, importance, confidence, confidence_at, CASE WHEN pinned THEN 0.0 ELSE decay_rate END,
  {ENDED} * (valid_until IS NOT NULL) + {SUPERSEDED} * (status = 'superseded') + {HELD_BACK} * (ended_because IS 'held_back')
  + {ROLLED_UP} * (ended_because IS 'rolled_up') + {PINNED} * (pinned = 1)
  + {OF_BOT} * (kind = 'episode' AND source_role IS 'assistant' AND speaker IS NULL)
  + {OF_USER} * (kind = 'episode' AND source_role IS 'user'),
  traits, kind, session_id, speaker
FROM memories
"""
_SELECTED = 11
_ALL = f"{_MEMORIES} ORDER BY number"
_THESE = f"{_MEMORIES} WHERE number IN (SELECT value FROM json_each(:numbers)) ORDER BY number"
_DATED = "SELECT DISTINCT number FROM memory_days"
_THESE_DATED = f"{_DATED} WHERE number IN (SELECT value FROM json_each(:numbers))"
_TYPES = {
    "number": "i8",  # ascending
    "time": "i8",  # microseconds
    "importance": "f8",
    "confidence": "f8",  # at the anchor
    "anchor": "i8",  # microseconds
    "decay_rate": "f8",  # a day; 0 while it is pinned
    "flags": "u2",
    "of_self": "u1",  # a bit for each language of `manner`
    "to_other": "u1",
    "capitals": "u1",  # words like names, up to five
    "length": "u1",  # bytes, up to 240
    "kind": "u1",
    "session": "i4",  # its number among the names; -1 for none
    "speaker": "i4",  # likewise
}
_CHANGING = ("importance", "confidence", "anchor", "decay_rate", "flags")
_LEAST_ROOM = 64

T = TypeVar("T")


class ChangedMemories(NamedTuple):
    """The numbers of the memories that some events changed."""

    rows: frozenset[int] = frozenset()  # new, or with other values
    embedded: frozenset[int] = frozenset()
    has_lost: bool = False  # other memories are gone

    def joined(self, other: ChangedMemories) -> ChangedMemories:
        """Return the changes of both."""
        return ChangedMemories(self.rows | other.rows, self.embedded | other.embedded, self.has_lost or other.has_lost)


class Names:
    """Numbers names from 0 in the order of their arrival."""

    def __init__(self) -> None:
        self._places: dict[str, int] = {}

    def add(self, name: str | None) -> int:
        """Return the number of a name, a new one if it has none; -1 for None."""
        return -1 if name is None else self._places.setdefault(name, len(self._places))

    def of(self, name: str) -> int | None:
        """Return the number of a name, or None if it was never added."""
        return self._places.get(name)

    def at(self, places: Sequence[int]) -> list[str | None]:
        """Return the names with these numbers; None for -1."""
        names: list[str | None] = [*self._places, None]
        return [names[place] for place in places]


class MemoryColumns:
    """A row for each memory, ascending by number. Use it under the lock of the person's file."""

    def __init__(self, db: Connection) -> None:
        self.sessions, self.speakers = Names(), Names()
        self._columns: dict[str, NDArray[Any]] = {name: np.zeros(0, of_type) for name, of_type in _TYPES.items()}
        self._columns["beside"] = np.zeros((0, neighbours.BESIDE), np.int32)
        self._count = 0
        self._computed: dict[str, NDArray[Any]] = {}
        self._told: dict[tuple[str, int], Any] = {}
        self._append(self._read(rows(db, _ALL), rows(db, _DATED)))
        self._write_beside(np.flatnonzero(self["kind"] == _EPISODE))

    def __len__(self) -> int:
        return self._count

    def __getitem__(self, name: str) -> NDArray[Any]:
        """Return a column of `_TYPES`, or `beside`, the rows of the turns beside each. Read it only until the next change."""
        return self._columns[name][: self._count]

    def computed(self, name: str, compute: Callable[[MemoryColumns], NDArray[Any]]) -> NDArray[Any]:
        """Return a cached array that follows from the columns. A new memory or a changed flag empties the cache."""
        if name not in self._computed:
            self._computed[name] = compute(self)
        return self._computed[name]

    def told(self, what: str, number: int, read: Callable[[], T]) -> T:
        """Return a cached reading of a memory's words. The best memories of one question often return in the next."""
        if (what, number) not in self._told:
            self._told[what, number] = read()
        found: T = self._told[what, number]
        return found

    def rows_of(self, numbers: Collection[int]) -> NDArray[np.integer]:
        """Return the rows of memories, all of which must be known."""
        return np.searchsorted(self["number"], np.fromiter(numbers, np.int64, len(numbers)))

    def change(self, db: Connection, numbers: Collection[int]) -> None:
        """Read these memories from the file again. Some may be new."""
        if not numbers:
            return
        these = {"numbers": json.dumps(list(numbers))}
        found = self._read(rows(db, _THESE, these), rows(db, _THESE_DATED, these))
        is_new = found["number"] > (self["number"][-1] if len(self) else -1)
        self._put({name: values[~is_new] for name, values in found.items()})
        if is_new.any():
            first = len(self)
            self._append({name: values[is_new] for name, values in found.items()})
            self._told_beside(np.arange(first, len(self)))

    def _read(self, found: Sequence[tuple[Any, ...]], dated: Sequence[tuple[int]]) -> dict[str, NDArray[Any]]:
        """Return the columns of the rows that `_MEMORIES` selected. `dated`: the numbers of memories whose text names days."""
        *plain, standing, traits, kinds, sessions, speakers = zip(*found, strict=True) if found else ((),) * _SELECTED
        columns = dict(zip(_TYPES, map(np.array, plain), strict=False))
        flags, of_words = np.array(standing, np.int64), np.array(traits, np.int64)
        flags |= of_words & OF_WORDS
        flags[np.isin(columns["number"], np.array(dated, np.int64).ravel())] |= DATED
        columns["flags"] = flags
        columns["of_self"] = of_words >> OF_SELF_AT & 0xFF
        columns["to_other"] = of_words >> TO_OTHER_AT & 0xFF
        columns["capitals"] = of_words >> CAPITALS_AT & 0x7
        columns["length"] = of_words >> LENGTH_AT & 0xFF
        columns["kind"] = np.array([KINDS.index(kind) for kind in kinds])
        columns["session"] = np.array([self.sessions.add(each) for each in sessions])
        columns["speaker"] = np.array([self.speakers.add(each) for each in speakers])
        return {name: columns[name].astype(of_type) for name, of_type in _TYPES.items()}

    def _append(self, found: dict[str, NDArray[Any]]) -> None:
        count = self._count + len(found["number"])
        for name, column in self._columns.items():
            if len(column) < count:
                room = np.zeros((count + count // 4 + _LEAST_ROOM, *column.shape[1:]), column.dtype)
                room[: self._count] = column[: self._count]
                self._columns[name] = room
            self._columns[name][self._count : count] = found.get(name, neighbours.NOBODY)
        self._count = count
        self._computed.clear()

    def _put(self, found: dict[str, NDArray[Any]]) -> None:
        """Overwrite the changing columns of known memories."""
        at = self.rows_of(found["number"].tolist())
        changed = self["flags"][at] ^ found["flags"]
        for name in _CHANGING:
            self[name][at] = found[name]
        if changed.any():
            self._computed.clear()
            self._told_beside(at[changed & HELD_BACK != 0])

    def _told_beside(self, at: NDArray[np.integer]) -> None:
        """Recompute the neighbours of all turns in the sessions of these memories."""
        sessions = np.unique(self["session"][at][self["kind"][at] == _EPISODE])
        if len(sessions):
            self._write_beside(np.flatnonzero((self["kind"] == _EPISODE) & np.isin(self["session"], sessions)))

    def _write_beside(self, turns: NDArray[np.integer]) -> None:
        """Write the neighbours of these turns, which must be all turns of their sessions."""
        self["beside"][turns] = neighbours.NOBODY
        said = turns[(self["flags"][turns] & HELD_BACK == 0) & (self["session"][turns] >= 0)]
        self["beside"][said] = neighbours.beside(said, self["session"][said], self["time"][said])
