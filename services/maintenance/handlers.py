"""What the operator can ask of maintenance."""

# Without `from __future__ import annotations`: FastStream 0.7 resolves the parameters of nested handlers at definition.

from faststream.nats import NatsRouter

from services.maintenance.store import MaintenanceStore
from services.maintenance.troubles import Troubles
from shared.runtime.embedders.port import Embedder


def make_router(store: MaintenanceStore, embedder: Embedder | None, troubles: Troubles) -> NatsRouter:
    """The handlers, bound to the backlog."""
    router = NatsRouter()

    @router.subscriber("admin.maintenance.status")
    async def status() -> dict[str, str | int | None]:
        """The embedding backlog: how many memories wait, and since when (microseconds since 1970); no model: nothing waits.

        Besides: how many are set aside because the model refuses them, and failures in a row with the code of the last.
        """
        if embedder is None:
            return {"model": None, "backlog": 0, "oldest": None, "set_aside": 0, "failures": 0, "last_error": None}
        model = embedder.model.fingerprint
        backlog = store.backlog(model, without=troubles.set_aside)
        return {
            "model": model,
            "backlog": backlog.memories,
            "oldest": backlog.oldest,
            "set_aside": len(troubles.set_aside),
            "failures": troubles.setbacks.failures,
            "last_error": troubles.setbacks.last_error,
        }

    @router.subscriber("admin.maintenance.digests")
    async def digests() -> dict[str, str | int]:
        """The projection digest of everything applied so far."""
        return store.digests()

    return router
