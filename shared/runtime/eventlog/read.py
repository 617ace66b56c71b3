"""Reads the log, or another stream: all of it or some subjects, from any position, for ever or to its present end."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import aclosing
from typing import Generic, NamedTuple, TypeVar

from nats.errors import Error as NatsError
from nats.js import api
from nats.js.errors import NotFoundError

from shared.contracts.envelope import Envelope
from shared.contracts.errors import Unavailable
from shared.contracts.events import decode
from shared.contracts.ids import Position, Scope, Slot
from shared.contracts.subjects import scope_of_subject, slot_of_subject
from shared.runtime.connection import Client, answering
from shared.runtime.eventlog.leader import is_clustered, last_of_leader, stored
from shared.runtime.eventlog.new_event import ID_HEADER
from shared.runtime.eventlog.pull import HEARTBEAT_S, ConsumerLost, Delivery, pull
from shared.runtime.ids import new_token
from shared.runtime.logs import log
from shared.runtime.person_keys import keys_of
from shared.runtime.retries import Backoff
from shared.runtime.topology import MEMORY

M = TypeVar("M")
_BATCH = 1000
_API_TIMEOUT_S = 5.0
_API_TIMEOUT_IN_CLUSTER_S = 2.0
"""A cluster may have a server make a consumer that died a moment ago; the next try is another server's."""
_HEARTBEAT_IN_CLUSTER_S = 1.0
"""A consumer dies with its server, of which only its silence tells."""
_INACTIVE_S = 30.0
_SILENCE_S = 4.0
_FIRST_BACKOFF_S = 0.05
_LONGEST_BACKOFF_S = 2.0


class Record(NamedTuple):
    """One event as it lies in the log, not decoded yet."""

    position: Position
    scope: Scope
    data: bytes
    headers: dict[str, str]
    slot: Slot | None = None


class MessageReader(Generic[M]):
    """Reads a stream in order, each message exactly once, across lost connections and restarts of the server.

    Every reader has a consumer of its own, so readers do not take messages from each other. Sequences may be missing: erasure
    and purges remove messages.
    """

    def __init__(
        self,
        client: Client,
        stream: str,
        *,
        after: int = 0,
        subjects: Sequence[str] = (),
        batch: int = _BATCH,
        name: str = "reader",
        headers_only: bool = False,
    ) -> None:
        self._client = client
        self._stream = stream
        self._after = after
        self._subjects = list(subjects)
        self._batch = batch
        self._name = name
        self._headers_only = headers_only
        self._delivered = after  # the last sequence that the caller was given
        self._end = 0  # of a cluster, the last sequence that its leader has
        self.pending = 0
        """Matching messages that are not delivered yet: the lag of the reader."""
        self.consumer: str | None = None
        """Name of the reader's consumer while it reads."""
        self.handled = 0
        """How many messages of this consumer the caller has handled."""
        self.on_restart: Callable[[], Awaitable[object]] | None = None
        """Called before it reads on after a lost connection: the stream may be another one by then."""

    def _message(self, delivery: Delivery) -> M | None:
        """What a message says; None where that was erased."""
        raise NotImplementedError

    async def batches(self, *, linger_s: float = 0.0) -> AsyncGenerator[list[M]]:
        """Yield messages for ever. A batch counts as handled when the caller asks for the next.

        With `linger_s` a batch that is not full waits so long for more.
        """
        async with aclosing(self._batches(None, linger_s)) as batches:
            async for batch in batches:
                if batch:
                    yield batch

    async def _batches(self, consumer: api.ConsumerInfo | None, linger_s: float = 0.0) -> AsyncGenerator[list[M]]:
        """As `batches`, at first with `consumer`; a batch of which all was erased is empty."""
        backoff = Backoff(first_s=_FIRST_BACKOFF_S, longest_s=_LONGEST_BACKOFF_S)
        restarted = False
        while True:
            try:
                if restarted and self.on_restart:
                    await self.on_restart()
                async with aclosing(self._read(consumer, linger_s)) as batches:
                    consumer = None
                    async for batch in batches:
                        backoff.succeeded()
                        self._delivered = batch[-1].sequence
                        yield [message for each in batch if (message := self._message(each)) is not None]
                        self._after = self._delivered
                        self.handled += len(batch)
            except (ConsumerLost, Unavailable, NatsError, TimeoutError, OSError) as error:
                if self._client.is_closed or isinstance(error, NotFoundError):
                    raise
                log.info("reader.restarted", stream=self._stream, after=self._after, reason=str(error))
                await asyncio.sleep(backoff.failed(error))
                restarted = True

    async def to_end(self) -> AsyncGenerator[list[M]]:
        """Yield the messages that are in the stream now, and stop. Raises Unavailable.

        A message that is erased meanwhile never comes, so after a silence the remaining ones are counted again.
        """
        while consumer := await self._begin():
            async with aclosing(self._batches(consumer)) as batches:
                while (batch := await _within(_SILENCE_S, batches)) is not None:
                    if batch:
                        yield batch
                    if self.pending == 0 and self._delivered >= self._end:
                        self._after = self._delivered  # `batches`, closed now, cannot know that it was handled
                        return

    async def count(self) -> int:
        """Number of matching messages that are to be read now; of a cluster they are read for it. Raises Unavailable."""
        if is_clustered(self._client):
            async with aclosing(self.to_end()) as batches:
                return sum([len(batch) async for batch in batches])
        if consumer := await self._begin():
            await self._close(consumer.name)
        return self.pending

    async def _begin(self) -> api.ConsumerInfo | None:
        """Create a consumer of what is to be read now; None if there is nothing. Raises Unavailable."""
        with answering("the log did not answer"):
            if is_clustered(self._client):
                self._end = await last_of_leader(self._client, self._stream, self._subjects)
            consumer = await self._open()
        self.pending = consumer.num_pending or 0
        if self.pending or self._end > self._after:
            return consumer
        await self._close(consumer.name)
        return None

    async def _read(self, consumer: api.ConsumerInfo | None, linger_s: float) -> AsyncGenerator[list[Delivery]]:
        consumer = consumer or await self._open()
        self.pending = consumer.num_pending or 0
        self.consumer, self.handled = consumer.name, 0
        try:
            batches = pull(
                self._client,
                stream=self._stream,
                consumer=consumer.name,
                batch=self._batch,
                linger_s=linger_s,
                heartbeat_s=_HEARTBEAT_IN_CLUSTER_S if is_clustered(self._client) else HEARTBEAT_S,
            )
            async for batch in batches:
                self.pending = batch[-1].pending
                yield batch
        finally:
            self.consumer = None
            await self._close(consumer.name)

    async def _open(self) -> api.ConsumerInfo:
        config = api.ConsumerConfig(
            name=f"{self._name}-{new_token()}",
            ack_policy=api.AckPolicy.NONE,
            deliver_policy=api.DeliverPolicy.BY_START_SEQUENCE,
            opt_start_seq=self._after + 1,
            filter_subjects=self._subjects or None,
            headers_only=self._headers_only or None,
            mem_storage=True,
            num_replicas=1,
            inactive_threshold=_INACTIVE_S,
        )
        timeout_s = _API_TIMEOUT_IN_CLUSTER_S if is_clustered(self._client) else _API_TIMEOUT_S
        return await self._client.jetstream(timeout=timeout_s).add_consumer(self._stream, config)

    async def _close(self, consumer: str) -> None:
        if self._client.is_connected:
            try:
                await self._client.jetstream(timeout=1.0).delete_consumer(self._stream, consumer)
            except (NatsError, TimeoutError, OSError):
                log.debug("reader.consumer_left", consumer=consumer)  # the server drops it after 30 idle seconds


