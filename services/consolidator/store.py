"""consolidator.db: the sessions and where their turns lie in the log."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from sqlalchemy import Column, Connection, Index, Integer, MetaData, Table, Text, select
from sqlalchemy.dialects.sqlite import insert

from shared.contracts.events import (
    ConsolidationFailed,
    EpisodeRecorded,
    SessionCompleted,
    SessionConsolidated,
    SessionStarted,
)
from shared.contracts.ids import Position, Scope, SessionId
from shared.runtime.projector import Recorded
from shared.runtime.worklist import Worklist

_schema = MetaData()
_session = Table(
    "session",
    _schema,
    Column("scope", Text, primary_key=True),
    Column("session_id", Text, primary_key=True),
    Column("completed", Integer, nullable=False),  # number of its last session_completed; 0: open
    Column("position", Integer, nullable=False),  # of that event: it names space and user
    Column("through", Integer, nullable=False),  # consolidated up to this number
    Column("attempts", Integer, nullable=False),  # failed since it was completed
    sqlite_with_rowid=False,
)
_turn = Table(
    "turn",
    _schema,
    Column("scope", Text, primary_key=True),
    Column("number", Integer, primary_key=True),
    Column("session_id", Text, nullable=False),
    Column("position", Integer, nullable=False),
    sqlite_with_rowid=False,
)
Index("turn_session", _turn.c.scope, _turn.c.session_id, _turn.c.number)


class Pending(NamedTuple):
    """A session that is completed and not consolidated."""

    scope: Scope
    session_id: SessionId
    completed: int
    position: Position
    attempts: int


class ConsolidatorStore(Worklist):
    """Follows sessions from their first turn to their consolidation."""

    name = "consolidator"
    schema = _schema
    version = "1"

    def __init__(self, folder: Path) -> None:
        super().__init__(folder / "consolidator.db")

    def apply_event(self, db: Connection, recorded: Recorded) -> None:
        """Sessions open, fill, complete, and are learned from."""
        data = recorded.event.data
        match data:
            case SessionStarted():
                self._put_session(db, recorded, data.session_id, completed=0, position=recorded.position, attempts=0)
            case EpisodeRecorded():
                row = {
                    "scope": recorded.scope,
                    "number": recorded.event.number,
                    "session_id": data.session_id,
                    "position": recorded.position,
                }
                db.execute(insert(_turn).on_conflict_do_nothing(), row)
            case SessionCompleted():
                number = recorded.event.number
                self._put_session(db, recorded, data.session_id, completed=number, position=recorded.position, attempts=0)
            case ConsolidationFailed():
                self._put_session(db, recorded, data.session_id, attempts=data.attempt)
            case SessionConsolidated():
                self._put_session(db, recorded, data.session_id, through=data.through_number, attempts=0)
                done = (_turn.c.scope == recorded.scope) & (_turn.c.session_id == data.session_id)
                db.execute(_turn.delete().where(done, _turn.c.number <= data.through_number))
            case _:
                pass

    def pending(self) -> list[Pending]:
        """The sessions to learn from, the one that ended first before the others."""
        columns = (_session.c.scope, _session.c.session_id, _session.c.completed, _session.c.position, _session.c.attempts)
        query = select(*columns).where(_session.c.completed > _session.c.through).order_by(_session.c.position)
        with self.transaction() as db:
            return [Pending(*row) for row in db.execute(query)]

    def turns(self, session: Pending) -> list[tuple[int, Position]]:
        """Number and position of the session's turns that were not learned from, in order."""
        query = (
            select(_turn.c.number, _turn.c.position)
            .where(_turn.c.scope == session.scope, _turn.c.session_id == session.session_id)
            .where(_turn.c.number <= session.completed)
            .order_by(_turn.c.number)
        )
        with self.transaction() as db:
            return [(row.number, Position(row.position)) for row in db.execute(query)]

    def _put_session(self, db: Connection, recorded: Recorded, session_id: SessionId, **values: int) -> None:
        row = {"completed": 0, "position": 0, "through": 0, "attempts": 0} | values
        statement = insert(_session).values(scope=recorded.scope, session_id=session_id, **row)
        db.execute(statement.on_conflict_do_update(index_elements=["scope", "session_id"], set_=values))
