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
from shared.contracts.events import MemoryEnriched
from shared.contracts.ids import Space, User
from shared.runtime.embedders.factory import EmbedderSettings
from shared.runtime.embedders.hashing import hashing_embedder
from shared.runtime.projector import Projector
from shared.runtime.service import Service, run_services
from tests.support.installations import Bot, Installation, events_of, until
from tests.support.scopes import KEYS

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


FEW = "Anna drinks tea"
TOLD = ("Anna always drinks tea", "Anna often drinks tea")
TOPICS = ("hot drink", "tea ceremony")


async def drinking(bot: Bot) -> str:
    """Two facts with topics that they share, one of another matter, and one with few topics, whose id comes back."""
    for text in TOLD:
        await remember(bot, text, *TOPICS)
    await remember(bot, "The boat has a leak", "harbour", "sailing")
    few = await remember(bot, FEW)
    await embedded(bot, few)
    return few


async def test_neighbours_propose_what_they_share(own_server: Installation, maintenance: Maintenance, tmp_path: Path) -> None:
    async with services(retriever(own_server), maintenance):
        async with own_server.connected("bot") as client, services(build_ingest(own_server.settings)):
            few = await drinking(Bot(client, "home"))
        found = await proposed(own_server, tmp_path)  # while ingest is down, what is sent stays
        assert (found.memory_id, found.method) == (few, "neighbours/1")
        assert set(TOPICS) <= set(found.tags)
        assert 0.6 <= found.metadata_confidence <= 1
        assert await proposed(own_server, tmp_path / "again") == found  # after a crash: the same, by the same message_id


async def proposed(server: Installation, folder: Path) -> AttachEntities:
    """What a maintenance of an empty folder sends about the one fact with few topics."""
    store = MaintenanceStore(folder / "maintenance", KEYS.digester)
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


async def test_what_neighbours_propose_is_recorded_once(own_server: Installation) -> None:
    often = Maintenance(
        own_server.settings, SETTINGS.model_copy(update={"enrich_every_s": 0.05}), EmbedderSettings(kind="hashing")
    )
    running = services(build_ingest(own_server.settings), retriever(own_server), often)
    async with running, own_server.connected("bot") as client, own_server.connected("operator") as operator:
        few = await drinking(Bot(client, "home"))
        scope = own_server.keys.scope_of(Space("home"), User(USER))

        async def enriched() -> list[MemoryEnriched]:
            found = [event.data for event in await events_of(operator, scope, USER)]
            return [data for data in found if isinstance(data, MemoryEnriched)]

        async def is_recorded() -> bool:
            return bool(await enriched())

        await until(is_recorded, what="the topics are in the log")
        await remember(Bot(client, "home"), "The boat has a new mast", "harbour", "sailing")
        [recorded] = await enriched()
        assert (recorded.memory_id, set(recorded.added_tags)) == (few, set(TOPICS))
