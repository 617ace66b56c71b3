"""Requests that maintenance answers to the operator."""

# Without `from __future__ import annotations`: FastStream 0.7 resolves the parameters of nested handlers at definition.

import asyncio
from collections.abc import Awaitable, Callable
from datetime import timedelta
from typing import Any

from faststream.nats import NatsRouter
from pydantic import Field

from services.maintenance.embedding_progress import EmbeddingProgress
from services.maintenance.store import MaintenanceStore
from shared.contracts.contract import Contract
from shared.runtime.tasks import in_thread


class SweepRequest(Contract):
    """Which sessions to complete by hand."""

    idle_minutes: float = Field(default=0, ge=0, le=525_600, description="Those in which nothing was recorded for so long.")


def make_router(
    store: MaintenanceStore,
    progress: EmbeddingProgress,
    sweep_silent: Callable[[timedelta], Awaitable[int]],
    follow_to_end: Callable[[], Awaitable[None]],
) -> NatsRouter:
    """The handlers, bound to the backlog; `sweep_silent` completes the sessions that are silent for so long."""
    router = NatsRouter()

    @router.subscriber("admin.maintenance.status")
    async def status() -> dict[str, Any]:
        """How far embedding has come; how far the log is applied, and how many people's rows are to be made anew."""
        await follow_to_end()
        followed = {"position": store.position, "to_rebuild": len(store.scopes_to_rebuild())}
        return await in_thread(progress.told, asyncio.get_running_loop().time()) | followed

    @router.subscriber("admin.maintenance.sweep")
    async def sweep(request: SweepRequest) -> dict[str, int]:
        """Complete everybody's open sessions that have been silent for so long; return how many sweeps were sent."""
        await follow_to_end()
        return {"sessions": await sweep_silent(timedelta(minutes=request.idle_minutes))}

    return router
