"""Batches texts that come while a model is busy: it reads its weights once for all of them."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from itertools import accumulate, pairwise

from shared.runtime.embedders.port import Vectors

_MOST_TEXTS = 32


class TextBatcher:
    """Calls a model once at a time, with all texts that wait. Calls side by side would take the cores from each other.

    Measured with minilm: sixteen questions take as long as four or five one after another.
    """

    def __init__(self, embed: Callable[[list[str]], Awaitable[Vectors]]) -> None:
        self._embed = embed
        self._waiting: list[tuple[list[str], asyncio.Future[Vectors]]] = []
        self._working: asyncio.Task[None] | None = None

    async def vectors_of(self, texts: Sequence[str]) -> Vectors:
        """The vectors of these texts. If the caller is cancelled before their batch begins, they are left out."""
        vectors: asyncio.Future[Vectors] = asyncio.get_running_loop().create_future()
        self._waiting.append((list(texts), vectors))
        if self._working is None or self._working.done():
            self._working = asyncio.create_task(self._work())
        return await vectors

    async def _work(self) -> None:
        while batch := self._next():
            try:
                made = await self._embed([text for texts, _ in batch for text in texts])
            except Exception as error:  # noqa: BLE001 - everyone who waits for it is told
                for _, vectors in batch:
                    if not vectors.done():
                        vectors.set_exception(error)
                continue
            bounds = accumulate((len(texts) for texts, _ in batch), initial=0)
            for (_, vectors), (begin, end) in zip(batch, pairwise(bounds), strict=True):
                if not vectors.done():
                    vectors.set_result(made[begin:end])

    def _next(self) -> list[tuple[list[str], asyncio.Future[Vectors]]]:
        """Take the next batch from the queue: the first call, and as many more as fit with it."""
        batch: list[tuple[list[str], asyncio.Future[Vectors]]] = []
        count = 0
        self._waiting = [(texts, vectors) for texts, vectors in self._waiting if not vectors.done()]
        while self._waiting and (not batch or count + len(self._waiting[0][0]) <= _MOST_TEXTS):
            batch.append(self._waiting.pop(0))
            count += len(batch[-1][0])
        return batch
