"""Which rows a search may return, and which of them are the best by a score."""

from __future__ import annotations

from typing import Any

from services.retriever.store.legs import Filter
from services.retriever.store.search.columns import ENDED, HELD_BACK, KINDS, ROLLED_UP, SUPERSEDED, MemoryColumns
from shared.domain.arrays import NDArray, np

_NO_SESSION = -2


def wanted_rows(columns: MemoryColumns, wanted: Filter) -> NDArray[Any]:
    """Whether a search may return each row, bool[n], for reading: the condition WANTED of SQL."""
    if wanted.exclude_session_id is not None or wanted.among is not None:
        return _wanted_rows(columns, wanted)
    which = f"wanted {sorted({*wanted.kinds})} {wanted.ended} {wanted.superseded} {wanted.rolled_up}"
    return columns.computed(which, lambda columns: _wanted_rows(columns, wanted))


def _wanted_rows(columns: MemoryColumns, wanted: Filter) -> NDArray[Any]:
    flags = columns["flags"]
    found: NDArray[Any] = flags & HELD_BACK == 0
    if not wanted.ended:
        found &= (
            (flags & ENDED == 0) | (flags & SUPERSEDED != 0) & wanted.superseded | (flags & ROLLED_UP != 0) & wanted.rolled_up
        )
    if len(wanted.kinds) < len(KINDS):
        is_wanted = np.zeros(len(KINDS), bool)
        is_wanted[[KINDS.index(kind) for kind in wanted.kinds]] = True
        found &= is_wanted[columns["kind"]]
    if wanted.exclude_session_id is not None:
        excluded = columns.sessions.of(wanted.exclude_session_id)
        found &= columns["session"] != (_NO_SESSION if excluded is None else excluded)
    if wanted.among is not None:
        found &= np.isin(columns["number"], wanted.among)
    return found


def best_rows(columns: MemoryColumns, rows: NDArray[Any], scores: NDArray[Any], most: int) -> NDArray[Any]:
    """The rows with the best scores, at most so many of each kind, best first; of equals the newer. `scores`: of these rows."""
    kinds, best = columns["kind"][rows], []
    for kind in range(len(KINDS)):
        of_kind = np.flatnonzero(kinds == kind)
        if len(of_kind) > most:
            least = np.partition(scores[of_kind], len(of_kind) - most)[len(of_kind) - most]
            of_kind = of_kind[scores[of_kind] >= least]
        best.append(of_kind[np.lexsort((-rows[of_kind], -scores[of_kind]))][:most])
    places = np.concatenate(best)
    return rows[places[np.lexsort((-rows[places], -scores[places]))]]
