"""The code in the documentation runs, and the server says what the transcript says."""

from __future__ import annotations

import asyncio
import os
import re
import sys
from collections.abc import AsyncIterator
from contextlib import suppress
from pathlib import Path

import pytest
import pytest_asyncio

from services.ingest.app import build as build_ingest
from services.retriever.app import build as build_retriever
from shared.contracts.subjects import inbox_prefix
from shared.runtime.credentials import load_credentials
from shared.runtime.service import Service, run_services
from tests.support.installations import PATIENCE_S, Installation, until

ROOT = Path(__file__).parents[2]


@pytest_asyncio.fixture
async def memstream(own_server: Installation) -> AsyncIterator[Installation]:
    """What `memstream up` runs."""
    services: list[Service] = [build_ingest(own_server.settings), build_retriever(own_server.settings)]
    task = asyncio.create_task(run_services(services, version="test", http_port=None))
    try:
        await until(lambda: all(service.is_ready for service in services) or task.done(), what="the services are ready")
        yield own_server
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task


async def test_the_readmes_bot_remembers(memstream: Installation, tmp_path: Path) -> None:
    code = _block("README.md", "python")
    path = os.pathsep.join((str(ROOT), str(ROOT / "sdk")))
    environment = {**os.environ, "MEMSTREAM_DATA_DIR": str(memstream.settings.data_dir), "PYTHONPATH": path}
    bot = await asyncio.create_subprocess_exec(
        sys.executable, "-W", "error", "-c", code, cwd=tmp_path, env=environment, stdout=-1, stderr=-1
    )
    said, problems = await asyncio.wait_for(bot.communicate(), PATIENCE_S)
    assert bot.returncode == 0, problems.decode()
    assert _shape(said.decode()) == _shape(_block("README.md", "text") + "\n")


@pytest.mark.parametrize("which", [0, 1], ids=["privacy", "protocol"])
async def test_the_server_says_what_the_transcript_says(which: int, memstream: Installation) -> None:
    password = load_credentials(memstream.settings.files.credentials).bots["bot"].password
    host, _, port = memstream.server.url.removeprefix("nats://").partition(":")
    reader, writer = await asyncio.open_connection(host, int(port))
    try:
        transcript = _blocks("docs/bots.md", "text")[which]
        transcript = transcript.replace("<inbox>", inbox_prefix("bot", password)).replace("<password>", password)
        for line in transcript.splitlines():
            direction, words = line[:1], line[2:]
            if direction == ">":
                writer.write(words.encode() + b"\r\n")
            else:
                assert _shape(await _heard(reader, writer)) == _shape(words)
    finally:
        writer.close()
        await writer.wait_closed()


async def _heard(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> str:
    """The next line, but for the server's own pings."""
    while True:
        line = (await asyncio.wait_for(reader.readline(), PATIENCE_S)).decode().removesuffix("\r\n")
        if line != "PING":
            return line
        writer.write(b"PONG\r\n")


def _block(page: str, language: str) -> str:
    """The first block of code in this language."""
    return _blocks(page, language)[0]


def _blocks(page: str, language: str) -> list[str]:
    """Every one."""
    found = re.findall(rf"^```{language}\n(.*?)^```", (ROOT / page).read_text("utf-8"), re.DOTALL | re.MULTILINE)
    assert found, page
    return [str(block) for block in found]


def _shape(words: str) -> str:
    """Without ids, numbers and moments, which differ from run to run; of INFO the name alone."""
    if words.startswith("INFO "):
        return "INFO"
    return re.sub(r"\d+(?:\.\d+)?(?:e-\d+)?", "0", re.sub(r"\b(?:ep_|rec_)?[0-9a-f-]{12,}\b", "id", words))
