"""Turns questions into vectors. Without an embedder, or when it is slow or fails, the other legs answer alone."""

import asyncio

from services.retriever.store.legs import QueryVector
from shared.contracts.errors import MemstreamError
from shared.contracts.ids import Scope
from shared.contracts.queries import LegFailure
from shared.runtime.embedders.cached import CachedEmbedder
from shared.runtime.embedders.port import Embedder
from shared.runtime.logs import log
from shared.runtime.metrics import CONTEXT_STAGE_SECONDS, LEG_FAILURES

_ANY_TEXT = "hello"


class QueryVectors:
    """Asks the embedder for the vectors of questions, and waits for `timeout_s` at most. Those asked last are cached."""

    def __init__(self, embedder: Embedder | None, *, timeout_s: float) -> None:
        self._embedder = CachedEmbedder(embedder) if embedder else None
        self._timeout_s = timeout_s

    async def of(self, text: str, scope: Scope) -> QueryVector | LegFailure:
        """The vector of a person's question, float32[dimensions] of length 1; or the reason why there is none."""
        if self._embedder is None:
            return LegFailure.NO_EMBEDDER
        try:
            with CONTEXT_STAGE_SECONDS.labels("embed").time():
                async with asyncio.timeout(self._timeout_s):
                    [vector] = await self._embedder.embed([text], whose=scope)
        except TimeoutError as error:
            return _failed(LegFailure.EMBEDDER_SLOW, error)
        except Exception as error:  # noqa: BLE001 - whatever an embedder stumbles over, the words must answer
            return _failed(LegFailure.EMBEDDER_FAILED, error)
        return QueryVector(self._embedder.model.fingerprint, vector.tobytes())

    async def close(self) -> None:
        """Close the embedder."""
        if self._embedder is not None:
            await self._embedder.close()

    async def warm(self) -> None:
        """Load the model, so that the first question does not wait for it."""
        if self._embedder is not None:
            try:
                await self._embedder.embed([_ANY_TEXT])
            except Exception as error:  # noqa: BLE001 - each question will tell
                _failed(LegFailure.EMBEDDER_FAILED, error)


def _failed(why: LegFailure, error: Exception) -> LegFailure:
    LEG_FAILURES.labels("vector").inc()
    reason = error.message if isinstance(error, MemstreamError) else type(error).__name__  # others may quote the question
    log.warning("leg.failed", leg="vector", why=why.value, reason=reason)
    return why
