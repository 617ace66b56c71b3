"""Turns questions into vectors. Without an embedder, or when it is slow or fails, the other legs answer alone.

An embedder that failed three times in a row costs no question any time: it is asked in the background until it answers.
"""

import asyncio
from concurrent.futures import Future, ThreadPoolExecutor

from services.retriever.stages import stage
from services.retriever.store.legs import QueryVector
from shared.contracts.errors import InputRefused, MemstreamError
from shared.contracts.ids import Scope
from shared.contracts.queries import LegFailure
from shared.domain.arrays import Floats
from shared.language.text.languages import may_be_english
from shared.language.text.scripts import is_mostly_latin
from shared.language.text.words import search_words
from shared.runtime.breaker import CircuitBreaker
from shared.runtime.embedders.cached import CachedEmbedder
from shared.runtime.embedders.port import Embedder, EmbedderModel
from shared.runtime.logs import log
from shared.runtime.metrics import LEG_FAILURES

_ANY_TEXT = "hello"
_PROBE_S = (0.5, 30.0)
_LONG = 400
"""Characters of a question that take a quarter of the longest time: whoever asks shortly must not wait for one."""

_STRANGE_SCRIPT = 0.5
"""So much of its weight has a vector of a text in a script that its model does not know (docs/adr/0034)."""


class QueryVectors:
    """Asks the embedder for the vectors of questions, and waits for `timeout_s` at most. Those asked last are cached.

    `probe_s`: the first and the longest pause, in seconds, before a failing embedder is probed.
    """

    def __init__(self, embedder: Embedder | None, *, timeout_s: float, probe_s: tuple[float, float] = _PROBE_S) -> None:
        self._embedder = embedder
        self._cached = CachedEmbedder(embedder) if embedder else None
        self._timeout_s = timeout_s
        self._breaker = CircuitBreaker(self._is_well, first_s=probe_s[0], longest_s=probe_s[1])
        self._why = LegFailure.NO_EMBEDDER
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="embed-question")  # one beside the one that reads: two cores
        self._thread_of_long = ThreadPoolExecutor(1, thread_name_prefix="embed-long-question")

    async def of(self, text: str, scope: Scope) -> QueryVector | LegFailure:
        """The vector of a person's question, float32[dimensions] of length 1; or the reason why there is none."""
        if self._cached is None:
            return LegFailure.NO_EMBEDDER
        if self._breaker.is_open:
            LEG_FAILURES.labels("vector").inc()
            return self._why
        made = await self._embedded(self._cached, text, scope)
        if isinstance(made, QueryVector):
            self._breaker.succeeded()
        return made

    def of_here(self, text: str, scope: Scope) -> QueryVector | None:
        """The vector of a person's question, made by the thread that calls it; None where `of` must be awaited for it."""
        if self._cached is None or self._breaker.is_open:
            return None
        try:
            with stage("embed"):
                vector = self._cached.embed_here(text, whose=scope)
        except Exception:  # noqa: BLE001 - `of` meets it again, tells why and counts it
            return None
        return None if vector is None else _query_vector(self._cached.model, text, vector)

    def begun(self, text: str, scope: Scope) -> Future[QueryVector | None] | None:
        """`of_here` in a thread beside the one that calls it; None where that would be of no use."""
        if self._cached is None or self._breaker.is_open or not self._cached.may_be_made_here(text, whose=scope):
            return None
        thread = self._thread if len(text) < _LONG else self._thread_of_long
        return thread.submit(self.of_here, text, scope)

    async def close(self) -> None:
        """Close the embedder."""
        await self._breaker.stop()
        self._thread.shutdown(wait=False)
        self._thread_of_long.shutdown(wait=False)
        if self._cached is not None:
            await self._cached.close()

    async def warm(self) -> None:
        """Load the model, so that the first question does not wait for it."""
        if self._embedder is not None:
            try:
                await self._embedder.embed([_ANY_TEXT])
            except Exception as error:  # noqa: BLE001 - each question will tell
                _failed(LegFailure.EMBEDDER_FAILED, error)

    async def _embedded(self, embedder: CachedEmbedder, text: str, scope: Scope) -> QueryVector | LegFailure:
        try:
            with stage("embed"):
                async with asyncio.timeout(self._timeout_s):
                    [vector] = await embedder.embed([text], whose=scope)
        except InputRefused as error:  # the text is at fault, and the embedder well
            return _failed(LegFailure.EMBEDDER_FAILED, error)
        except TimeoutError as error:
            self._why = _failed(LegFailure.EMBEDDER_SLOW, error)
        except Exception as error:  # noqa: BLE001 - whatever an embedder stumbles over, the words must answer
            self._why = _failed(LegFailure.EMBEDDER_FAILED, error)
        else:
            return _query_vector(embedder.model, text, vector)
        self._breaker.failed()
        return self._why

    async def _is_well(self) -> bool:
        """Whether the embedder answers in time again. It is first given all the time it wants, which a cold model needs."""
        if self._embedder is None:
            return False
        try:
            await self._embedder.embed([_ANY_TEXT])
            async with asyncio.timeout(self._timeout_s):
                await self._embedder.embed([_ANY_TEXT])
        except Exception:  # noqa: BLE001 - it is asked again after a pause
            return False
        log.info("leg.well", leg="vector")
        return True


def _query_vector(model: EmbedderModel, text: str, vector: Floats) -> QueryVector:
    return QueryVector(model.fingerprint, vector.tobytes(), _trust(model, text), _is_understood(model, text))


def _trust(model: EmbedderModel, text: str) -> float:
    return _STRANGE_SCRIPT if model.is_english and not is_mostly_latin(text) else 1.0


def _is_understood(model: EmbedderModel, text: str) -> bool:
    return not model.is_english or (is_mostly_latin(text) and may_be_english(search_words(text)))


def _failed(why: LegFailure, error: Exception) -> LegFailure:
    LEG_FAILURES.labels("vector").inc()
    reason = error.message if isinstance(error, MemstreamError) else type(error).__name__  # others may quote the question
    log.warning("leg.failed", leg="vector", why=why.value, reason=reason)
    return why
