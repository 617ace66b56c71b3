"""The arrays of one person: derived from the person's SQLite file alone, and patched by what changes in it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from sqlalchemy import Connection

from services.retriever.store.arrays import neighbours, words
from services.retriever.store.arrays.array_file import ArrayFile, ArraysUnsound, Header, longer
from services.retriever.store.arrays.columns import BEGINS, BESIDE, HELD_BACK, KINDS, NAMES, ROWS, WORDS, VectorModel
from services.retriever.store.arrays.followed_turns import rightings, rows_before
from services.retriever.store.arrays.memory_rows import (
    OF_STANDING,
    SESSION,
    Scores,
    SearchedMemory,
    memory_rows,
    numbers_of_all,
    plain_columns,
    scores,
    vectors_of,
)
from services.retriever.store.arrays.names import Names, names_sorted
from services.retriever.store.arrays.without import without
from shared.contracts.parts import Kind
from shared.domain.arrays import NDArray, np

_AT_ONCE = 2_000
_NOTHING: Mapping[str, int] = dict.fromkeys((ROWS, WORDS, BEGINS, NAMES), 0)
_EPISODE = KINDS.index(Kind.EPISODE)
_SORTED_BESIDE = 8_192
"""So many words that came last lie unsorted at least: each question looks through them."""

_SORTED_SHARE = 8
_FIRST = 8
_MOST_KEPT, _SMALL = 600, 1_000
"""So many results for terms are kept, of at most so many rows each: at most 8 MB for a file."""

T = TypeVar("T")


class ChangedMemories(NamedTuple):
    """The numbers of the memories that events have changed."""

    rows: frozenset[int] = frozenset()  # new, or with other values
    retagged: frozenset[int] = frozenset()
    embedded: frozenset[int] = frozenset()
    has_lost: bool = False  # other memories are gone

    def joined(self, other: ChangedMemories) -> ChangedMemories:
        """The changes of both."""
        return ChangedMemories(
            rows=self.rows | other.rows,
            retagged=self.retagged | other.retagged,
            embedded=self.embedded | other.embedded,
            has_lost=self.has_lost or other.has_lost,
        )


class PersonArrays:
    """The arrays of a person, open for reading. Use it under the lock of the person's file."""

    def __init__(self, file: ArrayFile) -> None:
        self._file = file
        self._names: Names | None = None
        self._read: dict[str, NDArray[Any]] = {}
        self._computed: dict[str, NDArray[Any]] = {}
        self._asked = Counter[str]()
        self._of_terms: dict[object, Any] = {}
        self._with_vector: dict[str, NDArray[Any]] = {}

    @classmethod
    def kept(cls, path: Path, number: int) -> PersonArrays | None:
        """The arrays in this file; None if it is not there, damaged, or not complete up to just this event."""
        with suppress(FileNotFoundError, ArraysUnsound):
            return cls(ArrayFile.open(path, number))
        return None

    @classmethod
    def derived(cls, path: Path, db: Connection, number: int) -> PersonArrays:
        """The arrays of all that the SQLite file holds, written into this file."""
        arrays, numbers = cls(ArrayFile.make(path, Header(number, _NOTHING, _NOTHING))), numbers_of_all(db)
        for start in range(0, len(numbers), _AT_ONCE):
            some = frozenset(numbers[start : start + _AT_ONCE])
            arrays._write(db, ChangedMemories(some, embedded=some))
        arrays._sort_words()
        arrays._commit(number)
        return arrays

    def patch(self, db: Connection, changed: ChangedMemories, number: int) -> None:
        """Write what has changed in the SQLite file up to this event."""
        self._file.begin()
        if changed.has_lost:
            self._forget(db)
        self._write(db, changed)
        if self._unsorted > max(_SORTED_BESIDE, self._file.header.sorted_words // _SORTED_SHARE):
            self._sort_words()
        self._commit(number)

    def reach(self, number: int) -> None:
        """Tell that the events up to this one changed nothing that the arrays hold."""
        self._file.commit(number)

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    @property
    def is_as_left(self) -> bool:
        """False if the file was damaged or removed since it was opened."""
        return self._file.is_as_left

    @property
    def models(self) -> Sequence[VectorModel]:
        """The models that made vectors of some of the memories."""
        return self._file.header.models

    @property
    def sorted_words(self) -> int:
        """So many words are sorted; those that follow are not."""
        return self._file.header.sorted_words

    def __len__(self) -> int:
        return self._file.count(ROWS)

    def __getitem__(self, name: str) -> NDArray[Any]:
        """A column, for reading until the next patch."""
        if name not in self._read:
            self._read[name] = self._file[name]
        return self._read[name]

    @property
    def names(self) -> Names:
        """The names of words, sessions and speakers."""
        if self._names is None:
            many = max(0, self._file.count(BEGINS) - 1)
            self._names = Names(self._file["name"], self._file["name_end"][:many], self._file["name_order"][:many])
        return self._names

    def computed(self, name: str, compute: Callable[[PersonArrays], NDArray[Any]]) -> NDArray[Any]:
        """What follows from the memories and their words, computed once until some of these change."""
        if name not in self._computed:
            self._computed[name] = compute(self)
        return self._computed[name]

    def asked_how_often(self, what: str) -> int:
        """How often this was asked since something changed that `computed` depends on, this time included."""
        self._asked[what] += 1
        return self._asked[what]

    def of_term(self, key: object, compute: Callable[[PersonArrays], T], *, size: Callable[[T], int]) -> T:
        """What follows likewise for one term of a question: kept of the terms asked last, where its `size` is small.

        The words of one conversation come again, and the same question asks for a term twice or thrice.
        """
        found: T | None = self._of_terms.pop(key, None)
        if found is None:
            found = compute(self)
        if size(found) <= _SMALL:
            self._of_terms[key] = found  # as the last
            if len(self._of_terms) > _MOST_KEPT:
                del self._of_terms[next(iter(self._of_terms))]
        return found

    def with_vector(self, model: VectorModel) -> NDArray[Any]:
        """Whether each memory has a vector of this model, bool[n]. Kept up by patches: to look at all vectors takes long."""
        known = self._with_vector.get(model.column)
        if known is None:
            known = np.any(self[model.column][:, :_FIRST] != 0, axis=1)
            zeros = np.flatnonzero(~known)  # at first sight: to look at all of every vector takes long
            known[zeros] = np.any(self[model.column][zeros] != 0, axis=1)
        elif len(known) < len(self):
            known = np.append(known, np.zeros(len(self) - len(known), bool))
        self._with_vector[model.column] = known
        return known

    def rows_of(self, numbers: Collection[int]) -> NDArray[np.integer]:
        """The rows of memories, all of which are known."""
        return np.searchsorted(self["number"], np.fromiter(numbers, np.int64, len(numbers)))

    def are_among(self, rows: NDArray[Any]) -> NDArray[Any]:
        """Whether each row is one of these, bool[n + 1]; the last one is of the row -1, where nothing is any more."""
        found = np.zeros(len(self) + 1, bool)
        found[rows] = True
        return found

    @property
    def _unsorted(self) -> int:
        return self._file.count(WORDS) - self.sorted_words

    def _forget_computed(self) -> None:
        self._computed.clear()
        self._asked.clear()
        self._of_terms.clear()

    def _replace(self, file: ArrayFile) -> None:
        """Go on with a file in the place of the old one, which stays in memory while something is held that was read of it."""
        self._file, self._names = file, None
        self._read.clear()

    def _commit(self, number: int) -> None:
        self._file.commit(number)
        self._read.clear()

    def _forget(self, db: Connection) -> None:
        """Leave out what the SQLite file does not hold any more, with every word that nothing else holds."""
        gone = ~np.isin(self["number"], numbers_of_all(db))
        sessions = {self.names.after(SESSION, place) for place in self["session"][gone].tolist()} - {None}
        self._replace(without(self._file, gone))
        self._with_vector.clear()
        self._sort_words()
        turns = self._turns_of({session for session in sessions if session and SESSION + session in self.names})
        self._write_neighbours(turns)
        self._write_rightings(db, turns)

    def _write(self, db: Connection, changed: ChangedMemories) -> None:
        last = int(self["number"][-1]) if len(self) else 0
        known = frozenset(number for number in changed.rows - changed.retagged if number <= last)
        reindexing = self._rescore(scores(db, known)) if known else frozenset[int]()
        if look_at := changed.rows - known | changed.retagged | reindexing:
            self._write_rows(db, memory_rows(db, look_at), last, changed.retagged)
        if changed.embedded:
            self._write_vectors(db, changed.embedded)

    def _write_rows(self, db: Connection, found: Sequence[SearchedMemory], last: int, retagged: Collection[int]) -> None:
        """Write memories with their words, of which those after the last number are new."""
        self._forget_computed()
        new = [row for row in found if row.number > last]
        old = [row for row in found if row.number <= last]
        self._name(name for row in found for name in row.names)
        reindexed = [row for row in old if row.number in retagged or self._was_held_back(row)]
        self._append(ROWS, self._new_columns(new) if new else {})
        self._put(old)
        self._write_words([*new, *reindexed], again=bool(reindexed))
        told = [row for row in (*new, *reindexed) if row.kind == Kind.EPISODE and row.session]
        self._write_neighbours(self._turns_of({row.session for row in told if row.session}))
        self._write_rightings(db, rows_before(self.rows_of([row.number for row in told])))

    def _new_columns(self, new: Sequence[SearchedMemory]) -> dict[str, NDArray[Any]]:
        of_others = {"beside": np.full((len(new), BESIDE), neighbours.NOBODY), "righted": np.zeros(len(new), np.uint8)}
        return plain_columns(new, self.names) | of_others

    def _was_held_back(self, row: SearchedMemory) -> bool:
        [at] = self.rows_of([row.number])
        return bool((int(self._file["flags"][at]) ^ row.flags) & HELD_BACK)

    def _rescore(self, found: Scores) -> frozenset[int]:
        """Write the scores of memories that are known; the numbers of those that are held back now, or were and are no more."""
        rows = self.rows_of(found.number.tolist())
        flags = self["flags"][rows]
        now = (flags & ~np.uint16(OF_STANDING)) | found.standing
        for name in ("importance", "confidence", "anchor", "decay_rate"):
            self._put_changed(name, rows, getattr(found, name))
        reindexing = (flags ^ now) & HELD_BACK != 0
        if self._put_changed("flags", rows[~reindexing], now[~reindexing]):
            self._forget_computed()
        return frozenset(found.number[reindexing].tolist())

    def _put_changed(self, name: str, rows: NDArray[np.integer], values: NDArray[np.generic]) -> bool:
        """Write the values of these rows that are others; True if any is."""
        changed = self[name][rows] != values
        self._file.put(name, rows[changed], values[changed])
        return bool(changed.any())

    def _put(self, found: Sequence[SearchedMemory]) -> None:
        if found:
            rows = self.rows_of([row.number for row in found])
            for name, values in plain_columns(found, self.names).items():
                self._put_changed(name, rows, values)

    def _name(self, names: Iterable[str]) -> None:
        added = self.names.add(names)
        self._append(NAMES, {"name": added} if len(added) else {})

    def _append(self, table: str, columns: Mapping[str, NDArray[Any]]) -> None:
        """Add rows to a table, in a longer file where there is no room."""
        if not columns:
            return
        more = len(next(iter(columns.values())))
        if not self._file.has_room(table, more):
            self._replace(self._file.with_room({table: more}))
        self._file.append(table, columns)
        self._read.clear()

    def _write_words(self, found: Sequence[SearchedMemory], *, again: bool) -> None:
        """Write the words of these memories; `again`: of some of them there were others before."""
        if not found:
            return
        rows = self.rows_of([row.number for row in found])
        if again:
            self._forget_words(rows)
        indexed = words.indexed([row.indexed for row in found], [row.is_turn for row in found])
        self._name(indexed.words)
        word = np.fromiter((self.names[each] for each in indexed.words), np.int32, len(indexed.words))
        self._append(WORDS, {"word": word, "row": rows[indexed.texts], "place": indexed.places} if len(word) else {})
        order = np.argsort(rows)
        self._file.put("own_words", rows[order], indexed.own[order])
        self._file.put("said_words", rows[order], indexed.said[order])

    def _forget_words(self, rows: NDArray[np.integer]) -> None:
        gone = np.flatnonzero(np.isin(self._file["row"], rows))
        self._file.put("row", gone, np.full(len(gone), words.NO_MORE))

    def _turns_of(self, sessions: Collection[str]) -> NDArray[np.integer]:
        """The rows of all turns of these sessions."""
        places = [self.names[SESSION + session] for session in sessions]
        return np.flatnonzero((self["kind"] == _EPISODE) & np.isin(self["session"], places))

    def _write_rightings(self, db: Connection, rows: NDArray[np.integer]) -> None:
        """Write which of these turns, ascending, were put right by others, whatever was known of them before."""
        self._put_changed("righted", rows, rightings(db, self, rows))

    def _write_neighbours(self, rows: NDArray[np.integer]) -> None:
        """Write which turns stand beside each of these, which are all of their sessions."""
        found = np.full((len(rows), BESIDE), neighbours.NOBODY)
        turns = self["flags"][rows] & HELD_BACK == 0
        found[turns] = neighbours.beside(rows[turns], self["session"][rows[turns]], self["time"][rows[turns]])
        changed = (self["beside"][rows] != found).any(axis=1)
        self._file.put("beside", rows[changed], found[changed])

    def _write_vectors(self, db: Connection, numbers: Collection[int]) -> None:
        for model, embedded, vectors in vectors_of(db, numbers):
            if model not in self.models:
                self._replace(self._file.with_room({}, [model]))
            rows = self.rows_of(embedded)
            self._file.put(model.column, rows, vectors)
            self._file.put(model.signs, rows, np.packbits(vectors > 0, axis=1, bitorder="little"))
            if model.column in self._with_vector:
                self.with_vector(model)[rows] = np.any(vectors != 0, axis=1)

    def _sort_words(self) -> None:
        """Sort the words, so that each lies in one piece, and drop those that are not there any more."""
        word, row, place = (self._file[name] for name in ("word", "row", "place"))
        kept = np.flatnonzero(row != words.NO_MORE)
        order = kept[np.lexsort((place[kept], row[kept], word[kept]))]
        columns = {"word": word[order], "row": row[order], "place": place[order]}
        ends, by_name = names_sorted(self._file["name"])
        begins = np.searchsorted(columns["word"], np.arange(len(ends) + 1)).astype(np.int32)
        if not self._file.has_room(BEGINS, len(begins)):
            self._replace(self._file.with_room({BEGINS: len(begins)}))
        self._file.refill(WORDS, columns, sorted_words=len(order))
        self._file.refill(BEGINS, {"begin": begins, "name_end": np.append(ends, 0), "name_order": np.append(by_name, 0)})
        self._names = None
        self._read.clear()
        self._forget_computed()


def delete_arrays(path: Path) -> None:
    """Remove a file of arrays, and what a crash may have left of a longer one."""
    for each in (path, longer(path)):
        each.unlink(missing_ok=True)
