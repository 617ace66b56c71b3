"""The rows of memories, as answers are made of them."""

import json
from collections import namedtuple
from collections.abc import Collection
from typing import Any, TypeAlias

from sqlalchemy import Connection

from services.retriever.store.schema import memories
from shared.contracts.parts import FactSlot
from shared.domain.records import records
from shared.runtime.sqlite import rows

_NAMES = (
    *("number", "id", "kind", "content", "session_id", "event_time", "created_at", "status", "superseded_by", "supersedes"),
    *("confidence", "access_count", "last_accessed", "source_ids", "source_role", "speaker", "message_id", "tags"),
    *("importance", "manually_saved", "pinned", "repeat_count", "slots", "confidence_at", "decay_rate"),
)
COLUMNS = [memories.c[name] for name in _NAMES]
"""What an answer shows of a memory."""

SELECTED = f"SELECT {', '.join(_NAMES)} FROM memories"
"""The beginning of a statement for `shown_rows`."""

_BY_NUMBERS = f"{SELECTED} WHERE number IN (SELECT value FROM json_each(:numbers))"
EMPTY = "[]"
"""How an empty list is stored."""

ShownRow: TypeAlias = Any
"""A row of COLUMNS, each as an attribute."""

_SHOWN = namedtuple("_SHOWN", _NAMES)  # type: ignore[misc] # noqa: PYI024 - made of the names


def shown_rows(db: Connection, statement: str, **parameters: str) -> list[ShownRow]:
    """The rows that a statement selects that begins as SELECTED."""
    return list(records(_SHOWN, rows(db, statement, parameters)))


class KnownRows:
    """The rows of memories, each read once: while a file does not change, and one thread reads it."""

    def __init__(self, db: Connection) -> None:
        self._db = db
        self._rows: dict[int, ShownRow] = {}

    def of(self, numbers: Collection[int]) -> dict[int, ShownRow]:
        """The rows of these memories, by number, in this order; those that are gone are left out."""
        known = self._rows
        if new := [number for number in numbers if number not in known]:
            known |= {row.number: row for row in shown_rows(self._db, _BY_NUMBERS, numbers=json.dumps(new))}
        return {number: known[number] for number in numbers if number in known}


def unpacked(stored: str) -> tuple[Any, ...]:
    """A list that is stored as JSON; most are empty, or hold one plain string."""
    if stored == EMPTY:
        return ()
    plain = stored[2:-2]
    if stored[:2] == '["' and stored[-2:] == '"]' and '"' not in plain and "\\" not in plain:
        return (plain,)
    return tuple(json.loads(stored))


def unpacked_slots(stored: str) -> tuple[FactSlot, ...]:
    """What a fact states, from how it is stored."""
    return tuple([FactSlot(**slot) for slot in unpacked(stored)])
