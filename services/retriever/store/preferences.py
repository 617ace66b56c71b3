"""Reads what a person has set for themselves."""

from __future__ import annotations

from sqlalchemy import Connection, select

from services.retriever.store.schema import metadata
from shared.contracts.preferences import PersonSettings

_SETTINGS = select(metadata.c.value).where(metadata.c.key == "settings")


def of_person(db: Connection) -> PersonSettings:
    """The person's settings; empty ones where nothing is set."""
    document = db.scalar(_SETTINGS)
    return PersonSettings.model_validate_json(document) if document else PersonSettings()
