"""The retriever's files are made anew beside those that answer, and answer from one moment to the next."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from bench._installation import SPACE
from bench._installation import Installation as Bench
from bench._log import Plan, fabricate, user_name
from memstream import MemoryClient
from memstream.cli.launching import build
from memstream.cli.projections import rebuild_person
from memstream.cli.server import any_server
from services.ingest.app import build as build_ingest
from services.retriever import made_apart, renewing
from services.retriever.live_rebuild import drop_old, rebuild_live
from services.retriever.rebuild import make
from services.retriever.store.index import ScopeIndex
from shared.contracts.errors import Misconfigured
from shared.contracts.ids import Space
from shared.runtime.connection import operator_connection
from shared.runtime.generations import Generations
from shared.runtime.keys import load_keys
from shared.runtime.settings import RuntimeSettings
from shared.runtime.sqlite import open_database
from tests.acceptance.everywhere import found
from tests.support.forks import Fork
from tests.support.installations import PATIENCE_S, serving, until

USER = user_name(0)


@dataclass
class Lived:
    """An installation whose services run."""

    settings: RuntimeSettings
    memory: MemoryClient

    @property
    def generations(self) -> Generations:
        return Generations(self.settings.files, "retriever")

    def file(self, generation: str) -> Path:
        scope = load_keys(self.settings.files.keys).scope_of(Space(SPACE), USER)
        return self.settings.files.root / generation / "memories" / scope[:2] / f"{scope}.db"

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


async def test_it_answers_from_new_files_and_the_old_ones_are_kept_until_told(installed: RuntimeSettings) -> None:
    async with living(installed) as lived:
        await lived.memory.remember("My cat Quixel sleeps in the laundry basket.")
        bees = await lived.memory.remember("I keep bees near Brambleham.")
        await lived.memory.context("Where are bees?", after=bees, record=False)
        before = await lived.told("digests")
        found = await rebuild_live(installed, is_running=True)
        assert (found.is_switched, found.compared, found.differing, found.untold) == (True, 3, (), 0)
        assert {each["generation"] for each in (await lived.told("adoption"))["workers"]} == {"retriever.2"}
        after = await lived.told("digests")
        assert (after["projection"], after["content"]) == (before["projection"], before["content"])
        with pytest.raises(Misconfigured, match="drop-old"):
            await rebuild_live(installed, is_running=True)
        outcome = await lived.memory.remember("My rent is 700 euros.")
        assert "700" in (await lived.memory.context("What is my rent?", after=outcome)).markdown
        assert lived.file("retriever").exists()
        await lived.memory.stats(after=await lived.memory.forget(query="Quixel"))
        assert not lived.file("retriever").exists()  # nothing that is forgotten stays in what is kept
        assert await drop_old(installed, is_running=True) == 1
        assert not lived.generations.kept
    async with living(installed) as lived:
        assert "700" in (await lived.memory.context("What is my rent?")).markdown
        assert lived.generations.current.name == "retriever.2"


@pytest.mark.nightly
async def test_a_killed_one_harms_nothing_and_the_next_is_whole(installed: RuntimeSettings, tmp_path: Path) -> None:
    async with living(installed) as lived:
        before = await lived.told("digests")
        fresh = tmp_path / "retriever.2.new"
        for begun in (fresh, fresh / "parts", tmp_path / "retriever.2"):
            arguments = ("--data-dir", str(tmp_path), "rebuild", "--live")
            process = Fork("memstream", *arguments, environment=os.environ, out=tmp_path / "out", err=tmp_path / "err")
            await until(begun.exists, what="the rebuild has come so far")
            process.kill()
            await process.wait()
            assert (await lived.told("digests"))["projection"] == before["projection"]
        if lived.generations.current.name == "retriever":
            assert (await rebuild_live(installed, is_running=True)).is_switched
        assert (await lived.told("digests"))["projection"] == before["projection"]
        assert not lived.generations.leftovers()


async def test_what_a_killed_one_left_goes_and_what_it_completed_is_taken_over(
    installed: RuntimeSettings, tmp_path: Path
) -> None:
    left = tmp_path / "retriever.3.new" / "parts"
    left.mkdir(parents=True)
    (left / "0.events").write_text("what anna said", encoding="utf-8")
    async with living(installed) as lived:
        assert not lived.generations.leftovers()
        await make(installed, lived.generations.next)  # killed between the last file and the switch
        made = (tmp_path / "retriever.2" / "index.db").stat().st_ino
        await lived.memory.stats(after=await lived.memory.remember("I keep bees near Brambleham."))
        found = await rebuild_live(installed, is_running=True)
        assert (found.is_switched, found.differing) == (True, ())
        assert (tmp_path / "retriever.2" / "index.db").stat().st_ino == made
        assert "Brambleham" in (await lived.memory.context("Where do I keep bees?")).markdown


async def test_a_start_after_the_pointer_was_moved_goes_on_with_the_new_files(installed: RuntimeSettings) -> None:
    async with living(installed) as lived:
        await make(installed, lived.generations.next)
        await lived.memory.stats(after=await lived.memory.remember("I keep bees near Brambleham."))
        before = await lived.told("digests")
        lived.generations.point_at(lived.generations.next)  # killed before the service was told
        with pytest.raises(Misconfigured, match="restart"):
            await drop_old(installed, is_running=True)
    async with living(installed) as lived:
        after = await lived.told("digests")
        assert (after["projection"], after["position"]) == (before["projection"], before["position"])
        assert {each["generation"] for each in (await lived.told("adoption"))["workers"]} == {"retriever.2"}


async def test_one_persons_file_is_made_anew_beside_the_old_one(installed: RuntimeSettings) -> None:
    async with living(installed) as lived:
        before, old = await lived.told("digests"), lived.file("retriever").stat().st_ino
        found = await rebuild_person(installed, SPACE, USER)
        assert (found["rebuilt"], found["compared"], found["differing"]) == (1, 1, [])
        assert (await lived.told("digests"))["projection"] == before["projection"]
        assert lived.file("retriever").stat().st_ino != old
        assert (await rebuild_person(installed, SPACE, "nobody"))["rebuilt"] == 0


async def test_who_differs_is_told_and_nothing_is_switched_unless_asked_for(installed: RuntimeSettings) -> None:
    async with living(installed):
        pass
    lived = Lived(installed, None)  # type: ignore[arg-type]
    _change(lived.file("retriever"), "UPDATE memories SET content = 'I live on the moon.' WHERE kind = 'fact'")
    async with living(installed) as lived:
        found = await rebuild_live(installed, is_running=True)
        assert (found.is_switched, len(found.differing)) == (False, 1)
        assert lived.generations.current.name == "retriever"
        assert "moon" in (await lived.memory.context("Where do I live?")).markdown
        assert (await rebuild_live(installed, is_running=True, in_any_case=True)).is_switched
        assert "moon" not in (await lived.memory.context("Where do I live?")).markdown


def _of_version(settings: RuntimeSettings, version: str) -> None:
    """Have the files be of another version of the schema: those of 20 had no table of shares."""
    folder = settings.files.projection("retriever")
    _change(folder / "index.db", f"UPDATE meta SET value = '{version}' WHERE key = 'schema_version'", "DROP TABLE given")
    for file in folder.glob("memories/*/*.db"):
        _change(file, "DROP TABLE shared_tags", "PRAGMA user_version = 0")


def _change(file: Path, *statements: str) -> None:
    engine = open_database(file)
    with engine.begin() as db:
        for statement in statements:
            db.exec_driver_sql(statement)
    engine.dispose()


async def _in_this_process(settings: RuntimeSettings, what: str) -> int:
    """What the service else has another process do, which takes seconds to start."""
    await {made_apart.FIRST: made_apart.make_first, made_apart.RENEW: made_apart.renew}[what](settings)
    return 0


@pytest.mark.parametrize("apart", [_in_this_process, pytest.param(made_apart.apart, marks=pytest.mark.nightly)])
@pytest.mark.parametrize("is_readable", [pytest.param(True, marks=pytest.mark.nightly), False])
async def test_files_of_another_version_answer_if_they_can_be_read_and_are_made_anew_by_themselves(
    installed: RuntimeSettings,
    monkeypatch: pytest.MonkeyPatch,
    apart: Callable[[RuntimeSettings, str], Awaitable[int]],
    *,
    is_readable: bool,
) -> None:
    async with living(installed) as lived:
        before = await lived.told("digests")
    _of_version(installed, "20" if is_readable else "1")
    shutil.copytree(installed.files.root / "retriever", installed.files.root / "retriever.2")  # never switched to, and as old
    answered = asyncio.Event()

    async def made(settings: RuntimeSettings, what: str) -> int:
        if what == made_apart.RENEW:
            await answered.wait()
        return await apart(settings, what)

    monkeypatch.setattr(renewing, "_MANY", 100)
    monkeypatch.setattr(renewing, "apart", made)
    async with living(installed) as lived:
        assert (await lived.memory.stats()).position == before["position"]
        if is_readable:
            assert (await lived.told("digests"))["content"] == before["content"]
            assert lived.generations.current.name == "retriever"
        answered.set()
        await until(lambda: lived.generations.current.name == "retriever.2", what="new files count")
        await until(lambda: len(lived.generations.complete) == 1, what="the old ones are gone")
        after = await lived.told("digests")
        assert (after["projection"], after["position"]) == (before["projection"], before["position"])
    with closing(ScopeIndex(installed.files.root / "retriever.2")) as index:
        assert index.earlier is None


@pytest.mark.parametrize("is_taken_over_first", [pytest.param(True, marks=pytest.mark.nightly), False])
async def test_what_is_forgotten_beside_a_rebuild_is_in_no_byte_of_old_and_new_files(
    installed: RuntimeSettings, *, is_taken_over_first: bool
) -> None:
    async with living(installed) as lived:
        await lived.memory.stats(after=await lived.memory.remember("My cat Quixeldra sleeps in the laundry basket."))
        await make(installed, lived.generations.next)
        if is_taken_over_first:
            assert (await rebuild_live(installed, is_running=True)).is_switched
        gone = await lived.memory.forget(query="Quixeldra")
        await until(lambda: is_erased(lived, gone.number or 0), what="the receipt")
        if not is_taken_over_first:
            assert (await rebuild_live(installed, is_running=True)).is_switched
        await until(lambda: not found(installed.files.root, ["quixeldra"]), what="no byte is left")
        assert (await lived.memory.list()).items


async def is_erased(lived: Lived, number: int) -> bool:
    return (await lived.memory.forgetting(number)).state == "done"
