"""An older log that was restored is noticed by whoever knew more, however long it has become meanwhile."""

from __future__ import annotations

import asyncio
import shutil

import pytest

from services.retriever.rebuild import rebuild
from shared.contracts.errors import LogDiverged, outcome_of
from tests.acceptance.everywhere import found
from tests.acceptance.processes import SERVICES, Bot, Installation
from tests.support.installations import until

_EXIT = outcome_of(LogDiverged()).exit_code


async def _say(bot: Bot, user: str, *texts: str) -> None:
    sequences = [await bot.send(f"send.home.{user}.remember_fact", {"text": text}) for text in texts]
    await bot.ask(f"ask.home.{user}.outcome", {"sequence": sequences[-1], "timeout_s": 10})


async def _restored(installation: Installation) -> None:
    """Put an older copy of the log in the place of a newer one that the retriever knows; the others are built anew."""
    files = installation.files
    async with installation.bot() as bot:
        await _say(bot, "zed", "Zed likes tea.")
        await installation.at_rest()
        await installation.stop()
        shutil.copytree(files.nats_store, files.root.with_name("older"))
        await installation.server.start()
        for name in SERVICES:
            await installation.start_service(name)
        await _say(bot, "zed", *(f"Zed is allergic to thing {n}." for n in range(8)))
        await installation.at_rest()
    await installation.stop()
    shutil.rmtree(files.nats_store)
    shutil.copytree(files.root.with_name("older"), files.nats_store)
    for name in ("ingest", "consolidator", "maintenance"):
        shutil.rmtree(files.projection(name))
    await installation.server.start()
    await installation.start_service("ingest")


@pytest.mark.timeout(120)
async def test_a_retriever_that_knew_more_is_refused_when_the_log_is_longer_again(installation: Installation) -> None:
    await _restored(installation)
    async with installation.bot() as bot:
        for count in (1, 40):  # shorter than it knew, then longer
            await _say(bot, "ben", *(f"Ben owns {count} of thing {n}." for n in range(count)))
            await installation.start_service("retriever")
            assert await asyncio.wait_for(installation.ended("retriever"), 30) == _EXIT
            assert "memstream rebuild" in installation.log_of("retriever")
        await rebuild(installation.settings)
        await installation.start_service("retriever")
        answer = await bot.ask("ask.home.zed.list", {})
        assert [item["text"] for item in answer["items"]] == ["Zed likes tea."]


@pytest.mark.timeout(120)
async def test_a_log_that_is_exchanged_under_running_services_ends_them(installation: Installation) -> None:
    files = installation.files
    async with installation.bot() as bot:
        await _say(bot, "zed", "Zed likes tea.")
        await installation.at_rest()
        await installation.server.stop()
        shutil.copytree(files.nats_store, files.root.with_name("older"))
        await installation.server.start()
        await _say(bot, "zed", "Zed is allergic to nuts.")
        await installation.at_rest()
        await installation.server.stop()
        shutil.rmtree(files.nats_store)
        shutil.copytree(files.root.with_name("older"), files.nats_store)
        await installation.server.start()
        for name in ("retriever", "consolidator", "maintenance"):
            assert await asyncio.wait_for(installation.ended(name), 60) == _EXIT, name


@pytest.mark.timeout(120)
@pytest.mark.parametrize("command", ["forget", "forget_user"])
async def test_an_older_projection_that_is_put_back_forgets_what_was_forgotten_since(
    installation: Installation, command: str
) -> None:
    files, words = installation.files, ["Quixeldra", "zorbifers"]
    older = files.root.with_name("older")
    async with installation.bot() as bot:
        await _say(bot, "zed", "Quixeldra keeps zorbifers.", "Zed likes tea.")
        await installation.at_rest()
        await installation.stop_services()
        shutil.copytree(files.projection("retriever"), older)
        for name in SERVICES:
            await installation.start_service(name)
        sequence = await bot.send(f"send.home.zed.{command}", {"query": "Quixeldra"} if command == "forget" else {})
        outcome = await bot.ask("ask.home.zed.outcome", {"sequence": sequence, "timeout_s": 10})
        await bot.receipt("zed", outcome["number"])
        await installation.at_rest()
        await installation.stop_services()
        shutil.rmtree(files.projection("retriever"))
        shutil.copytree(older, files.projection("retriever"))
        assert found(files.root, words)
        for name in SERVICES:
            await installation.start_service(name)
        await _say(bot, "zed", "Zed owns a boat.")
        await installation.at_rest()
        await until(lambda: not found(files.root, words), what="it is gone again")
        listed = await bot.ask("ask.home.zed.list", {})
        assert "Zed owns a boat." in {item["text"] for item in listed["items"]}