async def _within(seconds: float, batches: AsyncGenerator[list[M]]) -> list[M] | None:
    """The next batch; None if none comes within this time, after which the generator is exhausted."""
    try:
        async with asyncio.timeout(seconds):
            return await anext(batches)
    except TimeoutError:
        return None


class StreamReader(MessageReader[Delivery]):
    """Reads the messages of a stream as they were delivered."""

    def _message(self, delivery: Delivery) -> Delivery:
        return delivery


class LogReader(MessageReader[Record]):
    """Reads events in order, each exactly once. Positions may be missing, as erasure removes messages.

    What must not be missing is a scope's `number`.
    """

    def __init__(self, client: Client, *, after: int = 0, subjects: Sequence[str] = (), batch: int = _BATCH) -> None:
        super().__init__(client, MEMORY, after=after, subjects=subjects, batch=batch)
        self._keys = keys_of(client)
        self.unreadable: list[int] = []
        """Where events were met whose key is erased."""

    def _message(self, delivery: Delivery) -> Record | None:
        data = self._keys.opened(delivery.data, delivery.headers.get(ID_HEADER, ""), delivery.subject)
        if data is None:
            self.unreadable.append(delivery.sequence)
            return None
        scope, slot = scope_of_subject(delivery.subject), slot_of_subject(delivery.subject)
        return Record(Position(delivery.sequence), scope, data, delivery.headers, slot)


async def message_at(client: Client, stream: str, sequence: int) -> Delivery | None:
    """One message of a stream; None where it was erased. Raises Unavailable."""
    with answering(f"{stream} did not answer"):
        found = await stored(client, stream, sequence)
    if found is None or (data := _opened(client, found)) is None:
        return None
    return Delivery(sequence, 0, found.subject or "", data, dict(found.headers or {}), "", 0)


async def read_at(client: Client, positions: Sequence[int]) -> list[Envelope | None]:
    """The events at these positions, in their order; None where one was erased. Raises Unavailable or Poison."""

    async def one(position: int) -> Envelope | None:
        found = await stored(client, MEMORY, position)
        return None if found is None or (data := _opened(client, found)) is None else decode(data)

    with answering("the log did not answer"):
        return list(await asyncio.gather(*(one(position) for position in positions)))


def _opened(client: Client, found: api.RawStreamMsg) -> bytes | None:
    return keys_of(client).opened(found.data or b"", (found.headers or {}).get(ID_HEADER, ""), found.subject or "")
