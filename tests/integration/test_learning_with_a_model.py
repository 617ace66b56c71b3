"""Learning with a model from many people's sessions: at once, in order, within attempts and budgets, by real services."""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from nats.aio.client import Client

from services.consolidator.app import Consolidator, make_extractor
from services.consolidator.rebuild import digests, rebuild
from services.consolidator.settings import ConsolidatorSettings
from services.ingest.app import build as build_ingest
from services.retriever.app import Retriever
from services.retriever.settings import RetrieverSettings
from shared.contracts.events import FactRemembered, FactSuperseded, SessionConsolidated
from shared.contracts.ids import Space, User
from shared.contracts.learning import ConsolidationFailed, ConsolidationRetried
from shared.runtime.chat_models.settings import LlmSettings
from shared.runtime.metrics import MODEL_TOKENS_BUDGET, MODEL_TOKENS_TODAY
from shared.runtime.service import Service
from tests.support.chat_endpoint import ChatEndpoint, Json, chat_endpoint, echo, stated
from tests.support.forks import printed
from tests.support.installations import PATIENCE_S, Bot, Installation, events_of, serving, until

SPACE = Space("home")


@pytest.fixture
def chat() -> Iterator[ChatEndpoint]:
    with chat_endpoint() as endpoint:
        endpoint.facts = echo
        yield endpoint


class Learning:
    """Running services, a bot, and an operator who looks at the consolidator."""

    def __init__(self, server: Installation, bot: Client, operator: Client) -> None:
        self._server = server
        self._operator = operator
        self.bot = Bot(bot, SPACE)

    async def asked(self, what: str, payload: Json | None = None) -> dict[str, Any]:
        reply = await self._operator.request(
            f"admin.consolidator.{what}", json.dumps(payload or {}).encode(), timeout=PATIENCE_S
        )
        answer: dict[str, Any] = json.loads(reply.data)
        return answer

    async def sees(self, **expected: object) -> dict[str, Any]:
        async def seen() -> bool:
            status = await self.asked("status")
            return all(status[key] == value for key, value in expected.items())

        await until(seen, what=f"the consolidator says {expected}")
        return await self.asked("status")

    async def failed(self, user: str, *, times: int) -> None:
        async def counted() -> bool:
            return len(await self.events(user, ConsolidationFailed)) == times

        await until(counted, what=f"learning from {user} failed {times} times")

    async def converse(self, user: str, *texts: str, session: str = "s1") -> None:
        for text in texts:
            await self.bot.said(user, text, session=session)
        await self.bot.outcome(user, sequence=await self.bot.send(user, "end_session", {"session_id": session}))

    async def events(self, user: str, kind: type) -> list[Any]:
        found = await events_of(self._operator, self._server.keys.scope_of(SPACE, User(user)), user)
        return [event.data for event in found if isinstance(event.data, kind)]


@asynccontextmanager
async def learning(
    server: Installation, chat: ChatEndpoint, *, more: Sequence[Service] = (), budget: int | None = None, **settings: int
) -> AsyncIterator[Learning]:
    """ingest, and a consolidator with this model; it tries again soon."""
    llm = LlmSettings(model="any", base_url=chat.url, max_retries=0, timeout_s=30, tokens_per_day=budget)
    patience: dict[str, Any] = {"retry_s": 0.01, "longest_retry_s": 0.02, "longest_wait_s": 0.05}
    consolidator = Consolidator(server.settings, ConsolidatorSettings(**patience | settings), make_extractor(llm), llm)
    async with AsyncExitStack() as stack:
        task = await stack.enter_async_context(serving(build_ingest(server.settings), consolidator, *more))
        bot = await stack.enter_async_context(server.connected("bot"))
        operator = await stack.enter_async_context(server.connected("operator"))
        yield Learning(server, bot, operator)
        assert not task.done()


async def rebuilt_elsewhere(server: Installation, folder: Path) -> str:
    return await rebuild(server.elsewhere(folder))


