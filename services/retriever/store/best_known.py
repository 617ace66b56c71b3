"""Finds what is known best of a person, whatever is asked: pinned, important and sure facts, then the newest statements."""

from __future__ import annotations

import json
from typing import Any

from sqlalchemy import Connection

from services.retriever.domain.familiarity import FamiliarMemory
from services.retriever.store.legs import ASKS, WANTED, Filter
from services.retriever.store.search.columns import KINDS, PINNED
from services.retriever.store.search.searched_file import SearchedFile
from services.retriever.store.search.traits import confidences
from services.retriever.store.search.wanted_rows import wanted_rows
from shared.contracts.parts import Kind
from shared.domain.arrays import NDArray, np
from shared.runtime.sqlite import rows as selected

_EPISODE = KINDS.index(Kind.EPISODE)
_COLUMNS = "number, kind, event_time, importance, pinned, session_id, tags"
_THESE = f"SELECT {_COLUMNS} FROM memories WHERE number IN (SELECT value FROM json_each(:numbers))"
_SAID = f"""
    SELECT number FROM memories
    WHERE kind = 'episode' AND NOT pinned AND source_role = 'user'
      AND NOT {ASKS} AND {WANTED}
    ORDER BY event_time DESC, number DESC LIMIT :most
    """


def best_known(file: SearchedFile, wanted: Filter, most: int, moment: int) -> list[FamiliarMemory]:
    """At most `most` facts and pinned turns, the best known first; then at most `most` statements of the user, newest first.

    They are as sure as at the moment, in microseconds.
    """
    db, columns = file.db, file.columns
    said = [number for (number,) in selected(db, _SAID, {**wanted.bound, "most": most})]
    # pinned memories first, then by importance and confidence, then the newer
    pinned = columns["flags"] & PINNED != 0
    rows = np.flatnonzero(wanted_rows(columns, wanted) & (pinned | (columns["kind"] != _EPISODE)))
    worth = columns["importance"][rows] + confidences(columns, rows, moment)
    order = np.lexsort((-columns["number"][rows], -columns["time"][rows], -worth, ~pinned[rows]))
    found: NDArray[Any] = rows[order[:most]]
    numbers = [*columns["number"][found].tolist(), *said]
    sure = dict(zip(numbers, confidences(columns, columns.rows_of(numbers), moment).tolist(), strict=True))
    return _familiar(db, sure)


def _familiar(db: Connection, sure: dict[int, float]) -> list[FamiliarMemory]:
    """The memories with these numbers, in their order."""
    found = {
        number: FamiliarMemory(number, kind, time, importance, sure[number], bool(pinned), session_id, tuple(json.loads(tags)))
        for number, kind, time, importance, pinned, session_id, tags in selected(
            db, _THESE, {"numbers": json.dumps(list(sure))}
        )
    }
    return [found[number] for number in sure]
