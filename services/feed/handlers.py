"""Requests that the feed answers: those of readers, and the operator's."""

# Without `from __future__ import annotations`: FastStream 0.7 resolves the parameters of nested handlers at definition.

from collections.abc import Awaitable, Callable
from typing import Any

from faststream.nats import NatsRouter

from shared.contracts.following import EventsAnswer, EventsQuery, FollowedEvent
from shared.contracts.ids import Space
from shared.runtime.broker import read_space
from shared.runtime.comparing import CompareRequest

_MOST_AT_ONCE = 10_000
"""Requests that are answered at once: they mostly wait for what is to come."""


def make_router(page: Callable[[Space, EventsQuery], Awaitable[EventsAnswer]]) -> NatsRouter:
    """The handler of readers' requests, and what the AsyncAPI document says of the events that are told live."""
    router = NatsRouter()

    @router.subscriber("read.{space}.events", queue="feed", max_workers=_MOST_AT_ONCE)
    async def events(query: EventsQuery) -> EventsAnswer:
        """The events of a space after a position, for its readers."""
        return await page(read_space(), query)

    router.publisher(
        "events.{space}.{user}.{event}",
        title="events.{space}.{user}.{event}",
        description="Every event of a space when it is recorded, for its readers. What nobody hears is read later.",
        schema=FollowedEvent,
    )
    return router


def make_operators_router(
    begin: Callable[[], Awaitable[None]],
    digests: Callable[[], Awaitable[dict[str, Any]]],
    compare: Callable[[CompareRequest], Awaitable[dict[str, Any]]],
) -> NatsRouter:
    """The handlers of the operator's requests."""
    router = NatsRouter()

    @router.subscriber("admin.feed.begin")
    async def to_begin() -> dict[str, bool]:
        """Follow the log from now on: there is a reader."""
        await begin()
        return {"follows": True}

    router.subscriber("admin.feed.digests")(digests)
    router.subscriber("admin.feed.compare")(compare)
    return router
