"""Reads what a person has set for themselves."""

from __future__ import annotations

from sqlalchemy import Connection

from shared.contracts.preferences import PersonSettings
from shared.runtime.sqlite import rows

_SETTINGS = "SELECT value FROM memory_metadata WHERE key = 'settings'"


def of_person(db: Connection) -> PersonSettings:
    """The person's settings; empty ones where nothing is set."""
    found = rows(db, _SETTINGS)
    return PersonSettings.model_validate_json(found[0][0]) if found else PersonSettings()
