"""Sends what a bot says, or keeps it in the outbox until the server is back."""

import asyncio
import logging

from memstream._contracts import MemstreamError, NotConnected, Unavailable
from memstream.client.outbox import Letter, OutboxFile
from memstream.client.wire import Wire

_log = logging.getLogger("memstream")
_SENT_WITHIN_S = 5.0
_CLOSING_S = 2.0
_FIRST_PAUSE_S = 0.1
_LONGEST_PAUSE_S = 1.0
_MOST_REMEMBERED = 10_000


class Courier:
    """Keeps the order: while anything waits in the outbox, what comes waits behind it."""

    def __init__(self, wire: Wire, outbox: OutboxFile, *, connect_timeout_s: float | None) -> None:
        self._wire = wire
        self._outbox = outbox
        self._connect_timeout_s = connect_timeout_s
        self._draining = asyncio.Lock()
        self._task: asyncio.Task[None] | None = None
        self._sequences: dict[str, int] = {}

    @property
    def waiting(self) -> int:
        """How many messages wait."""
        return len(self._outbox)

    async def open(self) -> None:
        """Connect, or go on trying in the background. Raises Misconfigured if the server or the outbox refuses."""
        self._outbox.open()
        try:
            await self._wire.open(self._connect_timeout_s)
        except NotConnected:
            raise
        except Unavailable:
            self._wire.begin_away()
        if len(self._outbox) or not self._wire.is_connected:
            self._begin()

    async def close(self) -> None:
        """Send what waits if that is quick; the rest stays in the file."""
        if self._task:
            self._task.cancel()
        try:
            if self._wire.is_connected:
                async with asyncio.timeout(_CLOSING_S):
                    await self.drain()
        except (MemstreamError, TimeoutError) as error:
            _log.warning("outbox.left: %s messages wait: %s", self.waiting, type(error).__name__)
        finally:
            self._outbox.close()

    async def send(self, letter: Letter) -> int:
        """The sequence of the message; 0 if it waits in the outbox. Raises Unavailable if that is full."""
        self._wire.require_home()
        if not len(self._outbox):
            try:
                return await self._publish(letter)
            except Unavailable:
                _log.info("outbox.filled: the server is away")
        self._outbox.add(letter)
        self._begin()
        return 0

    async def drain(self) -> None:
        """Send all that waits, in order. Raises Unavailable."""
        async with self._draining:
            while len(self._outbox):
                letter = self._outbox.first()
                self._sequences[letter.message_id] = await self._publish(letter)
                self._outbox.remove_first()
                if len(self._sequences) > _MOST_REMEMBERED:
                    del self._sequences[next(iter(self._sequences))]

    def sequence_of(self, message_id: str) -> int | None:
        """The sequence of a message that waited, if it was sent since the start."""
        return self._sequences.get(message_id)

    async def _publish(self, letter: Letter) -> int:
        payload = letter.payload.encode()
        return await self._wire.publish(letter.subject, payload, headers=letter.headers, timeout_s=_SENT_WITHIN_S)

    def _begin(self) -> None:
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._go_on(), name="outbox")

    async def _go_on(self) -> None:
        """Connect and send until nothing waits any more."""
        pause_s = _FIRST_PAUSE_S
        while True:
            try:
                await self._wire.open_again(self._connect_timeout_s)
                await self.drain()
            except MemstreamError as error:
                _log.info("outbox.waits: %s: %s", type(error).__name__, error.message)
            else:
                return
            await asyncio.sleep(pause_s)
            pause_s = min(pause_s * 2, _LONGEST_PAUSE_S)
