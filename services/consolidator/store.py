"""consolidator.db: the completed sessions that are not learned from yet, and the positions of their turns."""

from typing import NamedTuple

from sqlalchemy import Column, ColumnElement, Connection, Index, Integer, MetaData, Table, Text, select
from sqlalchemy.dialects.sqlite import insert

from shared.contracts.events import (
    ConsolidationFailed,
    EpisodeRecorded,
    SessionCompleted,
    SessionConsolidated,
)
from shared.contracts.ids import Position, Scope, SessionId
from shared.domain.moments import microseconds
from shared.runtime.bulk import Batch, rows_of
from shared.runtime.projection_file import table_by_scope
from shared.runtime.projector import Recorded
from shared.runtime.worklist import Worklist

_schema = MetaData()
_completion = table_by_scope(
    "completion",
    _schema,
    Column("number", Integer, primary_key=True),  # of the session_completed
    Column("session_id", Text, nullable=False),
    Column("position", Integer, nullable=False),  # of that event: it names space and user
    Column("attempts", Integer, nullable=False),  # that failed
)
_turn = table_by_scope(
    "turn",
    _schema,
    Column("number", Integer, primary_key=True),
    Column("session_id", Text, nullable=False),
    Column("position", Integer, nullable=False),
    Column("occurred_at", Integer, nullable=False),  # microseconds since 1970
    Column("completed", Integer, nullable=False),  # number of the session_completed that it belongs to; 0: none yet
)
Index("turn_session", _turn.c.scope, _turn.c.session_id, _turn.c.completed)

_SAID = rows_of(_turn, insert(_turn).on_conflict_do_nothing())
"""Statement that adds turns, made once, for there are many."""


class PendingCompletion(NamedTuple):
    """A completion whose turns are not learned from yet."""

    scope: Scope
    session_id: SessionId
    completed: int
    position: Position
    attempts: int


class ConsolidatorStore(Worklist):
    """Follows sessions from their first turn to their consolidation.

    Each completion has the turns since the one before, and is learned from by itself: a session that is resumed, even while
    it is learned from, adds turns to its next completion and to no other.
    """

    name = "consolidator"
    schema = _schema
    version = "2"
    digested = (_completion, _turn)

    def apply_event(self, db: Batch, recorded: Recorded) -> None:
        """Add turns to sessions, completions, and what is learned."""
        match recorded.event.data:
            case EpisodeRecorded() as said:
                _fill(db, recorded, said.session_id)
            case SessionCompleted() as completed:
                _complete(db, recorded, completed.session_id)
            case ConsolidationFailed() as failed:
                these = _of_session(_completion, recorded, failed.session_id)
                if failed.through_number:
                    these &= _completion.c.number == failed.through_number
                db.execute(_completion.update().where(these).values(attempts=failed.attempt))
            case SessionConsolidated() as done:
                this = _of_session(_completion, recorded, done.session_id) & (_completion.c.number == done.through_number)
                its_turns = _of_session(_turn, recorded, done.session_id) & (_turn.c.completed == done.through_number)
                db.execute(_completion.delete().where(this))
                db.execute(_turn.delete().where(its_turns))
            case _:
                pass

    def is_news(self, recorded: Recorded) -> bool:
        """True if an event may change what is pending; turns alone do not, before their completion."""
        return self.name in recorded.event.data.read_by and not recorded.event.data.makes

    def is_as_rebuilt(self, db: Connection, scope: Scope) -> bool:
        """True if the scope has no rows: with fewer events it would have none either."""
        rows = (select(table.c.number).where(table.c.scope == scope).limit(1) for table in (_completion, _turn))
        return all(db.scalar(query) is None for query in rows)

    def pending(self) -> list[PendingCompletion]:
        """The completions to learn from, the oldest first."""
        columns = (_completion.c[name] for name in ("scope", "session_id", "number", "position", "attempts"))
        with self.transaction() as db:
            return [PendingCompletion(*row) for row in db.execute(select(*columns).order_by(_completion.c.position))]

    def turns(self, completion: PendingCompletion) -> list[tuple[int, Position]]:
        """Numbers and positions of the turns of a completion, in the order in which they were said, also if they came late."""
        query = (
            select(_turn.c.number, _turn.c.position)
            .where(_turn.c.scope == completion.scope, _turn.c.session_id == completion.session_id)
            .where(_turn.c.completed == completion.completed)
            .order_by(_turn.c.occurred_at, _turn.c.number)
        )
        with self.transaction() as db:
            return [(row.number, Position(row.position)) for row in db.execute(query)]


def _of_session(table: Table, recorded: Recorded, session_id: SessionId) -> ColumnElement[bool]:
    return (table.c.scope == recorded.scope) & (table.c.session_id == session_id)


def _fill(db: Batch, recorded: Recorded, session_id: SessionId) -> None:
    row = {
        "scope": recorded.scope,
        "number": recorded.event.number,
        "session_id": session_id,
        "position": recorded.position,
        "occurred_at": microseconds(recorded.event.occurred_at),
        "completed": 0,
    }
    db.add(_SAID, (_turn.name, recorded.scope, recorded.event.number), row)


def _complete(db: Batch, recorded: Recorded, session_id: SessionId) -> None:
    number = recorded.event.number
    row = {"scope": recorded.scope, "number": number, "session_id": session_id, "position": recorded.position, "attempts": 0}
    db.execute(insert(_completion).on_conflict_do_nothing(), row)
    open_turns = _of_session(_turn, recorded, session_id) & (_turn.c.completed == 0) & (_turn.c.number < number)
    db.execute(_turn.update().where(open_turns).values(completed=number))
