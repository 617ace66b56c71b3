"""The retriever's files are built anew one after the other, while it answers."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from bench._installation import SPACE
from bench._installation import Installation as Bench
from bench._log import Plan, fabricate, user_name
from memstream import MemoryClient
from memstream.cli.launching import build
from memstream.cli.projections import rebuild_live, rebuild_person
from memstream.cli.server import any_server
from services.ingest.app import build as build_ingest
from shared.contracts.ids import Space
from shared.runtime.connection import operator_connection
from shared.runtime.keys import load_keys
from shared.runtime.settings import RuntimeSettings
from tests.acceptance.everywhere import found
from tests.support.files import change_by_hand
from tests.support.installations import PATIENCE_S, serving, until

USER = user_name(0)


@dataclass
class Lived:
    """An installation whose services run."""

    settings: RuntimeSettings
    memory: MemoryClient

    @property
    def file(self) -> Path:
        """The file of the first user."""
        scope = load_keys(self.settings.files.keys).scope_of(Space(SPACE), USER)
        return self.settings.files.projection("retriever") / "memories" / scope[:2] / f"{scope}.db"

    async def knows(self, word: str) -> bool:
        return any(word in item.text for item in (await self.memory.list(limit=100)).items)

    async def rebuilt(self, *, in_any_case: bool = False) -> dict[str, Any]:
        return await rebuild_live(self.settings, in_any_case=in_any_case, on_progress=lambda *_: None)

    async def told(self, what: str) -> dict[str, Any]:
        async with operator_connection(self.settings) as client:
            reply = await client.request(f"admin.retriever.{what}", b"", timeout=PATIENCE_S)
        return dict(json.loads(reply.data))


@asynccontextmanager
async def living(settings: RuntimeSettings) -> AsyncIterator[Lived]:
    async with (
        serving(build_ingest(settings), build("retriever", settings)),
        MemoryClient(space=SPACE, user=USER, url=settings.nats_url, data_dir=settings.data_dir) as memory,
    ):
        yield Lived(settings, memory)


@pytest.fixture
async def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[RuntimeSettings]:
    """Three people with a hundred events each, and a server."""
    monkeypatch.setenv("MEMSTREAM_EMBEDDER_KIND", "none")
    installation = Bench(tmp_path, "hashing")
    await installation.create()
    await fabricate(Plan(users=3, memories_each=30, embedder="hashing"), installation)
    async with any_server(installation.settings):
        yield installation.settings


async def test_everybodys_file_is_built_anew_compared_and_replaced(installed: RuntimeSettings) -> None:
    async with living(installed) as lived:
        bees = await lived.memory.remember("I keep bees near Brambleham.")
        await lived.memory.context("Where are bees?", after=bees, record=False)
        before, old = await lived.told("digests"), lived.file.stat().st_ino
        assert await lived.rebuilt() == {"compared": 3, "differing": [], "untold": 0, "rebuilt": 3}
        assert lived.file.stat().st_ino != old
        after = await lived.told("digests")
        assert (after["projection"], after["content"]) == (before["projection"], before["content"])
        outcome = await lived.memory.remember("My rent is 700 euros.")
        assert "700" in (await lived.memory.context("What is my rent?", after=outcome)).markdown
        assert "Brambleham" in (await lived.memory.context("Where do I keep bees?")).markdown


async def test_one_persons_file_is_built_anew_beside_the_old_one(installed: RuntimeSettings) -> None:
    async with living(installed) as lived:
        before, old = await lived.told("digests"), lived.file.stat().st_ino
        found = await rebuild_person(installed, SPACE, USER)
        assert (found["rebuilt"], found["compared"], found["differing"]) == (1, 1, [])
        assert (await lived.told("digests"))["projection"] == before["projection"]
        assert lived.file.stat().st_ino != old
        assert (await rebuild_person(installed, SPACE, "nobody"))["rebuilt"] == 0


async def test_who_differs_is_told_and_their_file_stays_unless_asked_for(installed: RuntimeSettings) -> None:
    async with living(installed) as lived:
        file = lived.file
    change_by_hand(file, "UPDATE memories SET content = 'I live on the moon.' WHERE kind = 'fact'")
    async with living(installed) as lived:
        assert await lived.rebuilt() == {"compared": 3, "differing": [file.stem], "untold": 0, "rebuilt": 2}
        assert await lived.knows("moon")
        assert (await lived.rebuilt(in_any_case=True))["rebuilt"] == 3
        assert not await lived.knows("moon")
        assert (await lived.rebuilt())["differing"] == []


async def test_files_of_another_version_are_built_anew_by_themselves_and_when_they_are_asked_for(
    installed: RuntimeSettings,
) -> None:
    async with living(installed) as lived:
        before = await lived.told("digests")
        folder = installed.files.projection("retriever")
    change_by_hand(folder / "index.db", "UPDATE meta SET value = '1' WHERE key = 'files_version'")
    for each in folder.glob("memories/*/*.db"):
        change_by_hand(each, "DROP TABLE shared_tags", "PRAGMA user_version = 1")
    async with living(installed) as lived:
        assert (await lived.memory.stats()).position == before["position"]
        assert (await lived.memory.list()).items
        await until(lambda: _is_at_rest(lived), what="all files are of today's version")
        after = await lived.told("digests")
        assert (after["projection"], after["position"]) == (before["projection"], before["position"])


async def test_what_is_forgotten_beside_a_rebuild_is_in_no_byte(installed: RuntimeSettings) -> None:
    async with living(installed) as lived:
        await lived.memory.stats(after=await lived.memory.remember("My cat Quixeldra sleeps in the laundry basket."))
        rebuilding = asyncio.create_task(lived.rebuilt())
        gone = await lived.memory.forget(query="Quixeldra")
        await until(lambda: _is_erased(lived, gone.number or 0), what="the receipt")
        await rebuilding
        await until(lambda: not found(installed.files.root, ["quixeldra"]), what="no byte is left")
        assert (await lived.memory.list()).items


async def _is_at_rest(lived: Lived) -> bool:
    return not (await lived.told("status"))["to_replay"]


async def _is_erased(lived: Lived, number: int) -> bool:
    return (await lived.memory.forgetting(number)).state == "done"
