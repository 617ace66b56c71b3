"""The composition root of the feed."""

import asyncio
from contextlib import suppress
from typing import Any

from services.feed.handlers import make_operators_router, make_router
from services.feed.live import tell_live
from services.feed.pages import Pages
from services.feed.store import FeedStore
from shared.contracts.errors import Unavailable
from shared.contracts.following import EventsAnswer, EventsQuery
from shared.contracts.ids import Space
from shared.runtime.broker import QueryBroker, make_broker
from shared.runtime.comparing import LIVE_PATIENCE_S, CompareRequest
from shared.runtime.credentials import load_credentials
from shared.runtime.keys import load_keys
from shared.runtime.measured import answer_measured
from shared.runtime.projector import Projector
from shared.runtime.rebuilding import remove_leftovers
from shared.runtime.retries import retry_while_unavailable
from shared.runtime.settings import RuntimeSettings
from shared.runtime.tasks import in_thread, run_until_one_ends
from shared.runtime.topology import check_streams
from shared.runtime.worklist_comparing import WorklistComparison

_BEGINS_S = 2.0
"""Seconds that whoever asks first waits for it to begin; most logs are read by then."""

_LINGER_S = 0.02
"""Seconds by which it follows the log late, in fewer batches: what live readers hear does not wait for it."""


class Feed:
    """The service. As long as nobody may read and nobody has read, it follows nothing, and costs nothing."""

    name = "feed"

    def __init__(self, runtime: RuntimeSettings) -> None:
        self._runtime = runtime
        self._keys = load_keys(runtime.files.keys)
        self._folder = runtime.files.projection(self.name)
        remove_leftovers(self._folder)
        self._store: FeedStore | None = None
        self._pages: Pages | None = None
        self._opened = asyncio.Event()
        self._wanted = asyncio.Event()
        if self._folder.exists() or load_credentials(runtime.files.credentials).readers:
            self._wanted.set()
        description = "Hands the events of a space to its readers."
        self.broker: QueryBroker = make_broker(runtime, self.name, description)
        self.broker.include_router(make_router(self._page))
        self.broker.include_router(make_operators_router(self._begin, self._digests, self._compare))
        answer_measured(self.broker, self.name)

    @property
    def is_ready(self) -> bool:
        """True when it has caught up with the log, or need not."""
        return self._opened.is_set() or not self._wanted.is_set()

    async def warm(self) -> None:
        """Load nothing: whoever follows is in no hurry."""

    async def run(self) -> None:
        """Follow the log from when there is a reader, until cancelled."""
        client = self.broker.connection
        await retry_while_unavailable(lambda: check_streams(client, self._keys))
        await self._wanted.wait()
        self._store = store = await in_thread(FeedStore, self._folder, self._keys.digester)
        try:
            projector = Projector(client, store)
            await retry_while_unavailable(projector.catch_up)
            self._pages = Pages(client, store, self._keys, projector.progress)
            self._opened.set()
            live = tell_live(client, self._keys, after=projector.progress.position)
            await run_until_one_ends(projector.run(linger_s=_LINGER_S), live)
        finally:
            self._opened.clear()
            store.close()

    async def _begin(self) -> None:
        self._wanted.set()

    async def _page(self, space: Space, query: EventsQuery) -> EventsAnswer:
        self._wanted.set()
        with suppress(TimeoutError):
            async with asyncio.timeout(_BEGINS_S):
                await self._opened.wait()
        if self._pages is None or not self._opened.is_set():
            raise Unavailable("the feed is still reading the log; try again")
        return await self._pages.page(space, query)

    async def _digests(self) -> dict[str, Any]:
        """The digests of what is followed."""
        return await in_thread(self._opened_store().digests)

    async def _compare(self, request: CompareRequest) -> dict[str, Any]:
        """Compare the rows of these people with the log."""
        scratch, digester = self._runtime.files.scratch(self.name), self._keys.digester
        client = self.broker.connection
        comparison = WorklistComparison(client, self._opened_store(), lambda folder: FeedStore(folder, digester), scratch)
        return (await comparison.of(request, patience_s=LIVE_PATIENCE_S))._asdict()

    def _opened_store(self) -> FeedStore:
        if self._store is None or not self._opened.is_set():
            raise Unavailable("the feed follows nothing yet; try again")
        return self._store


def build(runtime: RuntimeSettings) -> Feed:
    """The feed with its settings from the environment."""
    return Feed(runtime)
