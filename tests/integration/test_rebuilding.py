"""Every projection is built anew from the log of a real server: in parts, by several processes, and after a crash."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator
from contextlib import suppress
from pathlib import Path

import pytest
import pytest_asyncio

from bench._installation import Installation
from bench._log import Plan, fabricate
from memstream.cli.projections import digests, rebuild
from memstream.cli.server import any_server
from memstream.cli.services import SERVICES, build
from shared.runtime import rebuilding
from shared.runtime.service import run_services
from tests.support.installations import until

ROOT = Path(__file__).parents[2]


@pytest_asyncio.fixture
async def installation_of(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Installation]:
    """Six people with a hundred events each, and a server."""
    monkeypatch.setenv("MEMSTREAM_EMBEDDER_KIND", "none")
    installation = Installation(tmp_path, "hashing")
    await installation.create()
    await fabricate(Plan(users=6, memories_each=45, embedder="hashing"), installation)
    async with any_server(installation.settings):
        yield installation


async def rebuilt(installation: Installation) -> dict[str, str]:
    return {name: await rebuild(name, installation.settings, lambda *_: None) for name in SERVICES}


@pytest.mark.parametrize("cores", [1, 2])
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


async def test_a_rebuild_that_is_killed_leaves_the_old_one_and_the_next_one_is_whole(remembered: Installation) -> None:
    whole = await rebuilt(remembered)
    for name in SERVICES:
        fresh = remembered.files.root / f"{name}.new"
        arguments = ("-m", "memstream", "--data-dir", str(remembered.root), "rebuild", "--projection", name)
        process = await asyncio.create_subprocess_exec(sys.executable, *arguments, cwd=ROOT, stdout=asyncio.subprocess.DEVNULL)
        await until(fresh.exists, what="the rebuild has begun")
        with suppress(ProcessLookupError):
            process.kill()
        await process.wait()
        assert (await digests(name, remembered.settings))["projection"] == whole[name]
    assert await rebuilt(remembered) == whole
    assert not list(remembered.root.glob("*.new"))


async def test_what_a_killed_rebuild_left_goes_when_the_service_starts(remembered: Installation) -> None:
    left = [remembered.root / f"{name}.new" / "parts" for name in SERVICES]
    for folder in left:
        folder.mkdir(parents=True)
        (folder / "0.events").write_text("what anna said", encoding="utf-8")
    services = [build(name, remembered.settings) for name in SERVICES]
    running = asyncio.create_task(run_services(services, version="test", http_port=None))
    try:
        await until(lambda: running.done() or all(service.is_ready for service in services), what="the services are ready")
        assert not running.done()
        assert not list(remembered.root.glob("*.new"))
    finally:
        running.cancel()
        with suppress(asyncio.CancelledError):
            await running
