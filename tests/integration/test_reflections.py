"""A reflection is written by the job, rests on facts, goes with one of them to the last byte, and is written anew."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from typing import Any

import pytest
import pytest_asyncio

from services.feed.app import build as build_feed
from services.ingest.app import build as build_ingest
from services.maintenance.app import build as build_maintenance
from services.retriever.app import build as build_retriever
from shared.contracts.ids import Space, User
from shared.contracts.reflecting import ReflectionRecorded
from shared.runtime.job_queue import ask_for_run
from tests.acceptance.everywhere import found
from tests.support.installations import Bot, Installation, events_of, last_position, serving, until

pytestmark = pytest.mark.asyncio(loop_scope="module")

USER = "anna"
FACTS = ("Anna sails with Quixeldra.", "Anna moved to Oslo.", "Anna plays the violin.", "Anna is learning Portuguese.")


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def nights(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Installation]:
    installation = await Installation.create(tmp_path_factory.mktemp("memstream"))
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("MEMSTREAM_EMBEDDER_KIND", "none")
        builders = (build_ingest, build_retriever, build_maintenance, build_feed)
        services = [build(installation.settings) for build in builders]
    async with serving(*services):
        yield installation
    await installation.server.stop()


async def _run(server: Installation, job: str, run: str) -> dict[str, Any]:
    """How a run of a job ended that began when maintenance knew the whole log."""
    async with server.connected("operator") as operator:
        past: list[dict[str, Any]] = []

        async def is_over() -> bool:
            reply = await operator.request("admin.maintenance.job_runs", json.dumps({"run": run}).encode(), timeout=20)
            past[:] = json.loads(reply.data)["runs"]
            return bool(past)

        assert not await is_over()  # it follows the log to its end before it answers
        await ask_for_run(operator, job, run)
        await until(is_over, what=f"the run {run} is over")
    return past[0]


async def _reflections(server: Installation, bot: Bot) -> list[dict[str, Any]]:
    async with server.connected("operator") as operator:
        position = await last_position(operator)
    listed = await bot.ask(USER, "list", {"kinds": ["reflection"], "min_position": position, "timeout_s": 20})
    return list(listed["items"])


async def test_a_reflection_is_written_goes_with_a_source_and_is_written_anew(nights: Installation) -> None:
    scope = nights.keys.scope_of(Space("home"), User(USER))
    async with nights.connected("bot") as client, nights.connected("operator") as operator:
        bot = Bot(client, "home")
        for text in FACTS:
            await bot.outcome(USER, sequence=await bot.send(USER, "remember_fact", {"text": text}))
        assert (await _run(nights, "reflection", "reflection/1"))["counts"] == {"reflections": 1}

        async def is_recorded() -> bool:
            return len(await _reflections(nights, bot)) == 1

        await until(is_recorded, what="the reflection")
        [first] = await _reflections(nights, bot)
        assert (first["text"].splitlines(), first["tags"], len(first["source_ids"])) == (list(FACTS), ["weekly"], 4)
        assert (await _run(nights, "reflection", "reflection/2"))["counts"] == {"reflections": 0}

        source = next(each for each in first["source_ids"] if each.startswith("fact_"))
        outcome = await bot.outcome(USER, sequence=await bot.send(USER, "forget", {"query": "Quixeldra"}))
        assert await _reflections(nights, bot) == []

        async def is_erased() -> bool:
            return bool((await bot.ask(USER, "receipt", {"number": outcome.number}))["state"] == "done")

        await until(is_erased, what="the receipt")
        await until(lambda: not found(nights.settings.files.root, ["Quixeldra"]), what="no byte is left")

        assert (await _run(nights, "reflection_renewal", "renewal/1"))["counts"] == {"reflections": 1}
        await until(is_recorded, what="the renewed reflection")
        [renewed] = await _reflections(nights, bot)
        assert renewed["text"].splitlines() == list(FACTS[1:])
        assert renewed["occurred_at"] == first["occurred_at"]
        assert source not in renewed["source_ids"]
        assert (await _run(nights, "reflection_renewal", "renewal/2"))["counts"] == {"reflections": 0}
        [said] = [each.data for each in await events_of(operator, scope, USER) if isinstance(each.data, ReflectionRecorded)]
        assert (said.renews, said.made_by.extractor) == (first["memory_id"], "extractive/1")


async def test_a_context_says_what_the_last_week_came_to_until_a_source_is_forgotten(nights: Installation) -> None:
    user, told = (
        "cleo",
        ("Cleo rows boats with Vexilor.", "Cleo moved to Bergen.", "Cleo plays the cello.", "Cleo paints."),
    )
    async with nights.connected("bot") as client:
        bot = Bot(client, "home")
        for text in told:
            await bot.outcome(user, sequence=await bot.send(user, "remember_fact", {"text": text}))
        assert (await _run(nights, "reflection", "reflection/cleo"))["counts"]["reflections"] == 1

        async def asked(query: str, **more: object) -> dict[str, Any]:
            async with nights.connected("operator") as operator:
                position = await last_position(operator)
            limits = {"min_position": position, "timeout_s": 20, "record": False}
            return dict(await bot.ask(user, "context", {"query": query, **limits, **more}))

        async def is_shown() -> bool:
            return bool((await asked("What does Cleo play?", limit=1))["insight"])

        await until(is_shown, what="the insight")
        context = await asked("What does Cleo play?", limit=1)
        memories, _, insight = context["markdown"].partition("## Weekly insight")
        assert "Cleo plays the cello." in memories
        assert "- Cleo rows boats with Vexilor." in insight
        assert "cello" not in insight, "it was said already"
        assert len(context["insight"]["source_ids"]) == len(told)
        assert context["insight"]["is_chosen"] is True
        small = await asked("What does Cleo play?", limit=1, budget_tokens=100)
        assert small["insight"] is None
        assert (await asked("What does Cleo play?", tags=["cello"]))["insight"] is None

        sent = await bot.send(user, "forget", {"query": "Vexilor", "message_id": "f1"})
        await bot.outcome(user, sequence=sent)
        after = await asked("What does Cleo play?", limit=1)
        assert "Vexilor" not in json.dumps(after)
        assert after["insight"] is None
