"""What each person has set, as far as jobs ask for it."""

from typing import NamedTuple

from sqlalchemy import Connection, select

from services.maintenance.store.schema import PERSON
from shared.contracts.ids import Scope
from shared.contracts.preferences import SettingsChanged
from shared.runtime.bulk import Batch, rows_into
from shared.runtime.projector import Recorded

_SET = rows_into(PERSON, over=("idle_minutes", "is_off", "retention_days"))
OFF = select(PERSON.c.scope).where(PERSON.c.is_off)
"""The people who turned memory off."""


class PersonChoices(NamedTuple):
    """What a person has set; None where it is left to the operator."""

    is_off: bool = False  # memory is
    retention_days: int | None = None


def follow_people(db: Batch, recorded: Recorded) -> None:
    """Follow what people set."""
    if isinstance(data := recorded.event.data, SettingsChanged):
        row = {
            "scope": recorded.scope,
            "idle_minutes": data.settings.idle_minutes,
            "is_off": data.settings.memory_enabled is False,
            "retention_days": data.settings.retention_days,
        }
        db.add(_SET, (PERSON.name, recorded.scope), row)


def person_choices(db: Connection, scope: Scope) -> PersonChoices:
    """What a person has set."""
    row = db.execute(select(PERSON.c.is_off, PERSON.c.retention_days).where(PERSON.c.scope == scope)).first()
    return PersonChoices(*row) if row else PersonChoices()
