"""Reads the log: all of it or some subjects, from any position, for ever or to its present end."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from typing import NamedTuple

from nats.errors import Error as NatsError
from nats.js import api
from nats.js.errors import NotFoundError

from shared.contracts.ids import Position, Scope
from shared.contracts.subjects import scope_of_subject
from shared.runtime.connection import Client, answering
from shared.runtime.eventlog.pull import ConsumerLost, Delivery, pull
from shared.runtime.ids import new_token
from shared.runtime.logs import log
from shared.runtime.topology import MEMORY

_BATCH = 1000
_API_TIMEOUT_S = 5.0
_INACTIVE_S = 30.0
_FIRST_BACKOFF_S = 0.05
_LONGEST_BACKOFF_S = 2.0


class Record(NamedTuple):
    """One event as it lies in the log, not decoded yet."""

    position: Position
    scope: Scope
    data: bytes
    headers: dict[str, str]


class LogReader:
    """Reads events in order, each exactly once, across lost connections and restarts of the server.

    Positions may be missing: erasure removes messages. What must not be missing is a scope's `number`.
    """

    def __init__(
        self, client: Client, *, after: int = 0, subjects: Sequence[str] = (), stream: str = MEMORY, batch: int = _BATCH
    ) -> None:
        self._client = client
        self._after = after
        self._subjects = list(subjects)
        self._stream = stream
        self._batch = batch
        self.pending = 0
        """Events that match and are not delivered yet: the lag of whoever reads."""

    async def batches(self) -> AsyncIterator[list[Record]]:
        """Yield events for ever. A batch counts as handled when the caller comes back for the next."""
        backoff_s = _FIRST_BACKOFF_S
        while True:
            try:
                async for batch in self._read():
                    backoff_s = _FIRST_BACKOFF_S
                    yield batch
                    self._after = batch[-1].position
            except (ConsumerLost, NatsError, TimeoutError, OSError) as error:
                if self._client.is_closed or isinstance(error, NotFoundError):
                    raise
                log.info("log_reader.restarted", stream=self._stream, after=self._after, reason=str(error))
                await asyncio.sleep(backoff_s)
                backoff_s = min(backoff_s * 2, _LONGEST_BACKOFF_S)

    async def to_end(self) -> AsyncIterator[list[Record]]:
        """Yield the events that are there now, and stop."""
        if not await self._count():
            return
        async for batch in self.batches():
            yield batch
            if self.pending == 0:
                return

    async def _count(self) -> int:
        with answering("the log did not answer"):
            consumer = await self._open()
        self.pending = consumer.num_pending or 0
        await self._close(consumer.name)
        return self.pending

    async def _read(self) -> AsyncIterator[list[Record]]:
        consumer = await self._open()
        self.pending = consumer.num_pending or 0
        try:
            async for deliveries in pull(self._client, stream=self._stream, consumer=consumer.name, batch=self._batch):
                self.pending = deliveries[-1].pending
                yield [_record(delivery) for delivery in deliveries]
        finally:
            await self._close(consumer.name)

    async def _open(self) -> api.ConsumerInfo:
        config = api.ConsumerConfig(
            name=new_token(),
            ack_policy=api.AckPolicy.NONE,
            deliver_policy=api.DeliverPolicy.BY_START_SEQUENCE,
            opt_start_seq=self._after + 1,
            filter_subjects=self._subjects or None,
            mem_storage=True,
            num_replicas=1,
            inactive_threshold=_INACTIVE_S,
        )
        return await self._client.jetstream(timeout=_API_TIMEOUT_S).add_consumer(self._stream, config)

    async def _close(self, consumer: str) -> None:
        if self._client.is_connected:
            try:
                await self._client.jetstream(timeout=1.0).delete_consumer(self._stream, consumer)
            except (NatsError, TimeoutError, OSError):
                log.debug("log_reader.consumer_left", consumer=consumer)  # the server drops it after 30 idle seconds


def _record(delivery: Delivery) -> Record:
    return Record(Position(delivery.sequence), scope_of_subject(delivery.subject), delivery.data, delivery.headers)
