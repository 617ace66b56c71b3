"""The columns of a person's arrays: what each holds, of which type, and in which order they lie in the file."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from shared.contracts.parts import Kind

KINDS = tuple(kind.value for kind in Kind)
"""A kind is its place here."""

ENDED, SUPERSEDED, HELD_BACK, ASKS, OF_BOT, DATED, HAS_DIGIT, SAYS_NOTHING = (1 << bit for bit in range(8))
OF_USER, MAY_PUT_RIGHT, JOKES, ROLLED_UP, PINNED, TELLS_CHANGE, TELLS_END = (1 << bit for bit in range(8, 15))
"""The bits of the column `flags`. MAY_PUT_RIGHT and JOKES are of turns of the user; the last two are of statements, too."""

WHOLLY = 128
"""The bit of the column `righted` that says that nothing of the turn holds; the others are a distance of at most 24."""

BESIDE = 4
"""Neighbours of a turn: one before, one after, two before, two after; -1 where there is none."""

ROWS, WORDS, BEGINS, NAMES = "rows", "words", "begins", "names"
"""The tables: a row for each memory; one for each word in it; one for each name that was there when words were sorted, and one
more; bytes of names."""

_ALIGNED = 64
_SIGNS_OF_BYTE = 8


class Column(NamedTuple):
    """A column of one of the tables: `width` values of a NumPy type for each of its rows."""

    table: str
    type: str
    width: int = 1


class VectorModel(NamedTuple):
    """A model that made vectors of some of the memories."""

    fingerprint: str
    dimensions: int

    @property
    def column(self) -> str:
        """The name of the column with its vectors, of length 1; all zeros where a memory has none."""
        return f"vector {self.fingerprint} {self.dimensions}"

    @property
    def signs(self) -> str:
        """The name of the column with a bit for each dimension: 1 where it is above zero."""
        return f"signs {self.fingerprint} {self.dimensions}"


_FIXED: Mapping[str, Column] = {
    "number": Column(ROWS, "<i8"),  # ascending
    "time": Column(ROWS, "<i8"),  # microseconds
    "importance": Column(ROWS, "<f8"),
    "confidence": Column(ROWS, "<f8"),  # at the anchor
    "anchor": Column(ROWS, "<i8"),  # microseconds
    "decay_rate": Column(ROWS, "<f8"),  # a day; 0 while it is pinned
    "session": Column(ROWS, "<i4"),  # the place of its name; -1 for none
    "speaker": Column(ROWS, "<i4"),
    "beside": Column(ROWS, "<i4", BESIDE),  # rows
    "own_words": Column(ROWS, "<i4"),  # how many are indexed of it, tags and date included
    "said_words": Column(ROWS, "<i4"),  # and how many of these, the first ones, its neighbours are found by too
    "righted": Column(ROWS, "|u1"),  # how many numbers after a turn the one stands that puts it right; 0 where none does
    "wording": Column(ROWS, "<i8"),  # equal for texts that say the same: `wording_key`
    "kind": Column(ROWS, "|u1"),
    "flags": Column(ROWS, "<u2"),
    "of_self": Column(ROWS, "|u1"),  # a bit for each language of `manner`
    "to_other": Column(ROWS, "|u1"),
    "capitals": Column(ROWS, "|u1"),  # words like names, up to five
    "length": Column(ROWS, "|u1"),  # bytes, up to 240
    "word": Column(WORDS, "<i4"),  # the place of its name
    "row": Column(WORDS, "<i4"),  # of the memory; -1: not any more
    "place": Column(WORDS, "<i4"),  # of the word in the text; those of tags lie far behind
    "begin": Column(BEGINS, "<i4"),  # of each word among those that are sorted
    "name_end": Column(BEGINS, "<i4"),  # behind the last byte of each of these names
    "name_order": Column(BEGINS, "<i4"),  # the places of these names, in the order of their bytes
    "name": Column(NAMES, "|u1"),  # UTF-8, each ended by a byte that no text holds
}


class Extent(NamedTuple):
    """Where a column lies in the file: `capacity` rows from `offset` on."""

    offset: int
    capacity: int
    column: Column


def columns_with(models: Sequence[VectorModel]) -> dict[str, Column]:
    """All columns of a file with the vectors of these models."""
    found = dict(_FIXED)
    for model in models:
        found[model.column] = Column(ROWS, "<f4", model.dimensions)
        found[model.signs] = Column(ROWS, "|u1", -(-model.dimensions // _SIGNS_OF_BYTE))
    return found


def extents(capacity: Mapping[str, int], models: Sequence[VectorModel], *, start: int) -> dict[str, Extent]:
    """Where each column lies in a file with room for so many rows of each table, in the order in which they lie."""
    found, offset = dict[str, Extent](), start
    for name, column in columns_with(models).items():
        found[name] = Extent(offset, capacity[column.table], column)
        offset += -(-capacity[column.table] * bytes_of(column) // _ALIGNED) * _ALIGNED
    return found


def bytes_of(column: Column) -> int:
    """The length of one row of a column.

    >>> bytes_of(Column(ROWS, "<i4", 4))
    16
    """
    return int(column.type[-1]) * column.width
