"""An hour in which neither embedder nor model answers: words find meanwhile, and afterwards everything is caught up with."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from datetime import timedelta
from typing import Any

from nats.aio.client import Client

from services.consolidator.app import Consolidator, make_extractor
from services.consolidator.settings import ConsolidatorSettings
from services.ingest.app import build as build_ingest
from services.maintenance.app import Maintenance
from services.maintenance.jobs.consolidation import ConsolidationSweep
from services.maintenance.jobs.job import Budget, Limits
from services.maintenance.sessions_set_aside import SessionsSetAside
from services.maintenance.settings import MaintenanceSettings
from services.retriever.app import Retriever
from services.retriever.settings import RetrieverSettings
from shared.contracts.events import EpisodeRecorded, FactRemembered, MemoryEmbedded, SessionConsolidated
from shared.contracts.ids import Space, User
from shared.runtime.chat_models.settings import LlmSettings
from shared.runtime.embedders.factory import EmbedderSettings, make_query_embedder
from tests.support.chat_endpoint import ChatEndpoint, chat_endpoint, echo
from tests.support.embeddings_endpoint import Endpoint, embeddings_endpoint
from tests.support.installations import PATIENCE_S, Bot, Installation, events_of, serving, until
from tests.support.measures import Measures
from tests.support.scopes import FixedClock

SPACE, USER = Space("home"), User("anna")
QUESTION = "zorbifers"
QUARTERS = 4
WHOLE_BATCHES = 3
"""So many are tried in vain before the embedder is asked with a harmless text alone."""


YEARS = 60 * 24 * 365 * 20
"""In minutes. The server's own time is what a memory is as old as."""
EMPTY = (
    "memstream_command_backlog",
    "memstream_embedding_backlog",
    "memstream_sessions_pending",
    "memstream_sessions_set_aside",
)
"""What is worked off in the end."""
MOVED = (
    "memstream_commands_decided_total{verdict=recorded,what=save_facts}",
    "memstream_consolidations_total{end=failed}",
    "memstream_consolidations_total{end=sent}",
    "memstream_context_stage_seconds_count{stage=lexical}",
    "memstream_embedding_failures_total",
    "memstream_embedding_seconds_count",
    "memstream_events_appended_total{type=memory_embedded}",
    "memstream_events_applied_total{projection=retriever}",
    "memstream_leg_failures_total{leg=vector}",
    "memstream_model_tokens_total{direction=read,purpose=learning}",
)
"""What is counted in such an hour."""


class NobodySilent:
    """No session is open: they were ended."""

    async def sweep(self, idle: timedelta, *, limit: int | None = None) -> int:
        assert idle
        assert limit
        return 0


class Memstream:
    """Running services whose clock is moved by hand."""

    def __init__(self, server: Installation, bot: Client, operator: Client, clock: FixedClock) -> None:
        self._server = server
        self._operator = operator
        self.bot = Bot(bot, SPACE)
        self.clock = clock

    async def status(self, service: str) -> dict[str, Any]:
        reply = await self._operator.request(f"admin.{service}.status", b"", timeout=PATIENCE_S)
        answer: dict[str, Any] = json.loads(reply.data)
        return answer

    async def sees(self, service: str, *, failures: int = 0, **expected: object) -> dict[str, Any]:
        """Wait until a service says this, and at least so many failures."""

        async def seen() -> bool:
            status = await self.status(service)
            return status["failures"] >= failures and all(status[key] == value for key, value in expected.items())

        await until(seen, what=f"{service} says {expected}")
        return await self.status(service)

    async def sees_as_minutes_pass(self, service: str, **expected: object) -> None:
        """Let minutes pass until a service says this: after a failure each thing has its own pause, from that moment on."""

        async def seen() -> bool:
            self.clock.advance(1)
            status = await self.status(service)
            return all(status[key] == value for key, value in expected.items())

        await until(seen, what=f"{service} says {expected}")

    async def converse(self, text: str, session: str) -> int:
        said = await self.bot.said(USER, text, session=session)
        await self.bot.outcome(USER, sequence=await self.bot.send(USER, "end_session", {"session_id": session}))
        return said.position

    async def events(self, kind: type) -> list[Any]:
        found = await events_of(self._operator, self._server.keys.scope_of(SPACE, USER), USER)
        return [event.data for event in found if isinstance(event.data, kind)]

    async def sweep(self) -> dict[str, int]:
        """The consolidation sweep, with the permissions of maintenance."""
        async with self._server.connected("maintenance") as client:
            sweep = ConsolidationSweep(NobodySilent(), SessionsSetAside(client), idle=timedelta(minutes=30))
            return dict(await sweep.run(Budget(Limits(seconds=60, items=100))))


