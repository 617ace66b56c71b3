"""Builders of commands: what a test does not name is plain and the same everywhere."""

from collections.abc import Iterable
from datetime import datetime
from functools import partial
from typing import Any, Literal

from shared.contracts.commands import (
    AgentResponse,
    EndSession,
    ImportedTurn,
    ImportTurns,
    RecordRecall,
    RememberFact,
    SweepSessions,
    SystemMessage,
    Turn,
    UserMessage,
)
from shared.contracts.ids import MemoryId, MessageId, RecallId, SessionId
from shared.contracts.parts import RecalledItem, Role, Score
from shared.domain.shingles import Shingler, pack
from tests.support.scopes import ANNAS_SCOPE, KEYS, T0

_TURNS: dict[Role, type[Turn]] = {Role.USER: UserMessage, Role.ASSISTANT: AgentResponse, Role.SYSTEM: SystemMessage}


def turn(
    text: str = "hello",
    session: str = "s1",
    *,
    role: Role = Role.USER,
    message_id: str | None = None,
    occurred_at: datetime | None = None,
    speaker: str | None = None,
    metadata: dict[str, Any] | None = None,
) -> Turn:
    """A live turn of any role."""
    return _TURNS[role](
        session_id=SessionId(session),
        text=text,
        message_id=MessageId(message_id) if message_id else None,
        occurred_at=occurred_at,
        speaker=speaker,
        metadata=metadata or {},
    )


user_says = partial(turn, role=Role.USER)
agent_says = partial(turn, role=Role.ASSISTANT)
system_says = partial(turn, role=Role.SYSTEM)


def imported(live: Turn) -> ImportedTurn:
    """The same turn as one of an import."""
    return ImportedTurn(
        role=live.role,
        session_id=live.session_id,
        text=live.text,
        message_id=live.message_id,
        occurred_at=live.occurred_at,
        speaker=live.speaker,
        metadata=live.metadata,
    )


def import_of(turns: Iterable[Turn], *, message_id: str | None = None) -> ImportTurns:
    """One import of these turns."""
    return ImportTurns(turns=tuple(imported(live) for live in turns), message_id=MessageId(message_id) if message_id else None)


def remember(
    text: str = "Anna likes tea",
    *,
    message_id: str | None = None,
    occurred_at: datetime | None = None,
    source_ids: tuple[str, ...] = (),
    tags: tuple[str, ...] = (),
) -> RememberFact:
    """A fact, as told."""
    return RememberFact(
        text=text,
        message_id=MessageId(message_id) if message_id else None,
        occurred_at=occurred_at,
        source_ids=source_ids,
        tags=tags,
    )


def end(session: str = "s1", *, message_id: str | None = None) -> EndSession:
    """The end of a session."""
    return EndSession(session_id=SessionId(session), message_id=MessageId(message_id) if message_id else None)


def sweep(
    before: datetime,
    *sessions: str,
    reason: Literal["idle", "swept"] = "idle",
    message_id: str | None = None,
) -> SweepSessions:
    """The end of what is silent since."""
    return SweepSessions(
        before=before,
        reason=reason,
        session_ids=tuple(SessionId(session) for session in sessions),
        message_id=MessageId(message_id) if message_id else None,
    )


def recall(recall_id: str = "rec_1") -> RecordRecall:
    """A context that was handed out."""
    return RecordRecall(
        message_id=MessageId(recall_id),
        recall_id=RecallId(recall_id),
        at_number=2,
        computed_at=T0,
        ranking="r1",
        items=(
            RecalledItem(
                memory_id=MemoryId("ep_1"),
                score=Score(total=0.5, relevance=0.5, recency=1.0, importance=0.5),
                shingles=pack(Shingler(KEYS.digester, ANNAS_SCOPE).hashes("hello from the other side", most=9)),
            ),
        ),
    )
