"""ingest and the retriever, running in this process against a server of one's own."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass

from services.ingest.app import build as build_ingest
from services.retriever.app import Retriever
from services.retriever.settings import RetrieverSettings
from shared.contracts.ids import Space
from shared.runtime.embedders.port import Embedder
from shared.runtime.service import Service, run_services
from tests.support.installations import Bot, Installation, until


@dataclass
class Answering:
    """A running retriever, and a bot that asks it."""

    retriever: Retriever
    bot: Bot


@asynccontextmanager
async def answering(
    server: Installation, *, space: str, settings: RetrieverSettings | None = None, embedder: Embedder | None = None
) -> AsyncIterator[Answering]:
    """Both services, ready."""
    retriever = Retriever(server.settings, settings or RetrieverSettings(), embedder)
    services: list[Service] = [build_ingest(server.settings), retriever]
    task = asyncio.create_task(run_services(services, version="test", http_port=None))
    try:
        await until(lambda: all(service.is_ready for service in services) or task.done(), what="the services are ready")
        async with server.connected("bot") as client:
            yield Answering(retriever, Bot(client, Space(space)))
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task
