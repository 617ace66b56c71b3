"""consolidator.db: the completed sessions that are not learned from yet, and the positions of their turns."""

from typing import NamedTuple

from sqlalchemy import (
    Boolean,
    Column,
    ColumnElement,
    Connection,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    Table,
    Text,
    func,
    select,
)
from sqlalchemy.dialects.sqlite import insert

from services.consolidator.domain.attempts import counts
from shared.contracts.envelope import Envelope
from shared.contracts.events import (
    EpisodeRecorded,
    SessionCompleted,
    SessionConsolidated,
)
from shared.contracts.ids import Position, Scope, SessionId
from shared.contracts.learning import ConsolidationFailed, ConsolidationRetried
from shared.contracts.privacy import MemoryForgotten
from shared.domain.moments import microseconds
from shared.runtime.bulk import Batch, rows_of
from shared.runtime.chat_models.usage import DayUsage, spend, usage_in, usage_table
from shared.runtime.projection_file import table_by_scope
from shared.runtime.projector import Recorded
from shared.runtime.worklist import Worklist

_schema = MetaData()
_completion = table_by_scope(
    "completion",
    _schema,
    Column("number", Integer, primary_key=True),  # of the session_completed
    Column("session", LargeBinary, nullable=False),  # keyed
    Column("position", Integer, nullable=False),  # of that event: it names space, user and session
    Column("attempts", Integer, nullable=False),  # that failed, ever
    Column("failures", Integer, nullable=False),  # the same since it was last tried again by hand
    Column("strikes", Integer, nullable=False),  # those of them that may be its own fault
    Column("retried", Integer, nullable=False),  # number of the consolidation_retried; 0: it was not tried again by hand
    Column("code", Text),  # of the last failure
    Column("imported", Boolean, nullable=False),  # all its turns came with an import
)
_turn = table_by_scope(
    "turn",
    _schema,
    Column("number", Integer, primary_key=True),
    Column("session", LargeBinary, nullable=False),  # keyed
    Column("position", Integer, nullable=False),
    Column("occurred_at", Integer, nullable=False),  # microseconds since 1970
    Column("completed", Integer, nullable=False),  # number of the session_completed that it belongs to; 0: none yet
    Column("imported", Boolean, nullable=False),
)
_usage = usage_table(_schema)
Index("turn_session", _turn.c.scope, _turn.c.session, _turn.c.completed)

_AT_ONCE = 500
_PENDING = ("scope", "session", "number", "position", "attempts", "failures", "strikes", "retried", "code", "imported")
_SAID = rows_of(_turn, insert(_turn).on_conflict_do_nothing())
"""Statement that adds turns, made once, for there are many."""


class PendingCompletion(NamedTuple):
    """A completion whose turns are not learned from yet."""

    scope: Scope
    session: bytes  # keyed
    completed: int
    position: Position
    attempts: int
    failures: int = 0
    strikes: int = 0
    retried: int = 0
    code: str | None = None
    imported: bool = False


def session_of(completion: Envelope) -> SessionId:
    """The session that an event completed."""
    [session_id] = completion.data.sessions
    return session_id


