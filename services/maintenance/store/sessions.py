"""The open sessions, and when something was last said in each."""

from typing import NamedTuple

from sqlalchemy import Connection, func, select
from sqlalchemy.dialects.sqlite import insert

from services.maintenance.store.schema import OPEN_SESSION, PERSON
from shared.contracts.events import EpisodeRecorded, SessionCompleted
from shared.contracts.ids import Position, Scope
from shared.domain.digests import Digester
from shared.domain.moments import microseconds
from shared.runtime.bulk import Batch, rows_of
from shared.runtime.projector import Recorded

_MICROSECONDS_A_MINUTE = 60_000_000

_SAID = insert(OPEN_SESSION)
_SAID = _SAID.on_conflict_do_update(
    index_elements=["scope", "session"],
    set_={
        "number": _SAID.excluded["number"],
        "position": _SAID.excluded["position"],
        "recorded_at": func.max(OPEN_SESSION.c.recorded_at, _SAID.excluded["recorded_at"]),
        "occurred_at": func.max(OPEN_SESSION.c.occurred_at, _SAID.excluded["occurred_at"]),
    },
    where=OPEN_SESSION.c.number < _SAID.excluded["number"],
)
_TURNS = rows_of(OPEN_SESSION, _SAID)


class IdleSession(NamedTuple):
    """An open session, with its last recorded turn."""

    scope: Scope
    session: bytes  # keyed
    number: int
    position: Position
    recorded_at: int  # microseconds since 1970


def follow_sessions(db: Batch, recorded: Recorded, digester: Digester) -> None:
    """Follow turns and completions of sessions."""
    event = recorded.event
    match event.data:
        case EpisodeRecorded() as said:
            session = digester.session_key(said.session_id)
            row = {
                "scope": recorded.scope,
                "session": session,
                "number": event.number,
                "position": recorded.position,
                "recorded_at": microseconds(event.recorded_at),
                "occurred_at": microseconds(event.occurred_at),
            }
            db.add(_TURNS, (OPEN_SESSION.name, recorded.scope, session), row)
        case SessionCompleted() as completed:
            session = digester.session_key(completed.session_id)
            this = (OPEN_SESSION.c.scope == recorded.scope) & (OPEN_SESSION.c.session == session)
            db.execute(OPEN_SESSION.delete().where(this))
        case _:
            pass


def idle_sessions(
    db: Connection, *, now: int, default_minutes: float | None, settle_minutes: float, limit: int
) -> list[IdleSession]:
    """The open sessions that are silent for longer than their person set, else than the default; the longest silent first.

    A session of the past, such as an import brings, counts as silent when nothing came for `settle_minutes`. A moment in the
    future counts as that of its recording. Without a default, only sessions of persons who set a time are returned.
    """
    minutes = func.coalesce(PERSON.c.idle_minutes, default_minutes)
    silent_since = func.min(OPEN_SESSION.c.recorded_at, OPEN_SESSION.c.occurred_at)
    settled = now - round(settle_minutes * _MICROSECONDS_A_MINUTE)
    query = (
        select(*(OPEN_SESSION.c[name] for name in IdleSession._fields))
        .join(PERSON, PERSON.c.scope == OPEN_SESSION.c.scope, isouter=True)
        .where(silent_since + minutes * _MICROSECONDS_A_MINUTE <= now, OPEN_SESSION.c.recorded_at <= settled)
        .order_by(OPEN_SESSION.c.position)
        .limit(limit)
    )
    return [IdleSession(*row) for row in db.execute(query)]


def silent_sessions(db: Connection, *, before: int, after: int, limit: int) -> list[IdleSession]:
    """A page of the open sessions whose last turn was recorded at `before` or earlier, after the position `after`."""
    query = (
        select(*(OPEN_SESSION.c[name] for name in IdleSession._fields))
        .where(OPEN_SESSION.c.recorded_at <= before, OPEN_SESSION.c.position > after)
        .order_by(OPEN_SESSION.c.position)
        .limit(limit)
    )
    return [IdleSession(*row) for row in db.execute(query)]
