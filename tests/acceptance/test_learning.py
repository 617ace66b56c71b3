"""From a finished conversation to facts and vectors; and a rebuild that asks no model."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path

import pytest

from services.consolidator.rebuild import rebuild as rebuild_consolidator
from services.ingest.rebuild import rebuild as rebuild_ingest
from services.maintenance.rebuild import rebuild as rebuild_maintenance
from services.retriever.rebuild import rebuild as rebuild_retriever
from shared.runtime.settings import RuntimeSettings
from tests.acceptance.processes import Bot, Installation

_SAID = (
    "I am allergic to hazelnuts.",
    "Do you know a good bakery?",
    "My sister Grace is getting married in York.",
    "I work as a pastry chef in Leeds.",
)


async def _converse(bot: Bot, user: str) -> int:
    for number, text in enumerate(_SAID):
        turn = {"session_id": "s1", "text": text, "speaker": "Marcus", "message_id": f"m{number}"}
        await bot.send(f"send.home.{user}.user_message", turn)
    sequence = await bot.send(f"send.home.{user}.end_session", {"session_id": "s1"})
    answer = await bot.ask(f"ask.home.{user}.outcome", {"sequence": sequence})
    return int(answer["position"])


async def test_a_finished_conversation_becomes_facts_with_sources_and_vectors(installation: Installation) -> None:
    async with installation.bot() as bot:
        await _converse(bot, "marcus")
        await installation.learned()
        facts = (await bot.ask("ask.home.marcus.list", {"kinds": ["fact"]}))["items"]
        assert any("allergic to hazelnuts" in fact["text"] and "Marcus" in fact["text"] for fact in facts)
        assert not any("bakery" in fact["text"] for fact in facts)
        for fact in facts:
            source = await bot.ask("ask.home.marcus.show", {"memory_id": fact["source_ids"][0]})
            assert source["memory"]["text"] in _SAID
        context = await bot.ask("ask.home.marcus.context", {"query": "What is Marcus allergic to?"})
        assert {item["kind"] for item in context["items"]} == {"fact", "episode"}
        assert context["legs_failed"] == []
        assert all("vector" in item["score"]["legs"] for item in context["items"])
        stats = await bot.ask("ask.home.ben.stats", {})
        assert set(stats["memories"].values()) == {0}


async def test_a_resumed_session_is_learned_from_again_for_its_new_turns_only(installation: Installation) -> None:
    async with installation.bot() as bot:
        await _converse(bot, "marcus")
        await installation.learned()
        before = (await bot.ask("ask.home.marcus.list", {"kinds": ["fact"]}))["items"]
        turn = {"session_id": "s1", "text": "My dog Biscuit is a whippet.", "speaker": "Marcus", "message_id": "m9"}
        await bot.send("send.home.marcus.user_message", turn)
        sequence = await bot.send("send.home.marcus.end_session", {"session_id": "s1"})
        await bot.ask("ask.home.marcus.outcome", {"sequence": sequence})
        await installation.learned()
        after = (await bot.ask("ask.home.marcus.list", {"kinds": ["fact"]}))["items"]
    new = [fact["text"] for fact in after if fact not in before]
    assert len(after) == len(before) + len(new)
    assert new
    assert all("Biscuit" in text for text in new)


@pytest.fixture
async def without_embedder(tmp_path: Path) -> AsyncIterator[Installation]:
    running = Installation(tmp_path / "data", environment={"MEMSTREAM_EMBEDDER_KIND": "none"})
    await running.start()
    yield running
    await running.stop()


async def test_without_an_embedder_there_is_still_an_answer_that_names_the_missing_leg(without_embedder: Installation) -> None:
    async with without_embedder.bot() as bot:
        position = await _converse(bot, "marcus")
        question = {"query": "What is Marcus allergic to?", "min_position": position}
        answer = await bot.ask("ask.home.marcus.context", question)
    assert any("hazelnuts" in item["text"] for item in answer["items"])
    assert answer["legs_failed"] == ["vector"]


async def test_a_rebuild_asks_no_model_and_gives_equal_digests(
    installation: Installation, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with installation.bot() as bot:
        for user in ("marcus", "anna"):
            await _converse(bot, user)
        await bot.ask("ask.home.marcus.context", {"query": "What is Marcus allergic to?"})
        await installation.learned()
    services = ("ingest", "retriever", "maintenance", "consolidator")
    live = {service: (await installation.admin(f"admin.{service}.digests"))["projection"] for service in services}
    await installation.stop_services()

    def refuse(*_: object, **__: object) -> None:
        msg = "a rebuild asked a model"
        raise AssertionError(msg)

    monkeypatch.setattr("shared.runtime.embedders.hashing.hashing_embedder", refuse)
    monkeypatch.setattr("shared.runtime.embedders.factory.make_embedder", refuse)
    monkeypatch.setattr("services.consolidator.domain.rules.RuleExtractor.extract", refuse)
    rebuilds: tuple[Callable[[RuntimeSettings], Awaitable[str]], ...]
    rebuilds = (rebuild_ingest, rebuild_retriever, rebuild_maintenance, rebuild_consolidator)
    rebuilt = {service: await rebuild(installation.settings) for service, rebuild in zip(services, rebuilds, strict=True)}
    assert rebuilt == live
