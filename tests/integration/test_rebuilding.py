"""Every projection is built anew from the log of a real server: in parts, by several processes, and after a crash."""

from __future__ import annotations

import json
import os
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from bench._installation import Installation
from bench._log import Plan, fabricate
from memstream import MemoryClient
from memstream.cli.launching import build
from memstream.cli.projections import digests, rebuild
from memstream.cli.server import any_server
from memstream.cli.services import PROJECTIONS
from shared.contracts.errors import ProjectionDamaged
from shared.runtime import rebuilding
from tests.support.forks import Fork
from tests.support.installations import PATIENCE_S, serving, until
from tests.support.installations import Installation as Server


@pytest_asyncio.fixture
async def remembered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Installation]:
    """Six people with a hundred events each, and a server."""
    monkeypatch.setenv("MEMSTREAM_EMBEDDER_KIND", "none")
    installation = Installation(tmp_path, "hashing")
    await installation.create()
    await fabricate(Plan(users=6, memories_each=45, embedder="hashing"), installation)
    async with any_server(installation.settings):
        yield installation


async def rebuilt(installation: Installation) -> dict[str, str]:
    return {name: await rebuild(name, installation.settings, lambda *_: None) for name in PROJECTIONS}


@pytest.mark.parametrize("cores", [pytest.param(1, marks=pytest.mark.nightly), 2])
async def test_however_the_log_is_dealt_out_the_digests_are_the_same(
    remembered: Installation, monkeypatch: pytest.MonkeyPatch, cores: int
) -> None:
    whole = await rebuilt(remembered)
    monkeypatch.setattr("os.cpu_count", lambda: cores)
    monkeypatch.setattr(rebuilding, "_PORTION", 40)  # less than a person has
    assert await rebuilt(remembered) == whole
    for name, digest in whole.items():
        found = await digests(name, remembered.settings)
        assert found["projection"] == digest
        assert name not in {"ingest", "retriever"} or found["position"] == 6 * 2 * 45 + 6 * 2 * 3


async def test_a_rebuild_that_is_killed_leaves_the_old_one_and_the_next_one_is_whole(
    remembered: Installation, tmp_path: Path
) -> None:
    whole = await rebuilt(remembered)
    for name in PROJECTIONS:
        fresh = remembered.files.root / f"{name}.new"
        arguments = ("--data-dir", str(remembered.root), "rebuild", "--projection", name)
        process = Fork("memstream", *arguments, environment=os.environ, out=tmp_path / "out", err=tmp_path / "err")
        await until(fresh.exists, what="the rebuild has begun")
        process.kill()
        await process.wait()
        assert (await digests(name, remembered.settings))["projection"] == whole[name]
    assert await rebuilt(remembered) == whole
    assert not list(remembered.root.glob("*.new"))


async def test_what_a_killed_rebuild_left_goes_when_the_service_starts(remembered: Installation) -> None:
    left = [remembered.root / f"{name}.new" / "parts" for name in PROJECTIONS]
    for folder in left:
        folder.mkdir(parents=True)
        (folder / "0.events").write_text("what anna said", encoding="utf-8")
    async with serving(*(build(name, remembered.settings) for name in PROJECTIONS)) as running:
        assert not running.done()
        assert not list(remembered.root.glob("*.new"))


async def test_a_damaged_index_of_people_is_built_anew_from_the_log(remembered: Installation) -> None:
    whole = await rebuild("retriever", remembered.settings, lambda *_: None)
    index = remembered.settings.files.projection("retriever") / "index.db"
    index.write_bytes(b"\0" * index.stat().st_size)
    with pytest.raises(ProjectionDamaged, match="memstream rebuild --projection retriever"):
        await digests("retriever", remembered.settings)
    assert await rebuild("retriever", remembered.settings, lambda *_: None) == whole
    assert (await digests("retriever", remembered.settings))["projection"] == whole


async def test_a_rebuild_gives_the_digest_of_the_live_run(own_server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEMSTREAM_EMBEDDER_KIND", "none")
    settings = own_server.settings
    async with serving(*(build(name, settings) for name in ("ingest", "retriever"))):
        async with MemoryClient(space="home", user="anna", url=settings.nats_url, data_dir=settings.data_dir) as anna:
            tea = (await anna.remember("@ben drinks tea on Mondays", tags=["tea"])).memory_id or ""
            await anna.remember("@ben drinks TEA on Mondays!", tags=["drinks"])
            right = await anna.correct(tea, "@ben drinks coffee on Mondays")
            await anna.pin(right.memory_id or "")
            await anna.change_settings({"soft_cap": 9})
            last = await anna.restore(tea)
            await anna.stats(after=last)
        async with own_server.connected("operator") as client:
            live = json.loads((await client.request("admin.retriever.digests", b"", timeout=PATIENCE_S)).data)
    assert await rebuild("retriever", settings, lambda *_: None) == live["projection"]