class ConsolidatorStore(Worklist):
    """Follows sessions from their first turn to their consolidation.

    Each completion has the turns since the one before, and is learned from by itself: a session that is resumed, even while
    it is learned from, adds turns to its next completion and to no other.
    """

    name = "consolidator"
    schema = _schema
    version = "7"
    digested = (_completion, _turn, _usage)

    def apply_event(self, db: Batch, recorded: Recorded) -> None:
        """Add turns to sessions, completions, and what is learned; drop turns that are forgotten."""
        spend(_usage, db, recorded)
        if isinstance(recorded.event.data, MemoryForgotten):
            _drop(db, recorded, recorded.event.data)
        elif session_id := vars(recorded.event.data).get("session_id"):  # of a model that has no such field, getattr is slow
            session = self._digester.session_key(session_id)
            match recorded.event.data:
                case EpisodeRecorded(held_back=False, imported=imported):
                    _fill(db, recorded, session, imported=imported)
                case SessionCompleted():
                    _complete(db, recorded, session)
                case ConsolidationFailed() as failed:
                    _fail(db, recorded, failed, session)
                case ConsolidationRetried() as again:
                    this = _of_session(_completion, recorded, session) & (_completion.c.number == again.through_number)
                    this &= _completion.c.retried < recorded.event.number
                    db.execute(_completion.update().where(this).values(failures=0, strikes=0, retried=recorded.event.number))
                case SessionConsolidated() as done:
                    this = _of_session(_completion, recorded, session) & (_completion.c.number == done.through_number)
                    its_turns = _of_session(_turn, recorded, session) & (_turn.c.completed == done.through_number)
                    db.execute(_completion.delete().where(this))
                    db.execute(_turn.delete().where(its_turns))
                case _:
                    pass

    def is_news(self, recorded: Recorded) -> bool:
        """True if an event may change what is pending; turns alone do not, before their completion."""
        return self.name in recorded.event.data.read_by and not recorded.event.data.makes

    def is_as_rebuilt(self, db: Connection, scope: Scope) -> bool:
        """True if the scope has no rows: with fewer events it would have none either."""
        rows = (select(table.c.number).where(table.c.scope == scope).limit(1) for table in self.digested)
        return all(db.scalar(query) is None for query in rows)

    def pending(self) -> list[PendingCompletion]:
        """The completions to learn from: first those with what was said live, of both the oldest first."""
        query = select(*(_completion.c[name] for name in _PENDING)).order_by(_completion.c.imported, _completion.c.position)
        with self.transaction() as db:
            return [PendingCompletion(*row) for row in db.execute(query)]

    def usage(self, *, since: str, until: str, scope: Scope | None = None) -> list[DayUsage]:
        """The tokens of each day from `since` to `until`, of everybody or of one person, in their order."""
        with self.transaction() as db:
            return usage_in(_usage, db, since=since, until=until, scope=scope)

    def turns(self, completion: PendingCompletion) -> list[tuple[int, Position]]:
        """Numbers and positions of the turns of a completion, in the order in which they were said, also if they came late."""
        query = (
            select(_turn.c.number, _turn.c.position)
            .where(_turn.c.scope == completion.scope, _turn.c.session == completion.session)
            .where(_turn.c.completed == completion.completed)
            .order_by(_turn.c.occurred_at, _turn.c.number)
        )
        with self.transaction() as db:
            return [(row.number, Position(row.position)) for row in db.execute(query)]


def _of_session(table: Table, recorded: Recorded, session: bytes) -> ColumnElement[bool]:
    return (table.c.scope == recorded.scope) & (table.c.session == session)


def _fill(db: Batch, recorded: Recorded, session: bytes, *, imported: bool) -> None:
    row = {
        "scope": recorded.scope,
        "number": recorded.event.number,
        "session": session,
        "position": recorded.position,
        "occurred_at": microseconds(recorded.event.occurred_at),
        "completed": 0,
        "imported": imported,
    }
    db.add(_SAID, (_turn.name, recorded.scope, recorded.event.number), row)


def _drop(db: Batch, recorded: Recorded, forgotten: MemoryForgotten) -> None:
    for start in range(0, len(forgotten.numbers), _AT_ONCE):
        numbers = forgotten.numbers[start : start + _AT_ONCE]
        db.execute(_turn.delete().where(_turn.c.scope == recorded.scope, _turn.c.number.in_(numbers)))


def _complete(db: Batch, recorded: Recorded, session: bytes) -> None:
    number = recorded.event.number
    row = {"scope": recorded.scope, "number": number, "session": session, "position": recorded.position}
    row |= dict.fromkeys(("attempts", "failures", "strikes", "retried"), 0)
    open_turns = _of_session(_turn, recorded, session) & (_turn.c.completed == 0) & (_turn.c.number < number)
    row["imported"] = bool(db.execute(select(func.min(_turn.c.imported)).where(open_turns)).scalar())
    db.execute(insert(_completion).on_conflict_do_nothing(), row)
    db.execute(_turn.update().where(open_turns).values(completed=number))


def _fail(db: Batch, recorded: Recorded, failed: ConsolidationFailed, session: bytes) -> None:
    """Count a failure. The event may have been applied before: an attempt counts once."""
    these = _of_session(_completion, recorded, session) & (_completion.c.attempts < failed.attempt)
    if failed.through_number:
        these &= _completion.c.number == failed.through_number
    counted = {name: _completion.c[name] + int(name == "failures" or counts(failed.code)) for name in ("failures", "strikes")}
    db.execute(_completion.update().where(these).values(attempts=failed.attempt, code=failed.code, **counted))
