"""Tells what live facts state of the person, slot by slot."""

import json
from collections.abc import Collection

from services.retriever.store.legs import Connection
from shared.contracts.parts import Standing
from shared.runtime.sqlite import rows
from shared.statements.subjects import USER

_SLOTS = f"""
SELECT number, slots FROM memories
WHERE number IN (SELECT value FROM json_each(:numbers)) AND kind = 'fact' AND status = '{Standing.ACTIVE}' AND slots <> '[]'
"""
_NOT_NOW = ("negated", "is_doubtful", "is_future", "valid_until")


def stated_attributes(db: Connection, numbers: Collection[int]) -> dict[int, dict[int, str]]:
    """The attributes of the person of which these facts tell what holds, by the place of the slot."""
    found = {}
    for number, slots in rows(db, _SLOTS, {"numbers": json.dumps(list(numbers))}):
        told = {
            place: str(slot["attribute"])
            for place, slot in enumerate(json.loads(slots))
            if slot["subject"] == USER and "value" in slot and not any(slot.get(each) for each in _NOT_NOW)
        }
        if told:
            found[number] = told
    return found
