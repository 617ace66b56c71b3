"""Requests that maintenance answers to the operator."""

# Without `from __future__ import annotations`: FastStream 0.7 resolves the parameters of nested handlers at definition.

from collections.abc import Awaitable, Callable
from datetime import timedelta

from faststream.nats import NatsRouter
from pydantic import Field

from services.maintenance.embedding_failures import EmbeddingFailures
from services.maintenance.store import MaintenanceStore
from shared.contracts.contract import Contract
from shared.runtime.embedders.port import Embedder


class SweepRequest(Contract):
    """Which sessions to complete by hand."""

    idle_minutes: float = Field(default=0, ge=0, le=525_600, description="Those in which nothing was recorded for so long.")


def make_router(
    store: MaintenanceStore,
    embedder: Embedder | None,
    failures: EmbeddingFailures,
    sweep_silent: Callable[[timedelta], Awaitable[int]],
    follow_to_end: Callable[[], Awaitable[None]],
) -> NatsRouter:
    """The handlers, bound to the backlog; `sweep_silent` completes the sessions that are silent for so long."""
    router = NatsRouter()

    @router.subscriber("admin.maintenance.status")
    async def status() -> dict[str, str | int | None]:
        """The embedding backlog: how many memories wait, and since when (microseconds since 1970); no model: nothing waits.

        Also how many are set aside because the model refuses them, and the failures in a row with the code of the last.
        """
        if embedder is None:
            return {"model": None, "backlog": 0, "oldest": None, "set_aside": 0, "failures": 0, "last_error": None}
        await follow_to_end()
        model = embedder.model.fingerprint
        backlog = store.backlog(model, without=failures.set_aside)
        return {
            "model": model,
            "backlog": backlog.memories,
            "oldest": backlog.oldest,
            "set_aside": len(failures.set_aside),
            "failures": failures.failures,
            "last_error": failures.last_error,
        }

    @router.subscriber("admin.maintenance.sweep")
    async def sweep(request: SweepRequest) -> dict[str, int]:
        """Complete everybody's open sessions that have been silent for so long; return how many sweeps were sent."""
        await follow_to_end()
        return {"sessions": await sweep_silent(timedelta(minutes=request.idle_minutes))}

    return router
