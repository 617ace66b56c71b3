"""What a person's arrays hold, memory by memory: equal for arrays that were written in different orders and hold the same."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

from services.retriever.store.arrays.columns import ROWS, columns_with
from services.retriever.store.arrays.memory_rows import SESSION, SPEAKER
from services.retriever.store.arrays.person_arrays import PersonArrays
from shared.domain.arrays import np

_NAMED = {"session": SESSION, "speaker": SPEAKER}


def contents(arrays: PersonArrays) -> Iterator[tuple[Any, ...]]:
    """Everything that is known of each memory, oldest first; other memories by their numbers, names as they are written."""
    models = [model for model in arrays.models if arrays[model.column].any()]
    columns = sorted(name for name, column in columns_with(models).items() if column.table == ROWS)
    yield from zip(*(_readable(arrays, name) for name in columns), _words(arrays), strict=True)


def _readable(arrays: PersonArrays, name: str) -> Iterator[Any]:
    """A column with the numbers of memories and the names of others in the place of where they lie in this file."""
    values = arrays[name]
    if name in _NAMED:
        return (arrays.names.after(_NAMED[name], place) for place in values.tolist())
    if name == "beside":
        numbers = [*arrays["number"].tolist(), None]
        return ([numbers[row] for row in rows] for rows in values.tolist())
    return (row.tobytes().hex() for row in values)


def _words(arrays: PersonArrays) -> Iterator[list[tuple[str | None, int]]]:
    """The words of each memory in their order, with their places."""
    word, row, place = (arrays[name] for name in ("word", "row", "place"))
    order = np.lexsort((place, row))
    begins = np.searchsorted(row[order], np.arange(len(arrays) + 1))  # those that are no more lie before them
    for begin, end in pairwise(begins.tolist()):
        these = order[begin:end]
        yield [(arrays.names.after("", of), at) for of, at in zip(word[these].tolist(), place[these].tolist(), strict=True)]
