"""FastStream carries the queries of every service: handlers, validation, errors, metrics, AsyncAPI.

The same connection serves nats-py for the log. Streams are never declared from here.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from contextvars import ContextVar
from functools import partial
from types import TracebackType
from typing import Any, TypeAlias

from faststream import BaseMiddleware, ExceptionMiddleware, StreamMessage
from faststream.exceptions import SkipMessage
from faststream.nats import NatsBroker, NatsRouter
from faststream.security import SASLPlaintext
from pydantic import ValidationError

from shared.contracts.errors import Unavailable
from shared.contracts.ids import Space
from shared.contracts.problems import unfit_query
from shared.contracts.queries import QUERIES, ErrorAnswer
from shared.contracts.subjects import GATE, decode_token
from shared.runtime.asking import Asker
from shared.runtime.connection import Client, server_urls, service_options
from shared.runtime.direct_queries import DirectQueries, encoded, reply_to
from shared.runtime.gate import sender_of
from shared.runtime.logs import log
from shared.runtime.metrics import QUERY_SECONDS
from shared.runtime.passing_on import PassingOn
from shared.runtime.person_keys import PersonKeys, lend
from shared.runtime.places import Places, note_arrival
from shared.runtime.query_errors import counted_answer, error_answer
from shared.runtime.settings import RuntimeSettings
from shared.runtime.spending import ModelPrice, know_prices
from shared.runtime.tracing import open_traces, query_middlewares

_DRAIN_S = 5.0
_OPENING_S = 1.5
"""Seconds; less than a bot waits for an answer by default."""

_OF_A_PERSON = 16
"""Queries of one kind that are answered at once, of each person."""
_MOST_AT_ONCE = 10_000
"""The same of all spaces: they mostly wait, and what they read with is bounded elsewhere."""

EVENTS_QUERY = "events"
"""What readers ask, on `read.`; its handler is called so."""

_CallNext: TypeAlias = Callable[[StreamMessage[Any]], Awaitable[Any]]
_subject: ContextVar[str] = ContextVar("subject")  # of the query that the current task handles
_headers: ContextVar[Mapping[str, str] | None] = ContextVar("headers", default=None)


class QueryBroker(NatsBroker):
    """A broker whose queries are answered by FastStream, or directly where they are asked all the time."""

    direct: DirectQueries
    documented: NatsBroker
    """Never started: holds the handlers of direct queries for the AsyncAPI document."""

    passing_on: PassingOn | None = None
    person_keys: PersonKeys
    """With which the events are opened that this connection reads."""

    async def connect(self) -> Client:
        """Connect to the server."""
        client = await super().connect()
        lend(client, self.person_keys)
        return client

    async def start(self) -> None:
        """Begin to answer."""
        await super().start()
        await self.direct.open(self.connection)
        if self.passing_on:
            await self.passing_on.open(self.connection)

    async def stop(
        self,
        exc_type: type[BaseException] | None = None,
        exc_val: BaseException | None = None,
        exc_tb: TracebackType | None = None,
    ) -> None:
        """Take no more queries, and answer those that were taken."""
        try:
            await self.direct.close()
        finally:
            await super().stop(exc_type, exc_val, exc_tb)


def make_broker(
    settings: RuntimeSettings,
    user: str,
    description: str,
    *,
    opened: asyncio.Event | None = None,
    passing_on: PassingOn | None = None,
) -> QueryBroker:
    """A broker for this user of the server, not connected yet. Bots' queries wait a moment until `opened` is set.

    `passing_on`: which queries are others' to answer.
    """
    know_prices({model: ModelPrice(*price) for model, price in settings.model_prices.items()})
    if settings.otel_endpoint:
        open_traces(settings.otel_endpoint)
    options = service_options(settings, user)
    security = SASLPlaintext(username=options.pop("user"), password=options.pop("password"))
    urls, places = server_urls(settings), Places(_OF_A_PERSON)
    broker = QueryBroker(
        urls,
        name=f"memstream-{user}",
        description=description,
        security=security,
        logger=None,
        graceful_timeout=_DRAIN_S,
        middlewares=[
            *([_passes_on(passing_on)] if passing_on else []),
            _TimesQueries,
            *query_middlewares(),
            *(_answers_errors(), _takes_place(places)),
            *([_waits_for(opened)] if opened else []),
        ],
        error_cb=_log_connection_error,
        **options,
    )
    broker.direct = DirectQueries(user, places, partial(_until_set, opened), passing_on)
    broker.passing_on = passing_on
    broker.person_keys = PersonKeys(settings.files.person_keys)
    broker.documented = NatsBroker(urls, description=description, security=security, logger=None)
    return broker


def _answers_errors() -> ExceptionMiddleware:
    """Turns every error of a handler into a reply."""
    errors = ExceptionMiddleware()

    @errors.add_handler(ValidationError, publish=True)
    def invalid(error: ValidationError) -> ErrorAnswer:
        name = error.title.rstrip("_")  # FastStream names it after the handler; any other is our own fault
        return answer(unfit_query(name, error, depth=1) if name in {*QUERIES, EVENTS_QUERY} else error)

    def answer(error: Exception) -> ErrorAnswer:
        return counted_answer(error, _subject.get().rpartition(".")[2])

    errors.add_handler(Exception, publish=True)(answer)
    return errors


async def _until_set(opened: asyncio.Event | None) -> None:
    """Return when a service can answer, or after a moment: then the handler says that the service is starting."""
    if opened is not None and not opened.is_set():
        with suppress(TimeoutError):
            async with asyncio.timeout(_OPENING_S):
                await opened.wait()


def _waits_for(opened: asyncio.Event) -> type[BaseMiddleware]:
    """Has queries wait until their service can answer, a moment after the broker is started."""

    class _Waits(BaseMiddleware):
        async def consume_scope(self, call_next: _CallNext, msg: StreamMessage[Any]) -> Any:  # noqa: ANN401 - FastStream's own signature
            if not _subject.get().startswith("admin."):
                await _until_set(opened)
            return await call_next(msg)

    return _Waits


def _passes_on(passing_on: PassingOn) -> type[BaseMiddleware]:
    """Leaves the queries of other workers' people to them."""

    class _PassesOn(BaseMiddleware):
        async def consume_scope(self, call_next: _CallNext, msg: StreamMessage[Any]) -> Any:  # noqa: ANN401 - FastStream's own signature
            try:
                answer = await passing_on.answered(msg.raw_message._client, msg.raw_message)  # noqa: SLF001 - as `respond` does
            except Unavailable as error:
                answer = encoded(error_answer(error))
            if answer is None:
                return await call_next(msg)
            await reply_to(msg.raw_message, answer)
            raise SkipMessage  # with no reply of FastStream's

    return _PassesOn


