"""Keeps what people said about which entities are one."""

import json
from collections.abc import Collection, Iterable
from typing import NamedTuple

from sqlalchemy import Connection, text

from shared.contracts.entities import EntitiesMerged, EntitiesUnmerged
from shared.contracts.ids import EntityId
from shared.domain.aliases import NO_MERGES, Merges
from shared.runtime.sqlite import rows

_SAY = text("INSERT OR REPLACE INTO entity_merges (id, is_apart, other, number) VALUES (:id, :is_apart, :other, :number)")
_TAKE_BACK = text("DELETE FROM entity_merges WHERE id = :id AND NOT is_apart")
_ALL = "SELECT id, is_apart, other FROM entity_merges ORDER BY number"
_OF_NUMBERS = "FROM entity_merges WHERE number IN (SELECT value FROM json_each(:numbers))"
_LOST, _LOSE = text(f"SELECT id, other {_OF_NUMBERS}"), text(f"DELETE {_OF_NUMBERS}")


class SaidOfEntities(NamedTuple):
    """What an event says about two entities."""

    number: int
    data: EntitiesMerged | EntitiesUnmerged


def merges(db: Connection) -> Merges:
    """What people said, by now."""
    said = NO_MERGES
    for entity, is_apart, other in rows(db, _ALL):
        said = said.parted(entity, by_rule=True) if is_apart else said.merged(entity, other)
    return said


def say(db: Connection, said: Iterable[SaidOfEntities]) -> set[EntityId]:
    """Write what is said, in order; the entities that it is about."""
    about: set[EntityId] = set()
    for number, data in said:
        is_apart = isinstance(data, EntitiesUnmerged)
        other = data.was if isinstance(data, EntitiesUnmerged) else data.into
        if isinstance(data, EntitiesUnmerged) and not data.by_rule:
            db.execute(_TAKE_BACK, {"id": data.entity_id})
        else:
            db.execute(_SAY, {"id": data.entity_id, "is_apart": int(is_apart), "other": other, "number": number})
        about |= {data.entity_id, other}
    return about


def unsay(db: Connection, numbers: Collection[int]) -> set[EntityId]:
    """Delete what these events said; the entities that it was about."""
    values = {"numbers": json.dumps(sorted(numbers))}
    about = {EntityId(each) for row in db.execute(_LOST, values) for each in row}
    if about:
        db.execute(_LOSE, values)
    return about
