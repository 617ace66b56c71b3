"""The nightly job has memories that mention little read for names, once each, and what it found goes with the memory."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from services.feed.app import build as build_feed
from services.ingest.app import build as build_ingest
from services.maintenance.app import Maintenance
from services.maintenance.settings import MaintenanceSettings
from services.maintenance.store import MaintenanceStore
from services.retriever.app import build as build_retriever
from shared.contracts.events import MemoryEnriched
from shared.contracts.ids import Space, User
from shared.runtime.embedders.factory import EmbedderSettings
from shared.runtime.job_queue import ask_for_run
from shared.runtime.ner.chat_finder import ChatFinder
from shared.runtime.ner.patterns import PatternFinder
from shared.runtime.ner.recogniser import Recogniser
from shared.runtime.projector import read_scope
from tests.acceptance.everywhere import found
from tests.support.installations import Bot, Installation, events_of, last_position, serving, until
from tests.support.names import ScriptedChat

pytestmark = pytest.mark.asyncio(loop_scope="module")

USER = "anna"
FACTS = ("the old quixeldra needs a new sail", "a cup of tea at noon", "Ben, Lena and Tom went to Oslo, then Rome.")


class Nights:
    """A server whose maintenance asks a model that names `quixeldra`."""

    def __init__(self, installation: Installation) -> None:
        self.installation = installation
        self.chat = ScriptedChat(("quixeldra", "other"), ("ffs", "person"))
        self.maintenance = Maintenance(
            installation.settings,
            MaintenanceSettings(),
            EmbedderSettings(kind="none"),
            recogniser=Recogniser([PatternFinder(), ChatFinder(self.chat)]),
        )


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def nights(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Nights]:
    installation = await Installation.create(tmp_path_factory.mktemp("memstream"))
    given = Nights(installation)
    others = [build(installation.settings) for build in (build_ingest, build_retriever, build_feed)]
    async with serving(*others, given.maintenance):
        yield given
    await installation.server.stop()


async def _run(server: Installation, run: str) -> dict[str, Any]:
    async with server.connected("operator") as operator:
        past: list[dict[str, Any]] = []

        async def is_over() -> bool:
            reply = await operator.request("admin.maintenance.job_runs", json.dumps({"run": run}).encode(), timeout=20)
            past[:] = json.loads(reply.data)["runs"]
            return bool(past)

        assert not await is_over()  # it follows the log to its end before it answers
        await ask_for_run(operator, "enrichment", run)
        await until(is_over, what=f"the run {run} is over")
    return past[0]


async def test_a_memory_that_mentions_little_is_read_once_and_forgotten_with_what_was_found(
    nights: Nights, tmp_path: Path
) -> None:
    server = nights.installation
    scope = server.keys.scope_of(Space("home"), User(USER))
    async with server.connected("bot") as client, server.connected("operator") as operator:
        bot = Bot(client, "home")
        for text in FACTS:
            await bot.outcome(USER, sequence=await bot.send(USER, "remember_fact", {"text": text}))

        assert (await _run(server, "enrichment/1"))["counts"] == {"read": 2, "entities": 1}
        assert len(nights.chat.asked) == 2

        async def findings() -> list[MemoryEnriched]:
            return [each.data for each in await events_of(operator, scope, USER) if isinstance(each.data, MemoryEnriched)]

        async def are_recorded() -> bool:
            return len(await findings()) == 2

        await until(are_recorded, what="both findings are recorded")
        said = await findings()
        assert sorted(entity.name for each in said for entity in each.entities) == ["quixeldra"]
        assert {each.method for each in said} == {"ner/accurate/patterns/2+chat/entities/1"}
        assert all(each.tokens is not None for each in said)

        assert (await _run(server, "enrichment/2"))["counts"] == {"read": 0, "entities": 0}
        assert len(nights.chat.asked) == 2

        async def names() -> set[str]:
            position = await last_position(operator)
            answer = await bot.ask(USER, "entities", {"min_position": position, "timeout_s": 20})
            return {each["name"] for each in answer["entities"]}

        assert "quixeldra" in await names()
        rebuilt = MaintenanceStore(tmp_path, server.keys.digester)
        events = await read_scope(operator, scope)
        rebuilt.apply(events, events[-1].position)
        assert rebuilt.unread(50) == nights.maintenance.store.unread(50) == []
        assert len(nights.chat.asked) == 2
        rebuilt.close()

        outcome = await bot.outcome(USER, sequence=await bot.send(USER, "forget", {"query": "quixeldra"}))

        async def is_erased() -> bool:
            return bool((await bot.ask(USER, "receipt", {"number": outcome.number}))["state"] == "done")

        await until(is_erased, what="the receipt")
        await until(lambda: not found(server.settings.files.root, ["quixeldra"]), what="no byte is left")
        assert "quixeldra" not in await names()
        assert [each.entities for each in await findings()] == [()]
