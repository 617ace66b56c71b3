"""What an endpoint that refuses costs: its own work waits, everything else goes on, and the operator sees why."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from nats.aio.client import Client

from services.consolidator.app import Consolidator, make_extractor
from services.consolidator.settings import ConsolidatorSettings
from services.ingest.app import build as build_ingest
from services.maintenance.app import Maintenance
from services.maintenance.settings import MaintenanceSettings
from shared.contracts.events import FactRemembered, MemoryEmbedded
from shared.contracts.ids import Space, User
from shared.contracts.learning import ConsolidationFailed
from shared.runtime.chat_models.settings import LlmSettings
from shared.runtime.embedders.factory import EmbedderSettings
from tests.support.chat_endpoint import ChatEndpoint, chat_endpoint, echo
from tests.support.embeddings_endpoint import Endpoint, embeddings_endpoint
from tests.support.installations import PATIENCE_S, Bot, Installation, events_of, serving, until

SPACE, USER = Space("home"), User("anna")


@pytest.fixture
def embeddings() -> Iterator[Endpoint]:
    with embeddings_endpoint() as endpoint:
        yield endpoint


@pytest.fixture
def chat() -> Iterator[ChatEndpoint]:
    with chat_endpoint() as endpoint:
        endpoint.facts = echo
        yield endpoint


class Watcher:
    """An operator who looks at a service."""

    def __init__(self, client: Client, service: str) -> None:
        self._client = client
        self._service = service

    async def status(self) -> dict[str, Any]:
        reply = await self._client.request(f"admin.{self._service}.status", b"", timeout=PATIENCE_S)
        answer: dict[str, Any] = json.loads(reply.data)
        return answer

    async def sees(self, **expected: object) -> dict[str, Any]:
        """Wait until the status says this; at least so many failures, where failures are expected."""

        async def seen() -> bool:
            status = await self.status()
            least = int(str(expected.get("failures", 0)))
            return status["failures"] >= least and all(status[key] == expected[key] for key in expected.keys() - {"failures"})

        await until(seen, what=f"{self._service} says {expected}")
        return await self.status()


@asynccontextmanager
async def embedding(server: Installation, endpoint: Endpoint) -> AsyncIterator[tuple[Bot, Watcher]]:
    """ingest, and maintenance that embeds at this endpoint and tries again soon."""
    patience = MaintenanceSettings(retry_s=0.01, longest_retry_s=0.05, batch_age_s=0.2)
    embedder = EmbedderSettings(kind="openai", base_url=endpoint.url, retries=0)
    maintenance = Maintenance(server.settings, patience, embedder)
    async with serving(build_ingest(server.settings), maintenance) as task:
        async with server.connected("bot") as bot, server.connected("operator") as operator:
            yield Bot(bot, SPACE), Watcher(operator, "maintenance")
        assert not task.done()


async def _events(server: Installation, kind: type) -> list[Any]:
    async with server.connected("operator") as client:
        events = await events_of(client, server.keys.scope_of(SPACE, USER), USER)
    return [event.data for event in events if isinstance(event.data, kind)]


@pytest.mark.parametrize("status", [401, 403, 404])
async def test_an_embedder_that_refuses_the_key_is_waited_for(
    own_server: Installation, embeddings: Endpoint, status: int
) -> None:
    embeddings.refuses = lambda _: status
    async with embedding(own_server, embeddings) as (bot, watcher):
        await bot.said(USER, "I like tea.")
        await watcher.sees(failures=3, last_error="misconfigured", backlog=1, set_aside=0)
        said = await bot.said(USER, "I like coffee too.")
        assert said.verdict == "recorded"
        embeddings.refuses = None
        await watcher.sees(last_error=None, backlog=0)
    assert len(await _events(own_server, MemoryEmbedded)) == 2


async def test_of_a_batch_that_is_refused_only_the_text_at_fault_is_set_aside(
    own_server: Installation, embeddings: Endpoint, capfd: pytest.CaptureFixture[str]
) -> None:
    embeddings.refuses = lambda texts: 400 if any("cyanide" in text for text in texts) else None
    async with embedding(own_server, embeddings) as (bot, watcher):
        for number in range(6):
            text = "I like cyanide." if number == 2 else f"I like tea number {number}."
            await bot.say(USER, text, message_id=f"m{number}")
        await watcher.sees(backlog=0, set_aside=1, last_error=None)
        await bot.said(USER, "I like milk.", message_id="m9")
        await watcher.sees(backlog=0, set_aside=1)
    assert len(await _events(own_server, MemoryEmbedded)) == 6
    log = "".join(capfd.readouterr())
    assert "embedding.set_aside" in log
    assert "cyanide" not in log


async def test_where_every_text_is_refused_a_setting_is_at_fault_and_nothing_is_set_aside(
    own_server: Installation, embeddings: Endpoint
) -> None:
    is_mended = False

    def refuses(texts: list[str]) -> int | None:
        if is_mended and len(texts) > 1:  # between two tries: in the midst of one, only the texts before would be at fault
            embeddings.refuses = None
        return 400 if embeddings.refuses else None

    embeddings.refuses = refuses
    async with embedding(own_server, embeddings) as (bot, watcher):
        for number in range(3):
            await bot.say(USER, f"I like tea number {number}.", message_id=f"m{number}")
        await watcher.sees(failures=2, last_error="input_refused", backlog=3, set_aside=0)
        is_mended = True
        await watcher.sees(last_error=None, backlog=0, set_aside=0)


async def test_a_text_that_was_set_aside_is_tried_again_after_a_restart(own_server: Installation, embeddings: Endpoint) -> None:
    embeddings.refuses = lambda texts: 422 if any("cyanide" in text for text in texts) else None
    async with embedding(own_server, embeddings) as (bot, watcher):
        await bot.said(USER, "I like cyanide.")
        await watcher.sees(backlog=0, set_aside=1)
    embeddings.refuses = None
    async with embedding(own_server, embeddings) as (_, watcher):
        await watcher.sees(backlog=0, set_aside=0)
    assert len(await _events(own_server, MemoryEmbedded)) == 1


@pytest.mark.parametrize("mixes_people", [False, True])
async def test_no_request_holds_the_texts_of_two_people_unless_that_is_set(
    own_server: Installation, embeddings: Endpoint, *, mixes_people: bool
) -> None:
    embeddings.refuses = lambda _: 503  # so that all wait together
    embedder = EmbedderSettings(kind="openai", base_url=embeddings.url, retries=0, mixes_people=mixes_people)
    maintenance = Maintenance(own_server.settings, MaintenanceSettings(retry_s=0.01, longest_retry_s=0.05), embedder)
    async with (
        serving(build_ingest(own_server.settings), maintenance),
        own_server.connected("bot") as client,
        own_server.connected("operator") as operator,
    ):
        bot, watcher = Bot(client, SPACE), Watcher(operator, "maintenance")
        for number in range(2):
            for person in ("anna", "ben", "cleo"):
                await bot.said(User(person), f"I am {person}, number {number}.", message_id=f"{person}{number}")
        await watcher.sees(backlog=6)
        embeddings.asked.clear()
        embeddings.refuses = None
        await watcher.sees(backlog=0)
    asked = [each["input"] for each in embeddings.asked if each["input"] != ["hello"]]  # asked first, after several failures
    held = [{text.split(",")[0] for text in texts} for texts in asked]
    assert (max(map(len, held)) > 1) is mixes_people
    assert {name for names in held for name in names} == {"I am anna", "I am ben", "I am cleo"}


@pytest.mark.parametrize("status", [401, 403, 404])
async def test_a_model_that_refuses_the_key_is_waited_for_and_no_session_fails(
    own_server: Installation, chat: ChatEndpoint, status: int
) -> None:
    chat.status = status
    llm = LlmSettings(model="any", base_url=chat.url, max_retries=0)
    settings = ConsolidatorSettings(retry_s=0.01, longest_wait_s=0.05)
    consolidator = Consolidator(own_server.settings, settings, make_extractor(llm))
    async with serving(build_ingest(own_server.settings), consolidator) as task:
        async with own_server.connected("bot") as client, own_server.connected("operator") as operator:
            bot, watcher = Bot(client, SPACE), Watcher(operator, "consolidator")
            await bot.said(USER, "I live in Oslo.")
            await bot.send(USER, "end_session", {"session_id": "s1"})
            await watcher.sees(failures=3, last_error="misconfigured", pending=1, failed=0)
            assert (await bot.said(USER, "I like tea.", session="s2")).verdict == "recorded"
            chat.status = 200
            await watcher.sees(last_error=None, pending=0)
        assert not task.done()
    assert await _events(own_server, ConsolidationFailed) == []
    assert await _events(own_server, FactRemembered)
