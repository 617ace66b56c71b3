"""What the operator can ask of maintenance."""

# Without `from __future__ import annotations`: FastStream 0.7 resolves the parameters of nested handlers at definition.

from faststream.nats import NatsRouter

from services.maintenance.store import MaintenanceStore
from shared.runtime.embedders.port import Embedder


def make_router(store: MaintenanceStore, embedder: Embedder | None) -> NatsRouter:
    """The handlers, bound to the backlog."""
    router = NatsRouter()

    @router.subscriber("admin.maintenance.status")
    async def status() -> dict[str, str | int | None]:
        """The embedding backlog: how many memories wait, and since when (microseconds since 1970); no model: nothing waits."""
        if embedder is None:
            return {"model": None, "backlog": 0, "oldest": None}
        model = embedder.model.fingerprint
        backlog = store.backlog(model)
        return {"model": model, "backlog": backlog.memories, "oldest": backlog.oldest}

    @router.subscriber("admin.maintenance.digests")
    async def digests() -> dict[str, str | int]:
        """The projection digest of everything applied so far."""
        return store.digests()

    return router
