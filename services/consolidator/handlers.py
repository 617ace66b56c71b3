"""Requests that the consolidator answers to the operator."""

# Without `from __future__ import annotations`: FastStream 0.7 resolves the parameters of nested handlers at definition.

from collections.abc import Awaitable, Callable

from faststream.nats import NatsRouter

from services.consolidator.store import ConsolidatorStore
from shared.runtime.retries import Backoff


def make_router(store: ConsolidatorStore, backoff: Backoff, follow_to_end: Callable[[], Awaitable[None]]) -> NatsRouter:
    """The handlers, bound to the pending sessions."""
    router = NatsRouter()

    @router.subscriber("admin.consolidator.status")
    async def status() -> dict[str, str | int | None]:
        """How many sessions are completed and not consolidated, and how many of them failed before.

        Also the failures in a row, of any session, and the code of the last.
        """
        await follow_to_end()
        pending = store.pending()
        return {
            "pending": len(pending),
            "failed": sum(1 for session in pending if session.attempts),
            "failures": backoff.failures,
            "last_error": backoff.last_error,
        }

    return router