@asynccontextmanager
async def memstream(server: Installation, embeddings: Endpoint, chat: ChatEndpoint) -> AsyncIterator[Memstream]:
    clock, runtime = FixedClock(), server.settings
    embedder = EmbedderSettings(kind="openai", base_url=embeddings.url, retries=0)
    llm = LlmSettings(model="any", base_url=chat.url, max_retries=0)
    consolidator = Consolidator(
        runtime,
        ConsolidatorSettings(most_attempts=2, known_facts=0),
        make_extractor(llm),
        moment=lambda: clock.now().timestamp(),
    )
    retriever = Retriever(runtime, RetrieverSettings(), make_query_embedder(embedder, models=runtime.files.models))
    maintenance = Maintenance(runtime, MaintenanceSettings(), embedder, clock)
    async with AsyncExitStack() as stack:
        task = await stack.enter_async_context(serving(build_ingest(runtime), retriever, maintenance, consolidator))
        bot = await stack.enter_async_context(server.connected("bot"))
        operator = await stack.enter_async_context(server.connected("operator"))
        yield Memstream(server, bot, operator, clock)
        assert not task.done()


async def test_an_hour_without_embedder_and_model_loses_nothing_and_words_answer_meanwhile(own_server: Installation) -> None:
    with embeddings_endpoint() as embeddings, chat_endpoint() as chat:
        chat.facts, measures = echo, Measures()
        embeddings.refuses, chat.status = lambda _: 503, 503
        async with memstream(own_server, embeddings, chat) as it:
            for quarter in range(QUARTERS):
                it.clock.advance(15)
                position = await it.converse(f"I keep {quarter} {QUESTION}.", session=f"s{quarter}")
                status = await it.sees("maintenance", failures=quarter + 1, backlog=quarter + 1, live=quarter + 1)
                assert (status["done"], status["left_s"]) == (0, None)
                found = await it.bot.ask(USER, "search", {"query": QUESTION, "min_position": position})
                assert len(found["items"]) == quarter + 1
                assert found["legs_failed"] == ["vector"]
            asked = [each["input"] for each in embeddings.asked if each["input"] != [QUESTION]]
            assert len([texts for texts in asked if texts != ["hello"]]) == WHOLE_BATCHES
            await it.sees_as_minutes_pass("consolidator", pending=0, set_aside=QUARTERS)
            await until(lambda: measures.now("memstream_embedding_backlog") == QUARTERS, what="the backlog is measured")
            await until(lambda: measures.now("memstream_sessions_set_aside") == QUARTERS, what="so is what is set aside")
            it.clock.advance(YEARS)
            await until(lambda: measures.now("memstream_embedding_oldest_seconds") > 0, what="and for how long it waits")

            embeddings.refuses, chat.status = None, 200
            it.clock.advance(15)
            assert await it.sweep() == {"sessions": 0, "tried_again": QUARTERS}
            await it.sees("consolidator", pending=0, set_aside=0)
            embedded = {"backlog": 0, "done": 2 * QUARTERS, "total": 2 * QUARTERS, "left_s": 0, "last_error": None}
            await it.sees_as_minutes_pass("maintenance", **embedded)  # what was refused at the last moment has its pause
            episodes, facts = await it.events(EpisodeRecorded), await it.events(FactRemembered)
            assert [fact.text for fact in facts] == [f"The user says: {episode.text}" for episode in episodes]
            assert len(await it.events(SessionConsolidated)) == QUARTERS
            vectors = Counter(each.memory_id for each in await it.events(MemoryEmbedded))
            assert vectors == Counter(each.memory_id for each in (*episodes, *facts))

            async def vectors_answer() -> bool:  # once the breaker has probed the endpoint, by the clock of the wall
                return not (await it.bot.ask(USER, "search", {"query": QUESTION}))["legs_failed"]

            await until(vectors_answer, what="vectors answer again")
            for gauge in EMPTY:
                await until(lambda name=gauge: measures.now(name) == 0, what=gauge)  # type: ignore[misc]
    assert measures.grown(*MOVED) == list(MOVED)
