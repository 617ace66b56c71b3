"""Finds what is known best of a person, whatever is asked: pinned, important and sure facts, then the newest statements."""

from __future__ import annotations

import json
from typing import Any

from sqlalchemy import Connection

from services.retriever.domain.familiarity import FamiliarMemory
from services.retriever.store.arrays.columns import KINDS, PINNED
from services.retriever.store.arrays.searched_file import SearchedFile
from services.retriever.store.arrays.traits import confidences
from services.retriever.store.arrays.wanted_rows import wanted_rows
from services.retriever.store.legs import ASKS, WANTED, Filter
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
    db, arrays = file.db, file.arrays
    said = [number for (number,) in selected(db, _SAID, {**wanted.bound, "most": most})]
    # pinned memories first, then by importance and confidence, then the newer
    pinned = arrays["flags"] & PINNED != 0
    rows = np.flatnonzero(wanted_rows(arrays, wanted) & (pinned | (arrays["kind"] != _EPISODE)))
    worth = arrays["importance"][rows] + confidences(arrays, rows, moment)
    order = np.lexsort((-arrays["number"][rows], -arrays["time"][rows], -worth, ~pinned[rows]))
    found: NDArray[Any] = rows[order[:most]]
    numbers = [*arrays["number"][found].tolist(), *said]
    sure = dict(zip(numbers, confidences(arrays, arrays.rows_of(numbers), moment).tolist(), strict=True))
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
