"""Reads the latest reflection: what the last week came to, which a context shows beside what matters."""

import json
from datetime import datetime, timedelta

from sqlalchemy import Connection

from services.retriever.store.unchanged import Unchanged
from shared.contracts.ids import MemoryId
from shared.contracts.reflecting import Insight
from shared.domain.moments import microseconds, moment
from shared.runtime.sqlite import rows

_NEWS = timedelta(days=28)
"""What an older week came to says nothing of today."""

_IS_ANY = "SELECT EXISTS (SELECT 1 FROM memories WHERE kind = 'reflection' AND valid_until IS NULL)"
_LATEST = """
SELECT id, content, event_time, source_ids, origin FROM memories
WHERE kind = 'reflection' AND valid_until IS NULL AND event_time BETWEEN :since AND :now
ORDER BY event_time DESC, number DESC LIMIT 1
"""


def latest_insight(db: Connection, now: datetime, unchanged: Unchanged) -> Insight | None:
    """The latest reflection of the four weeks before a moment. An index holds the reflections alone."""
    if not unchanged.is_any(db, _IS_ANY):
        return None
    found = rows(db, _LATEST, {"since": microseconds(now - _NEWS), "now": microseconds(now)})
    if not found:
        return None
    memory_id, content, event_time, source_ids, origin = found[0]
    return Insight(
        memory_id=MemoryId(memory_id),
        text=content,
        occurred_at=moment(event_time),
        source_ids=tuple(json.loads(source_ids)),
        is_chosen=json.loads(origin or "{}").get("extractor", "").startswith("extractive/"),
    )
