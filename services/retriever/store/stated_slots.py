"""Tells what live facts state, slot by slot."""

import json
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any

from services.retriever.domain.gathering import StatedValue
from services.retriever.store.legs import WANTED, Connection, Filter
from shared.contracts.parts import Standing
from shared.language.statements.attributes import INTAKE
from shared.language.statements.subjects import USER
from shared.runtime.sqlite import rows

_MOST = 200
_SLOTS = f"""
SELECT number, slots, content FROM memories
WHERE number IN (SELECT value FROM json_each(:numbers)) AND kind = 'fact' AND status = '{Standing.ACTIVE}' AND slots <> '[]'
"""
_OF_ATTRIBUTES = f"""
SELECT number, slots, content FROM memories WHERE kind = 'fact' AND status = '{Standing.ACTIVE}' AND slots <> '[]' AND {WANTED}
  AND number IN (SELECT number FROM fact_slots WHERE attribute IN (SELECT value FROM json_each(:attributes)))
ORDER BY number DESC LIMIT {_MOST}
"""
_WHOLLY = "NOT EXISTS (SELECT 1 FROM outdatings WHERE outdatings.old = memories.id)"
"""Selects facts of which no part is outdated. Nothing is asserted of a fact that is outdated in part."""

_OF_PERSON = f"""
SELECT number, slots, content FROM memories WHERE kind = 'fact' AND status = '{Standing.ACTIVE}' AND {_WHOLLY} AND number IN (
  SELECT number FROM fact_slots WHERE subject = '{USER}' AND attribute IN (SELECT value FROM json_each(:attributes)))
ORDER BY number DESC LIMIT {_MOST}
"""
_NOT_NOW = ("is_doubtful", "is_future", "valid_until")


def stated_attributes(db: Connection, numbers: Collection[int]) -> dict[int, dict[int, str]]:
    """The attributes of the person of which these facts tell what holds, by the place of the slot."""
    found: dict[int, dict[int, str]] = {}
    for told in _told(rows(db, _SLOTS, {"numbers": json.dumps(list(numbers))})):
        if told.subject == USER:
            found.setdefault(told.number, {})[told.place] = told.attribute
    return found


def values_of(db: Connection, attributes: Collection[str], wanted: Filter) -> Iterator[StatedValue]:
    """What the newest facts that a search may return tell that holds of these attributes."""
    found = rows(db, _OF_ATTRIBUTES, {**wanted.bound, "attributes": json.dumps(sorted(attributes))})
    return (told for told in _told(found) if told.attribute in attributes)


def told_of_the_person(db: Connection, attributes: Collection[str]) -> list[StatedValue]:
    """What the newest facts tell that holds of the person, of these attributes."""
    found = rows(db, _OF_PERSON, {"attributes": json.dumps(sorted(attributes))})
    return [told for told in _told(found) if told.subject == USER and told.attribute in attributes]


def _told(found: Iterable[tuple[int, str, str]]) -> Iterator[StatedValue]:
    """What facts tell that holds, slot by slot."""
    for number, slots, text in found:
        for place, slot in enumerate(json.loads(slots)):
            if "value" in slot and _holds(slot):
                yield StatedValue(number, place, slot["subject"], slot["attribute"], slot["value"], text)


def _holds(slot: Mapping[str, Any]) -> bool:
    """Whether a slot tells what is so now; of what somebody eats, that they do not: all else they may."""
    is_denied = bool(slot.get("negated"))
    return is_denied == (slot["attribute"] == INTAKE) and not any(slot.get(each) for each in _NOT_NOW)
