"""The neighbours of a memory by their vectors, and the topics that they propose. Real server, real services."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

import pytest

from services.ingest.app import build as build_ingest
from services.maintenance.app import Maintenance
from services.maintenance.enrichment import EnrichmentJob
from services.maintenance.settings import MaintenanceSettings
from services.maintenance.store import MaintenanceStore
from services.retriever.app import Retriever
from services.retriever.settings import RetrieverSettings
from shared.contracts.commands import AttachEntities
from shared.contracts.errors import NotFound
from shared.runtime.embedders.factory import EmbedderSettings
from shared.runtime.embedders.hashing import hashing_embedder
from shared.runtime.projector import Projector
from shared.runtime.service import Service, run_services
from tests.support.installations import Bot, Installation, until

USER = "anna"
SETTINGS = MaintenanceSettings(batch_age_s=0, enrich_every_s=3600)
TEAS = ("Anna drinks green tea with milk", "Anna drinks black tea with milk", "Anna drinks white tea with milk")


@asynccontextmanager
async def services(*some: Service) -> AsyncIterator[None]:
    task = asyncio.create_task(run_services(some, version="test", http_port=None))
    try:
        await until(lambda: all(service.is_ready for service in some) or task.done(), what="the services are ready")
        yield
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task


async def remember(bot: Bot, text: str, *tags: str) -> str:
    sequence = await bot.send(USER, "remember_fact", {"text": text, "tags": list(tags)})
    outcome = await bot.outcome(USER, sequence=sequence)
    found = await bot.ask(USER, "list", {"kinds": ["fact"], "min_position": outcome.position})
    return next(str(memory["memory_id"]) for memory in found["items"] if memory["text"] == text)


async def similar(bot: Bot, memory_id: str, **more: object) -> dict[str, Any]:
    return await bot.ask(USER, "similar", {"memory_id": memory_id, **more})


def retriever(server: Installation) -> Retriever:
    return Retriever(server.settings, RetrieverSettings(), hashing_embedder())


async def embedded(bot: Bot, *memory_ids: str) -> None:
    async def complete() -> bool:
        return all([(await similar(bot, memory_id))["model"] for memory_id in memory_ids])

    await until(complete, what="every fact has a vector")


@pytest.fixture
def maintenance(own_server: Installation) -> Maintenance:
    return Maintenance(own_server.settings, SETTINGS, EmbedderSettings(kind="hashing"))


async def test_the_nearest_memories_come_with_their_cosine(own_server: Installation, maintenance: Maintenance) -> None:
    running = services(build_ingest(own_server.settings), retriever(own_server), maintenance)
    async with running, own_server.connected("bot") as client:
        bot = Bot(client, "home")
        ids = [await remember(bot, text) for text in (*TEAS, "The boat has a leak")]
        await bot.said(USER, "Anna drinks green tea with milk")
        await embedded(bot, *ids)
        answer = await similar(bot, ids[0], kinds=["fact"], limit=3)
        assert [item["memory_id"] for item in answer["items"]][2] == ids[3]
        cosines = [item["cosine_similarity"] for item in answer["items"]]
        assert cosines == sorted(cosines, reverse=True)
        assert cosines[1] > 0.6 > cosines[2]
        assert len((await similar(bot, ids[0], limit=1))["items"]) == 1
        for user, memory_id in ((USER, "fact_unknown"), ("ben", ids[0])):
            with pytest.raises(NotFound):
                await bot.ask(user, "similar", {"memory_id": memory_id})


async def test_neighbours_propose_what_they_share(own_server: Installation, maintenance: Maintenance, tmp_path: Path) -> None:
    async with services(retriever(own_server), maintenance):
        async with own_server.connected("bot") as client, services(build_ingest(own_server.settings)):
            bot = Bot(client, "home")
            for text in TEAS[1:]:
                await remember(bot, text, "tea", "hot drink")
            few = await remember(bot, TEAS[0])
            await remember(bot, "The boat has a leak", "harbour", "sailing")
            await embedded(bot, few)
        found = await proposed(own_server, tmp_path)
        assert (found.memory_id, set(found.tags), found.method) == (few, {"tea", "hot drink"}, "neighbours/1")
        assert 0.6 <= found.metadata_confidence <= 1
        assert await proposed(own_server, tmp_path / "again") == found  # after a crash: the same, by the same message_id


async def proposed(server: Installation, folder: Path) -> AttachEntities:
    """What a maintenance of an empty folder sends about the one fact without topics."""
    store = MaintenanceStore(folder / "maintenance")
    try:
        async with server.connected("maintenance") as client:
            await Projector(client, store, live=False).catch_up()
            job = EnrichmentJob(client, store, hashing_embedder().model.fingerprint, SETTINGS)
            assert await job.next_batch() == 1
            assert await job.next_batch() == 0
        async with server.connected("operator") as operator:
            last = await operator.jetstream().get_last_msg("SEND", "work.*.home.anna.attach_entities")
            return AttachEntities.model_validate(json.loads(last.data or b""))
    finally:
        store.close()
