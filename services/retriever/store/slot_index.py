"""Keeps the index of what facts state something of, by which a question finds them."""

import json
from collections.abc import Sequence

from sqlalchemy import Connection

from services.retriever.store.memory_row import MemoryRow
from services.retriever.store.schema import fact_slots
from shared.runtime.bulk import rows_into

_SLOTS = rows_into(fact_slots)
_NONE = "[]"


def index(db: Connection, created: Sequence[MemoryRow]) -> None:
    """Add the slots of new facts, inside the caller's transaction."""
    _SLOTS.write(
        db,
        [
            {"number": row["number"], "place": place, "subject": slot["subject"], "attribute": slot["attribute"]}
            for row in created
            if row["slots"] != _NONE
            for place, slot in enumerate(json.loads(row["slots"]))
        ],
    )
