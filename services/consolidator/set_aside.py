"""The sessions whose attempts are used up: how many, why, and trying them again."""

from collections import Counter
from collections.abc import Iterable

from services.consolidator.store import ConsolidatorStore, PendingCompletion, session_of
from shared.contracts.ids import MessageId
from shared.contracts.learning import RetryConsolidation
from shared.runtime.connection import Client
from shared.runtime.eventlog.read import read_at
from shared.runtime.sending import send_work
from shared.runtime.tasks import in_thread

_MOST_NIGHTS = 4
"""So often a session is tried as many times as it may fail, the first time included, before somebody has to ask for it."""


def is_set_aside(session: PendingCompletion, most_attempts: int) -> bool:
    """True if learning from a session failed as often as it may."""
    return session.strikes >= most_attempts


def reasons(pending: Iterable[PendingCompletion], most_attempts: int) -> dict[str, int]:
    """How many sessions are set aside, by the code of their last failure."""
    return dict(Counter(session.code or "" for session in pending if is_set_aside(session, most_attempts)))


async def retry_all(client: Client, store: ConsolidatorStore, most_attempts: int, *, by_itself: bool = False) -> int:
    """Ask for every session that is set aside to be learned from again; return how many. Raises Unavailable.

    `by_itself`: nobody asked, so those are left out that failed for so many nights: each try may cost tokens.
    """
    aside = [session for session in await in_thread(store.pending) if is_set_aside(session, most_attempts)]
    if by_itself:
        aside = [session for session in aside if session.attempts < _MOST_NIGHTS * most_attempts]
    completions = await read_at(client, [session.position for session in aside])
    for session, completion in zip(aside, completions, strict=True):
        if completion is not None:
            again = RetryConsolidation(
                message_id=MessageId(f"{completion.event_id}/retried/{session.attempts}"),
                session_id=session_of(completion),
                through_number=session.completed,
            )
            await send_work(client, completion, again)
    return len(aside)
