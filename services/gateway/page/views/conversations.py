"""Conversations, and which of them are incognito."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from shared.contracts.queries import AuditEntry, Conversation, ConversationState

STARTED, ENDED = "incognito_started", "incognito_ended"


@dataclass(frozen=True, slots=True)
class ConversationView:
    """A conversation: when it was, how much of it is kept, what was learned."""

    session_id: str
    began_at: datetime
    state: str
    turns: int
    learned: int
    run_id: str | None
    """Of the last run that can be taken back."""
    is_incognito: bool


def conversation_views(sessions: Sequence[Conversation], trail: Iterable[AuditEntry]) -> list[ConversationView]:
    """The conversations, the latest first; the trail, newest first, says which are incognito."""
    return [_view(each, is_incognito=each.session_id in incognito_sessions(trail)) for each in sessions]


def incognito_sessions(trail: Iterable[AuditEntry]) -> set[str]:
    """The sessions of which the newest entry says that they are incognito."""
    newest: dict[str, str] = {}
    for entry in trail:
        newest.setdefault(str(entry.details.get("session_id", "")), entry.type)
    return {session for session, kind in newest.items() if kind == STARTED}


def _view(each: Conversation, *, is_incognito: bool) -> ConversationView:
    runs = [run for run in each.runs if run.undone_at is None and run.facts]
    return ConversationView(
        session_id=each.session_id,
        began_at=each.first_seen_at,
        state="learning" if each.state is ConversationState.PENDING else each.state.value,
        turns=each.turns,
        learned=sum(run.facts for run in runs),
        run_id=runs[-1].run_id if runs else None,
        is_incognito=is_incognito,
    )