def _takes_place(places: Places) -> type[BaseMiddleware]:
    """Have the queries of a person wait for each other, and for nobody else's of the same kind."""

    class _TakesPlace(BaseMiddleware):
        async def consume_scope(self, call_next: _CallNext, msg: StreamMessage[Any]) -> Any:  # noqa: ANN401 - FastStream's own signature
            async with places.of(*_group(_subject.get(), _headers.get() or {})):
                return await call_next(msg)

    return _TakesPlace


def _group(subject: str, headers: Mapping[str, str]) -> tuple[str, str, str]:
    """Return the space that a question is about, its kind, and the person or the reader who asks."""
    *_, space, user, kind = subject.split(".")
    return (space, kind, user) if space != "read" else (user, kind, sender_of(headers) or "")


def read_space() -> Space:
    """The space whose events are requested in what is being handled, from its subject. Raises InvalidToken."""
    return Space(decode_token(_subject.get().split(".")[1], "space"))


def asker() -> Asker:
    """The one who asks the query that is being handled, from its subject. Raises InvalidToken.

    FastStream's `Path()` does the same, but calls a thread for each parameter of each query.
    """
    return Asker.of(_subject.get(), _headers.get())


def answer_with(handler: Callable[..., Awaitable[Any]], router: NatsRouter, query: str, *, queue: str) -> None:
    """Answer a query by this function: of all bots on `ask.`, and of those that are limited to spaces behind the gate."""
    for before in ("", f"{GATE}."):
        subject = f"{before}ask.{{space}}.{{user}}.{query}"
        router.subscriber(subject, queue=queue, max_workers=_MOST_AT_ONCE, include_in_schema=not before)(handler)


class _TimesQueries(BaseMiddleware):
    """Measures how long each query takes, by the query's name: the subject would name users."""

    async def consume_scope(self, call_next: _CallNext, msg: StreamMessage[Any]) -> Any:  # noqa: ANN401 - FastStream's own signature
        started = time.perf_counter()
        _subject.set(msg.raw_message.subject)
        _headers.set(msg.raw_message.headers)
        note_arrival()
        try:
            return await call_next(msg)
        finally:
            query = str(msg.raw_message.subject).rsplit(".", 1)[-1]
            QUERY_SECONDS.labels(query).observe(time.perf_counter() - started)


async def _log_connection_error(error: Exception) -> None:
    log.warning("connection.disturbed", error=str(error) or type(error).__name__)
