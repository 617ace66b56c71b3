"""FastStream carries the queries of every service: handlers, validation, errors, metrics, AsyncAPI.

The same connection serves nats-py for the log. Streams are never declared from here.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable
from contextlib import suppress
from contextvars import ContextVar
from typing import Any, TypeAlias

from faststream import BaseMiddleware, ExceptionMiddleware, StreamMessage
from faststream.nats import NatsBroker, NatsRouter
from faststream.security import SASLPlaintext
from pydantic import ValidationError

from shared.contracts.errors import Malformed, MemstreamError
from shared.contracts.problems import unfit_query
from shared.contracts.queries import QUERIES, ErrorAnswer
from shared.contracts.subjects import GATE, decode_names
from shared.runtime.asking import Asker
from shared.runtime.connection import server_url, service_options
from shared.runtime.logs import log
from shared.runtime.metrics import QUERY_SECONDS
from shared.runtime.places import Places
from shared.runtime.settings import RuntimeSettings

_DRAIN_S = 5.0
_OPENING_S = 1.5
"""Seconds; less than a bot waits for an answer by default."""

_OF_A_SPACE = 64
"""Queries of one kind that are answered at once, of each space."""
_MOST_AT_ONCE = 10_000
"""The same of all spaces: they mostly wait, and what they read with is bounded elsewhere."""

_CallNext: TypeAlias = Callable[[StreamMessage[Any]], Awaitable[Any]]
_subject: ContextVar[str] = ContextVar("subject")  # of the query that the current task handles


def make_broker(settings: RuntimeSettings, user: str, description: str, *, opened: asyncio.Event | None = None) -> NatsBroker:
    """A broker for this user of the server, not connected yet. Bots' queries wait a moment until `opened` is set."""
    options = service_options(settings, user)
    security = SASLPlaintext(username=options.pop("user"), password=options.pop("password"))
    return NatsBroker(
        server_url(settings),
        name=f"memstream-{user}",
        description=description,
        security=security,
        graceful_timeout=_DRAIN_S,
        middlewares=[_TimesQueries, _answers_errors(), _takes_place(), *([_waits_for(opened)] if opened else [])],
        logger=None,
        error_cb=_log_connection_error,
        **options,
    )


def _answers_errors() -> ExceptionMiddleware:
    """Turns every error of a handler into a reply, so that whoever asks need not wait for a timeout."""
    errors = ExceptionMiddleware()

    @errors.add_handler(MemstreamError, publish=True)
    def known(error: MemstreamError) -> ErrorAnswer:
        return ErrorAnswer.of(error)

    def unknown(error: Exception) -> ErrorAnswer:
        log.error("query.failed", exc_info=error)
        return ErrorAnswer.of(MemstreamError("the query failed inside memstream; its log says why"))

    @errors.add_handler(ValidationError, publish=True)
    def invalid(error: ValidationError) -> ErrorAnswer:
        name = error.title.rstrip("_")  # FastStream names it after the handler; any other is our own fault
        return ErrorAnswer.of(unfit_query(name, error, depth=1)) if name in QUERIES else unknown(error)

    @errors.add_handler(RecursionError, publish=True)
    def too_deep(error: RecursionError) -> ErrorAnswer:
        log.warning("query.too_deep", exc_info=error)  # the reader of JSON goes down a level for each bracket
        return ErrorAnswer.of(Malformed("the query is nested too deeply"))

    errors.add_handler(Exception, publish=True)(unknown)
    return errors


def _waits_for(opened: asyncio.Event) -> type[BaseMiddleware]:
    """Has queries wait until their service can answer, a moment after the broker is started."""

    class _Waits(BaseMiddleware):
        async def consume_scope(self, call_next: _CallNext, msg: StreamMessage[Any]) -> Any:  # noqa: ANN401 - FastStream's own signature
            if not opened.is_set() and not _subject.get().startswith("admin."):
                with suppress(TimeoutError):  # then the handler says that the service is starting
                    async with asyncio.timeout(_OPENING_S):
                        await opened.wait()
            return await call_next(msg)

    return _Waits


def _takes_place() -> type[BaseMiddleware]:
    """Has the queries of a space wait for each other, and for nobody else's of the same kind."""
    places = Places(_OF_A_SPACE)

    class _TakesPlace(BaseMiddleware):
        async def consume_scope(self, call_next: _CallNext, msg: StreamMessage[Any]) -> Any:  # noqa: ANN401 - FastStream's own signature
            *_, space, _, query = _subject.get().rsplit(".", 3)
            async with places.of((space, query)):
                return await call_next(msg)

    return _TakesPlace


def asker() -> Asker:
    """The one who asks the query that is being handled, from its subject. Raises InvalidToken.

    FastStream's `Path()` does the same, but calls a thread for each parameter of each query.
    """
    *before, space, user, _ = _subject.get().split(".")
    return Asker(*decode_names(space, user), by_number=before[0] == GATE)


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
        try:
            return await call_next(msg)
        finally:
            query = str(msg.raw_message.subject).rsplit(".", 1)[-1]
            QUERY_SECONDS.labels(query).observe(time.perf_counter() - started)


async def _log_connection_error(error: Exception) -> None:
    log.warning("connection.disturbed", error=str(error) or type(error).__name__)
