"""Questions as vectors; without an embedder, or when it fails, the other legs answer alone."""

from __future__ import annotations

from services.retriever.store.legs import QueryVector
from shared.contracts.errors import Misconfigured, Unavailable
from shared.runtime.embedders.port import Embedder
from shared.runtime.logs import log
from shared.runtime.metrics import LEG_FAILURES


class QueryVectors:
    """Asks the embedder."""

    def __init__(self, embedder: Embedder | None) -> None:
        self._embedder = embedder

    async def of(self, text: str) -> QueryVector | None:
        """The vector of a question, float32 and of length 1; None where there is none to be had."""
        if self._embedder is None:
            return None
        try:
            [vector] = await self._embedder.embed([text])
        except (Unavailable, Misconfigured) as error:
            LEG_FAILURES.labels("vector").inc()
            log.warning("leg.failed", leg="vector", reason=error.message)
            return None
        return QueryVector(self._embedder.model.fingerprint, vector.tobytes())
