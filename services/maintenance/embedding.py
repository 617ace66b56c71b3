"""Embeds what is new, in batches by size and age, and sends each vector to be recorded."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from services.maintenance.settings import MaintenanceSettings
from services.maintenance.store import MaintenanceStore, Unembedded
from shared.contracts.commands import AttachEmbedding
from shared.contracts.envelope import Envelope
from shared.contracts.errors import Unavailable
from shared.contracts.events import EpisodeRecorded, FactCorrected, FactRemembered
from shared.contracts.ids import MessageId, Space, User
from shared.contracts.subjects import work_subject
from shared.domain.indexed import text_to_embed
from shared.domain.moments import microseconds
from shared.domain.vectors import pack
from shared.runtime.clock import Clock
from shared.runtime.connection import Client
from shared.runtime.embedders.port import Embedder
from shared.runtime.eventlog.read import read_at
from shared.runtime.logs import log
from shared.runtime.metrics import EMBEDDING_BACKLOG, EMBEDDING_FAILURES, EMBEDDING_SECONDS
from shared.runtime.sending import publish

_MICROSECONDS = 1_000_000


class EmbeddingJob:
    """Works off the backlog; what was sent is not sent again until its event had time to come."""

    def __init__(
        self, client: Client, store: MaintenanceStore, embedder: Embedder, clock: Clock, settings: MaintenanceSettings
    ) -> None:
        self._client = client
        self._store = store
        self._embedder = embedder
        self._clock = clock
        self._settings = settings
        self._sent: dict[str, float] = {}  # memory id to the loop's time when its vector was sent
        self.changed = asyncio.Event()

    async def run(self) -> None:
        """Embed for ever."""
        while True:
            try:
                if await self._next_batch():
                    continue
            except Unavailable as error:
                EMBEDDING_FAILURES.inc()
                log.warning("embedding.postponed", reason=error.message)
                await asyncio.sleep(self._settings.retry_s)
                continue
            await self._wait()

    async def _wait(self) -> None:
        """Until something changed; then a moment more, so that a batch can fill."""
        self.changed.clear()
        try:
            async with asyncio.timeout(self._settings.resend_s):
                await self.changed.wait()
        except TimeoutError:
            return
        await asyncio.sleep(self._settings.batch_age_s)

    async def _next_batch(self) -> int:
        """Embed one batch; the number of memories embedded."""
        waiting = self._waiting()
        if not waiting:
            return 0
        events = await read_at(self._client, [memory.position for memory in waiting])
        there = [(memory, event) for memory, event in zip(waiting, events, strict=True) if event is not None]
        vectors = await self._embedder.embed([_text(event) for _, event in there])
        model = self._embedder.model.fingerprint
        for (memory, event), vector in zip(there, vectors, strict=True):
            await self._send(event, _attachment(memory, vector, model))
        self._observe(waiting)
        return len(waiting)

    def _waiting(self) -> list[Unembedded]:
        """The oldest memories without a vector, but for those whose vector is on its way."""
        now = asyncio.get_running_loop().time()
        self._sent = {memory: sent for memory, sent in self._sent.items() if now - sent < self._settings.resend_s}
        limit = self._settings.batch + len(self._sent)
        oldest = self._store.unembedded(self._embedder.model.fingerprint, limit)
        return [memory for memory in oldest if memory.memory_id not in self._sent][: self._settings.batch]

    async def _send(self, event: Envelope, command: AttachEmbedding) -> None:
        subject = work_subject(Space(event.space), User(event.user), command.what)
        await publish(self._client, subject, command.model_dump_json().encode())

    def _observe(self, embedded: Sequence[Unembedded]) -> None:
        sent_at, now = asyncio.get_running_loop().time(), microseconds(self._clock.now())
        for memory in embedded:
            self._sent[memory.memory_id] = sent_at
            EMBEDDING_SECONDS.observe(max(0, now - memory.recorded_at) / _MICROSECONDS)
        EMBEDDING_BACKLOG.set(self._store.backlog(self._embedder.model.fingerprint).memories)


def _attachment(memory: Unembedded, vector: NDArray[np.float32], model: str) -> AttachEmbedding:
    return AttachEmbedding(
        message_id=MessageId(f"{memory.memory_id}/{model}"), memory_id=memory.memory_id, embedding=pack(vector, model)
    )


def _text(event: Envelope) -> str:
    assert isinstance(event.data, EpisodeRecorded | FactRemembered | FactCorrected)  # noqa: S101 - the store keeps no other positions
    speaker = event.data.speaker if isinstance(event.data, EpisodeRecorded) else None
    return text_to_embed(speaker=speaker, text=event.data.text)
