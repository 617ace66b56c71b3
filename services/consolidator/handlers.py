"""Requests that the consolidator answers to the operator."""

# Without `from __future__ import annotations`: FastStream 0.7 resolves the parameters of nested handlers at definition.

from collections.abc import Awaitable, Callable
from typing import Any, Protocol

from faststream.nats import NatsRouter
from pydantic import Field

from services.consolidator.schedule import Schedule
from services.consolidator.set_aside import reasons
from services.consolidator.store import ConsolidatorStore
from shared.contracts.consolidating import RUN_PATTERN
from shared.contracts.contract import Contract
from shared.contracts.ids import Scope, SessionId
from shared.runtime.chat_models.ledger import TokenLedger
from shared.runtime.retries import Backoff
from shared.runtime.tasks import in_thread


class UsageRequest(Contract):
    """Whose tokens to count, and from when to when."""

    since: str = Field(description="The first day, UTC: 2026-03-01.")
    until: str = Field(description="The last day.")
    scope: Scope | None = Field(default=None, description="The keyed hash of one person and space; none: everybody.")


class RelearnRequest(Contract):
    """Names the session to relearn."""

    scope: Scope = Field(description="The keyed hash of its person and space.")
    session_id: SessionId = Field(description="The conversation.")
    run_id: str = Field(pattern=RUN_PATTERN, description="The name of the run.")
    is_dry: bool = Field(description="True: nothing is recorded.")


class Retry(Protocol):
    """Asks for sessions that are set aside to be learned from again."""

    async def __call__(self, *, by_itself: bool) -> int:
        """How many. Raises Unavailable."""


def make_router(
    store: ConsolidatorStore,
    schedule: Schedule,
    ledger: TokenLedger,
    backoff: Backoff,
    *,
    most_attempts: int,
    moment: Callable[[], float],
    retry: Retry,
    relearn: Callable[[RelearnRequest], Awaitable[dict[str, Any]]],
    follow_to_end: Callable[[], Awaitable[None]],
) -> NatsRouter:
    """Return the handlers. `retry` queues sessions that are set aside; `relearn` learns from one session again."""
    router = NatsRouter()

    @router.subscriber("admin.consolidator.status")
    async def status() -> dict[str, Any]:
        """How many sessions wait to be learned from, how many of them failed before, and how many are set aside, and why.

        Also the failures in a row, of any session, with the code of the last; why nothing is begun with, if so; the tokens of
        today, with their budget; how far the log is applied, and how many people's rows are to be made anew.
        """
        await follow_to_end()
        pending = await in_thread(store.pending)
        aside = reasons(pending, most_attempts)
        failed = sum(1 for session in pending if session.attempts)
        return {
            "pending": len(pending) - sum(aside.values()),
            "failed": failed - sum(aside.values()),
            "set_aside": sum(aside.values()),
            "set_aside_for": aside,
            "failures": backoff.failures,
            "last_error": backoff.last_error,
            "waits_for": schedule.rests(moment()),
            "tokens_today": await ledger.today(),
            "tokens_per_day": ledger.per_day,
            "position": store.position,
            "to_rebuild": len(store.scopes_to_rebuild()),
        }

    @router.subscriber("admin.consolidator.retry")
    async def retry_set_aside() -> dict[str, int]:
        """Ask for all sessions that are set aside to be learned from again; return how many."""
        await follow_to_end()
        return {"sessions": await retry(by_itself=False)}

    @router.subscriber("admin.consolidator.retry_by_itself")
    async def retry_by_itself() -> dict[str, int]:
        """Ask for those sessions that are set aside and were not tried often by night yet; return how many."""
        await follow_to_end()
        return {"sessions": await retry(by_itself=True)}

    @router.subscriber("admin.consolidator.relearn")
    async def relearn_session(request: RelearnRequest) -> dict[str, Any]:
        """Relearn a session; return the changes of its facts, also those that a dry run does not record."""
        return await relearn(request)

    @router.subscriber("admin.consolidator.usage")
    async def usage(request: UsageRequest) -> dict[str, list[dict[str, Any]]]:
        """The tokens that learning cost on each of these days, as far as it is recorded."""
        await follow_to_end()
        days = await in_thread(store.usage, since=request.since, until=request.until, scope=request.scope)
        return {"days": [day._asdict() for day in days]}

    return router
