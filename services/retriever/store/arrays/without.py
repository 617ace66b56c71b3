"""Makes a person's arrays without some of the memories: nothing that only they held is in the new file."""

from __future__ import annotations

from typing import Any

from services.retriever.store.arrays.array_file import ArrayFile, Header, longer
from services.retriever.store.arrays.columns import BEGINS, NAMES, ROWS, WORDS, columns_with
from services.retriever.store.arrays.names import names_stored
from shared.domain.arrays import NDArray, np

_NOBODY = -1


def without(old: ArrayFile, gone: NDArray[Any]) -> ArrayFile:
    """A file in the place of the old one, without the rows that are `gone`, bool[n]. Turns beside these lack neighbours."""
    kept = np.flatnonzero(~gone)
    rows = _places(kept, len(gone))
    words = np.flatnonzero(rows[old["row"]] != _NOBODY)
    used = _used(old, kept, words)
    names = _places(used, int(used.max(initial=_NOBODY)) + 1)
    models = [model for model in old.header.models if old[model.column][kept].any()]
    columns = {name: old[name][kept] for name, column in columns_with(models).items() if column.table == ROWS}
    columns |= {name: names[columns[name]] for name in ("session", "speaker")}
    columns |= {"beside": rows[columns["beside"]], "name": names_stored(old["name"], used)}
    columns |= {"word": names[old["word"][words]], "row": rows[old["row"][words]], "place": old["place"][words]}
    counts = {ROWS: len(kept), WORDS: len(words), BEGINS: 0, NAMES: len(columns["name"])}
    made = ArrayFile.make(longer(old.path), Header(old.header.number, counts, counts, models))
    for name, values in columns.items():
        made.fill(name, values)
    return made.instead_of(old)


def _used(old: ArrayFile, kept: NDArray[Any], words: NDArray[Any]) -> NDArray[Any]:
    """The places of the names that are still of something, ascending."""
    places = np.unique(np.concatenate([old["word"][words], old["session"][kept], old["speaker"][kept]]))
    return np.asarray(places[places != _NOBODY])


def _places(kept: NDArray[Any], count: int) -> NDArray[Any]:
    """For each of so many old places the new one; -1 for what is gone, and for -1 itself."""
    found = np.full(count + 1, _NOBODY)
    found[kept] = np.arange(len(kept))
    return found
