"""The life of a session: started by its first turn, completed by a switch, a command or silence, resumed by a later turn."""

from datetime import datetime

from services.ingest.domain.ruling import Ruling
from shared.contracts.commands import EndSession, SweepSessions
from shared.contracts.errors import UnknownSession
from shared.contracts.events import SessionCompleted, SessionStarted
from shared.contracts.ids import SessionId
from shared.contracts.parts import Role

_MOST_COMPLETED = 500
"""Most sessions that one turn completes, for its events must fit into one append; the next switch completes more."""


def enter_session(session_id: SessionId, *, role: Role, occurred_at: datetime, ruling: Ruling) -> None:
    """The session events before a turn: its session starts or resumes, and the user's first turn in it completes earlier ones.

    Earlier sessions are those whose last turn is not later than this one, so that importing the past ends none of the present.

    Source: ../reference/memory-system.md, "Session consolidation trigger".
    """
    state = ruling.state
    known = state.sessions.get(session_id)
    if role is Role.USER and not (known and known.user_spoke):
        earlier = [
            SessionCompleted(session_id=other, reason="switched", turns=session.turns)
            for other, session in sorted(state.open_sessions.items())
            if other != session_id and session.last_occurred_at <= occurred_at
        ]
        ruling.add_all(earlier[:_MOST_COMPLETED], occurred_at)
    if known is None or not known.is_open:
        ruling.add(SessionStarted(session_id=session_id, resumed=known is not None), occurred_at)


def end_session(command: EndSession, ruling: Ruling) -> None:
    """Complete a session by command, if it is open. Raises UnknownSession."""
    session = ruling.state.sessions.get(command.session_id)
    if session is None:
        raise UnknownSession
    if session.is_open:
        ruling.add(SessionCompleted(session_id=command.session_id, reason="ended", turns=session.turns))


def sweep_sessions(command: SweepSessions, ruling: Ruling) -> None:
    """Complete the open sessions in which nothing was recorded since `before`.

    maintenance saw in the log which they are; here that is checked again, in order with what was said since.
    """
    idle = [
        SessionCompleted(session_id=session_id, reason=command.reason, turns=session.turns)
        for session_id, session in sorted(ruling.state.open_sessions.items())
        if session.last_recorded_at < command.before and (not command.session_ids or session_id in command.session_ids)
    ]
    ruling.add_all(idle[:_MOST_COMPLETED])