async def test_sessions_of_different_people_are_learned_from_at_once_and_of_one_person_in_order(
    own_server: Installation, chat: ChatEndpoint
) -> None:
    chat.status = 401  # so that all are pending when it begins
    async with learning(own_server, chat, parallel=3, known_facts=0) as it:
        for person in ("anna", "ben", "cleo", "dora"):
            for number in (1, 2):
                await it.converse(person, f"I am {person} in session number {number}.", session=f"s{number}")
        await it.sees(pending=8)
        chat.pause_s, chat.status = 0.1, 200
        chat.asked.clear()
        chat.most_at_once = 0
        await it.sees(pending=0)
    assert chat.most_at_once == 3
    read = [chat.turns(asked)[0]["text"] for asked in chat.asked]
    for person in ("anna", "ben", "cleo", "dora"):
        heard = [text for text in read if person in text]  # one that was on its way when the endpoint came back is not noted
        assert heard
        assert heard == [f"I am {person} in session number {n}." for n in (1, 2)][-len(heard) :]


async def test_an_endpoint_that_hangs_stops_nobody_else(own_server: Installation, chat: ChatEndpoint) -> None:
    chat.hangs_on = "molasses"
    async with learning(own_server, chat, parallel=2, known_facts=0) as it:
        await it.converse("slow", "I like molasses.")
        for person in ("anna", "ben", "cleo"):
            await it.converse(person, "I like tea.")
        await it.sees(pending=1)
        for person in ("anna", "ben", "cleo"):
            assert await it.events(person, FactRemembered)


async def test_after_so_many_failures_a_session_is_set_aside_until_somebody_tries_it_again(
    own_server: Installation, chat: ChatEndpoint, tmp_path: Path
) -> None:
    chat.fails_on = "poison"
    async with learning(own_server, chat, most_attempts=3, known_facts=0) as it:
        await it.converse("anna", "I like poison.")
        await it.converse("ben", "I like tea.")
        await it.sees(pending=0, set_aside=1, set_aside_for={"endpoint_failed": 1})
        assert [failed.attempt for failed in await it.events("anna", ConsolidationFailed)] == [1, 2, 3]
        assert (await it.asked("retry")) == {"sessions": 1}
        await it.failed("anna", times=6)  # in vain
        await it.sees(pending=0, set_aside=1)
        assert [failed.attempt for failed in await it.events("anna", ConsolidationFailed)] == [1, 2, 3, 4, 5, 6]
        chat.fails_on = None
        assert (await it.asked("retry")) == {"sessions": 1}
        await it.sees(pending=0, set_aside=0)
        assert len(await it.events("anna", ConsolidationRetried)) == 2
        assert [fact.text for fact in await it.events("anna", FactRemembered)] == ["The user says: I like poison."]
        assert (await it.asked("retry")) == {"sessions": 0}
    live = digests(own_server.settings)["projection"]
    assert await rebuilt_elsewhere(own_server, tmp_path / "other") == live


async def test_where_nobody_answers_no_session_is_set_aside(own_server: Installation, chat: ChatEndpoint) -> None:
    chat.status = 429
    async with learning(own_server, chat, most_attempts=1, known_facts=0) as it:
        await it.converse("anna", "I like tea.")
        await it.sees(last_error="endpoint_busy", pending=1, set_aside=0)
        chat.status = 200
        await it.sees(pending=0, last_error=None)


async def test_after_a_failure_it_goes_on_with_the_page_that_failed(own_server: Installation, chat: ChatEndpoint) -> None:
    chat.fails_on = "poison"
    async with learning(own_server, chat, page=1, known_facts=0, most_attempts=99) as it:
        await it.converse("anna", "I like tea.", "I like poison.")
        await it.sees(failed=1)
        chat.fails_on = None
        await it.sees(pending=0)
        facts = [fact.text for fact in await it.events("anna", FactRemembered)]
        [consolidated] = await it.events("anna", SessionConsolidated)
    assert facts == ["The user says: I like tea.", "The user says: I like poison."]
    assert consolidated.facts == 2
    assert [chat.turns(asked)[0]["text"] for asked in chat.asked].count("I like tea.") == 1


async def test_when_the_budget_is_spent_learning_waits_also_after_a_restart(
    own_server: Installation, chat: ChatEndpoint
) -> None:
    async with learning(own_server, chat, budget=150, known_facts=0) as it:
        for number in (1, 2, 3):
            await it.converse("anna", f"I like tea number {number}.", session=f"s{number}")
        status = await it.sees(waits_for="budget_spent", pending=1)
        assert (status["tokens_today"], status["tokens_per_day"], status["failed"]) == (200, 150, 0)
        assert MODEL_TOKENS_TODAY.labels("learning")._value.get() == 200
        assert MODEL_TOKENS_BUDGET.labels("learning")._value.get() == 150
    async with learning(own_server, chat, budget=150, known_facts=0) as it:
        status = await it.sees(waits_for="budget_spent", pending=1)
        assert status["tokens_today"] == 200
        assert await it.events("anna", ConsolidationFailed) == []
    async with learning(own_server, chat, budget=1_000, known_facts=0) as it:
        await it.sees(waits_for=None, pending=0, tokens_today=300)


