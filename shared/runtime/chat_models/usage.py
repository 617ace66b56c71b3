"""The tokens that the log says were spent, by person and day: one table, kept by every service that asks a model."""

from __future__ import annotations

from typing import NamedTuple, Protocol

from sqlalchemy import Column, Connection, Integer, MetaData, Table, Text, func, select
from sqlalchemy.dialects.sqlite import insert

from shared.contracts.ids import Scope
from shared.contracts.learning import TokensSpent
from shared.runtime.bulk import Batch
from shared.runtime.projection_file import table_by_scope
from shared.runtime.projector import Recorded


class DayUsage(NamedTuple):
    """Tokens of one day."""

    day: str
    prompt: int
    completion: int

    @property
    def total(self) -> int:
        """Tokens read and written together."""
        return self.prompt + self.completion


class RecordedUsage(Protocol):
    """A store that knows what the log says of tokens."""

    def usage(self, *, since: str, until: str, scope: Scope | None = None) -> list[DayUsage]:
        """The tokens of each day from `since` to `until`, of everybody or of one person, in their order."""


def usage_table(schema: MetaData) -> Table:
    """The table of a store of this schema: a row for each event that says what it cost."""
    return table_by_scope(
        "usage",
        schema,
        Column("number", Integer, primary_key=True),  # of the event
        Column("day", Text, nullable=False),  # when it was recorded, UTC, as 2026-03-09
        Column("prompt", Integer, nullable=False),
        Column("completion", Integer, nullable=False),
    )


def spend(table: Table, db: Batch, recorded: Recorded) -> None:
    """Count the tokens of an event, where it says any; of one that was applied before nothing."""
    tokens = vars(recorded.event.data).get("tokens")
    if isinstance(tokens, TokensSpent):
        row = {"scope": recorded.scope, "number": recorded.event.number, "day": recorded.event.recorded_at.date().isoformat()}
        db.execute(insert(table).on_conflict_do_nothing(), row | tokens.model_dump())


def usage_in(table: Table, db: Connection, *, since: str, until: str, scope: Scope | None) -> list[DayUsage]:
    """The tokens of each day from `since` to `until`, of everybody or of one person, in their order."""
    days = select(table.c.day, func.sum(table.c.prompt), func.sum(table.c.completion)).group_by(table.c.day)
    days = days.where(table.c.day.between(since, until)).order_by(table.c.day)
    return [DayUsage(*row) for row in db.execute(days if scope is None else days.where(table.c.scope == scope))]
