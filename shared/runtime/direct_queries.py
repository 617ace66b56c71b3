"""Answers queries on subscriptions of its own: FastStream's layers take milliseconds of a processor for each.

For those that are asked all the time. Seen from outside they are as all others: errors, headers, metrics, places, the wait for
a service that is starting, the graceful end, and the document, for which a broker that is never started holds their handlers.
"""

import asyncio
import json
from collections.abc import Awaitable, Callable
from functools import partial
from itertools import product
from typing import Any, NamedTuple, TypeVar

from nats.aio.msg import Msg
from nats.aio.subscription import Subscription
from nats.errors import Error as NatsError
from pydantic import ValidationError

from shared.contracts.contract import Contract
from shared.contracts.problems import unfit_query
from shared.contracts.queries import Asked
from shared.contracts.subjects import GATE
from shared.runtime.asking import Asker
from shared.runtime.connection import Client
from shared.runtime.ids import new_token
from shared.runtime.logs import log
from shared.runtime.metrics import QUERY_SECONDS
from shared.runtime.passing_on import PassingOn
from shared.runtime.places import Places, left_s, note_arrival
from shared.runtime.query_errors import counted_answer
from shared.runtime.tasks import end
from shared.runtime.tracing import traced

Q = TypeVar("Q", bound=Asked)
_CORRELATION = "correlation_id"
_DRAIN_S = 5.0
"""Seconds that taken queries have for their answers when the service stops."""


class _Direct(NamedTuple):
    """A kind of query, and what answers it."""

    kind: type[Asked]
    answer: Callable[[Asker, Any], Awaitable[bytes]]

    def read(self, data: bytes) -> Asked:
        """The query of a message. Raises a Rejected that says what is wrong with it."""
        try:
            document = json.loads(data)
        except ValueError:
            document = None
        try:
            return self.kind.model_validate(document)
        except ValidationError as error:
            raise unfit_query(self.kind.query_name, error) from error


class DirectQueries:
    """Takes queries of these kinds from all bots, and shares them with other services of the same queue."""

    def __init__(
        self, queue: str, places: Places, until_open: Callable[[], Awaitable[None]], passing_on: PassingOn | None = None
    ) -> None:
        self._queue = queue
        self._passing_on = passing_on
        self._places = places
        self._until_open = until_open
        self._direct: list[_Direct] = []
        self._subscriptions: list[Subscription] = []
        self._answering: set[asyncio.Task[None]] = set()

    def add(self, kind: type[Q], answer: Callable[[Asker, Q], Awaitable[bytes]]) -> None:
        """Answer queries of a kind by this function, which returns the JSON of the answer."""
        self._direct.append(_Direct(kind, answer))

    async def open(self, client: Client) -> None:
        """Begin to take queries: of all bots on `ask.`, and of those that are limited to spaces behind the gate."""
        passed_on = self._passing_on.own if self._passing_on else None
        for direct, before in product(self._direct, ("", passed_on) if passed_on else ("",)):
            for gate in ("", f"{GATE}."):
                subject, take = f"{before}{gate}ask.*.*.{direct.kind.query_name}", partial(self._take, client, direct)
                self._subscriptions.append(await client.subscribe(subject, queue=self._queue, cb=take))

    async def close(self) -> None:
        """Take no more queries, and answer those that were taken, as far as a few seconds allow."""
        subscriptions, self._subscriptions = self._subscriptions, []
        try:
            for subscription in subscriptions:
                await subscription.drain()  # type: ignore[no-untyped-call] # of nats-py
        finally:
            if self._answering:
                await asyncio.wait(self._answering, timeout=_DRAIN_S)
            await end(self._answering)

    async def _take(self, client: Client, direct: _Direct, message: Msg) -> None:
        task = asyncio.create_task(self._answer(client, direct, message))
        self._answering.add(task)
        task.add_done_callback(self._answering.discard)

    async def _answer(self, client: Client, direct: _Direct, message: Msg) -> None:
        note_arrival()
        try:
            reply = await self._passing_on.answered(client, message) if self._passing_on else None
            if reply is None:
                name = direct.kind.query_name
                with QUERY_SECONDS.labels(name).time(), traced(f"ask {name}", message.headers):
                    reply = await self._reply(direct, message)
        except Exception as error:  # noqa: BLE001 - whoever asks is told, so that they need not wait for a timeout
            reply = encoded(counted_answer(error, direct.kind.query_name))
        await reply_to(message, reply)

    async def _reply(self, direct: _Direct, message: Msg) -> bytes:
        *_, space, user, kind = message.subject.split(".")
        async with self._places.of(space, kind, user):
            await self._until_open()
            query = direct.read(message.data)
            left_s(query.timeout_s)  # of whom it is over, nobody waits any more
            return await direct.answer(Asker.of(message.subject, message.headers), query)


def encoded(answer: Contract) -> bytes:
    """An answer as JSON."""
    return answer.__pydantic_serializer__.to_json(answer)  # as `model_dump_json`, which makes a string of it first


async def reply_to(asked: Msg, reply: bytes) -> None:
    """Answer a query with the headers that FastStream's answers have, where its sender asks for it."""
    if not asked.reply:
        return
    correlation = (asked.headers or {}).get(_CORRELATION) or new_token()
    headers = {"content-type": "application/json", _CORRELATION: correlation}
    try:
        await asked._client.publish(asked.reply, reply, headers=headers)  # noqa: SLF001 - as `respond` does, with our headers
    except (NatsError, OSError) as error:
        log.warning("reply.lost", reason=type(error).__name__)