async def test_tokens_are_recorded_by_day_and_person_also_those_that_were_spent_in_vain(
    own_server: Installation, chat: ChatEndpoint, tmp_path: Path
) -> None:
    chat.content = "no JSON"
    async with learning(own_server, chat, most_attempts=1, known_facts=0) as it:
        await it.converse("anna", "I like tea.")
        await it.sees(set_aside=1)
        chat.content = None
        await it.converse("ben", "I like tea.")
        await it.sees(pending=0)
        [failed], [learned] = await it.events("anna", ConsolidationFailed), await it.events("ben", SessionConsolidated)
        assert failed.tokens == learned.tokens
        assert (learned.tokens.prompt, learned.tokens.completion) == (90, 10)
        always = {"since": "2000-01-01", "until": "2999-12-31"}
        [everybody] = (await it.asked("usage", always))["days"]
        [bens] = (await it.asked("usage", always | {"scope": own_server.keys.scope_of(SPACE, User("ben"))}))["days"]
        assert (everybody["prompt"], bens["prompt"], bens["completion"]) == (180, 90, 10)
    live = digests(own_server.settings)["projection"]
    assert await rebuilt_elsewhere(own_server, tmp_path / "other") == live


async def test_the_model_is_shown_what_is_known_of_this_person_and_may_supersede_it(
    own_server: Installation, chat: ChatEndpoint
) -> None:
    def moved(turns: list[Json]) -> list[Json]:
        is_news = "York" in turns[0]["text"]
        return [stated("The user lives in York.", 1, supersedes=[1])] if is_news else echo(turns)

    chat.facts = moved
    retriever = Retriever(own_server.settings, RetrieverSettings(), None)
    async with learning(own_server, chat, more=[retriever]) as it:
        await it.converse("ben", "I live in York, too.")
        await it.converse("anna", "I live in Leeds.")
        await it.sees(pending=0)
        await it.converse("anna", "I live in York now.", session="s2")
        await it.sees(pending=0)
        facts = await it.events("anna", FactRemembered)
        [superseded] = await it.events("anna", FactSuperseded)
    assert (superseded.memory_id, superseded.superseded_by) == tuple(fact.memory_id for fact in facts)
    shown = [each["text"] for each in chat.known(chat.asked[-1])]
    assert shown == ["The user says: I live in Leeds."]
    assert [fact.text for fact in facts] == ["The user says: I live in Leeds.", "The user lives in York."]


async def test_without_a_retriever_it_learns_all_the_same(own_server: Installation, chat: ChatEndpoint) -> None:
    async with learning(own_server, chat) as it:
        await it.converse("anna", "I live in Leeds.")
        await asyncio.wait_for(it.sees(pending=0), PATIENCE_S)


async def test_the_command_line_says_what_is_set_aside_and_why_tries_it_again_and_tells_the_cost(
    own_server: Installation, chat: ChatEndpoint
) -> None:
    async def called(*arguments: str) -> str:
        options = ("--data-dir", str(own_server.settings.files.root), *arguments)
        environment = os.environ | {"MEMSTREAM_NATS_URL": str(own_server.settings.nats_url)}
        said = await asyncio.to_thread(printed, "memstream", *options, environment=environment)
        assert said.code == 0, said.err
        return said.out

    chat.content = "no JSON"
    async with learning(own_server, chat, most_attempts=2, known_facts=0, budget=200) as it:
        await it.converse("anna", "I like tea.")
        await it.sees(set_aside=1)
        status = await called("status")
        assert "1 session set aside after too many failures: answer_invalid (1)" in status
        assert "memstream sessions retry" in status
        assert "200 of 200 tokens today; the budget is spent" in status
        assert "1 session being tried again" in await called("sessions", "retry")
        assert "200 tokens: 180 read, 20 written" in await called("usage", "--space", SPACE, "--user", "anna")
        assert "no tokens were spent" in await called("usage", "--space", SPACE, "--user", "ben")
