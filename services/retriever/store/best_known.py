"""Finds what is known best of a person, whatever is asked: pinned, important and sure facts, then the newest statements."""

import json

from sqlalchemy import Connection, text

from services.retriever.domain.familiarity import FamiliarMemory
from services.retriever.store.legs import ASKS, WANTED, Filter

_COLUMNS = "number, kind, event_time, importance, confidence, pinned, session_id, tags"  # in the order of FamiliarMemory
_KNOWN = text(
    f"""
    SELECT {_COLUMNS} FROM memories WHERE (kind <> 'episode' OR pinned) AND {WANTED}
    ORDER BY pinned DESC, importance + confidence DESC, event_time DESC, number DESC LIMIT :most
    """
)
_SAID = text(
    f"""
    SELECT {_COLUMNS} FROM memories
    WHERE kind = 'episode' AND NOT pinned AND source_role = 'user'
      AND NOT {ASKS} AND {WANTED}
    ORDER BY event_time DESC, number DESC LIMIT :most
    """
)


def best_known(db: Connection, wanted: Filter, most: int) -> list[FamiliarMemory]:
    """At most `most` facts and pinned turns, the best known first; then at most `most` statements of the user, newest first."""
    bound = {**wanted.bound, "most": most}
    rows = [*db.execute(_KNOWN, bound), *db.execute(_SAID, bound)]
    return [
        FamiliarMemory(number, kind, event_time, importance, confidence, bool(pinned), session_id, tuple(json.loads(tags)))
        for number, kind, event_time, importance, confidence, pinned, session_id, tags in rows
    ]
