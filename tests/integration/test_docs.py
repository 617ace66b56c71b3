"""The code in the documentation runs, and the server says what the transcript says."""

from __future__ import annotations

import asyncio
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
from tests.support.pages import blocks, run_python

NOTEBOOK = """
import ast, asyncio

async def notebook(cells):
    names = {}
    for cell in cells:
        body = ast.parse(cell).body
        last = body.pop() if isinstance(body[-1], ast.Expr) else None
        exec(compile(ast.Module(body, []), "cell", "exec"), names)
        if last:
            print(eval(compile(ast.Expression(last.value), "cell", "eval"), names))

"""


FRAGMENT = """
import asyncio
from types import SimpleNamespace as Some
from memstream import MemoryClient

async def answer(**_):
    function = Some(name="remember_fact", arguments='{"text": "Anna lives in Oslo"}')
    return Some(choices=[Some(message=Some(tool_calls=[Some(function=function)]))])

openai = Some(chat=Some(completions=Some(create=answer)))

async def main(result=None):
    async with MemoryClient(space="shop", user="anna") as memory:
        BLOCK
        print(result)

asyncio.run(main())
"""
"""A program around a few lines that need a client and, for tools, a model that asks for one."""


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


@pytest.mark.parametrize("which", [0, 1], ids=["sync", "async"])
async def test_the_readmes_bot_remembers(which: int, memstream: Installation, tmp_path: Path) -> None:
    said = await run_python(blocks("README.md", "python")[which], tmp_path, memstream.settings.data_dir)
    assert _shape(said) == _shape(blocks("README.md", "text")[0] + "\n")


@pytest.mark.parametrize("which", [0, 1], ids=["bot", "people"])
async def test_the_quick_start_remembers(which: int, memstream: Installation, tmp_path: Path) -> None:
    first, *_ = programs = blocks("docs/quickstart.md", "python")
    data = memstream.settings.data_dir
    assert "I am allergic to shrimp." in (said := await run_python(first, tmp_path, data))
    if which:
        said = await run_python(programs[which], tmp_path, data)
        assert said == "This is what I remember about shrimp:\n- I am allergic to shrimp.\n"


async def test_what_mem0_knew_is_taken_along_once(memstream: Installation, tmp_path: Path) -> None:
    [program] = blocks("docs/coming-from-mem0.md", "python")
    data = memstream.settings.data_dir
    assert await run_python(program, tmp_path, data) == "['Anna is allergic to shrimp.']\n"
    assert await run_python(program, tmp_path, data) == "['Anna is allergic to shrimp.']\n"


async def test_the_cells_of_the_notebook_run_under_a_running_loop(memstream: Installation, tmp_path: Path) -> None:
    program = f"{NOTEBOOK}asyncio.run(notebook({blocks('docs/recipes/notebook.md', 'python')!r}))"
    said = await run_python(program, tmp_path, memstream.settings.data_dir)
    assert said.count("The incubator runs at 37 degrees since Tuesday.") == 2


@pytest.mark.parametrize(("page", "said"), [("docs/tools.md", "'outcome': 'recorded'"), ("docs/python.md", "None")])
async def test_the_lines_on_the_page_run(page: str, said: str, memstream: Installation, tmp_path: Path) -> None:
    [block] = blocks(page, "python")
    program = FRAGMENT.replace("BLOCK", block.replace("\n", "\n" + " " * 8))
    assert said in await run_python(program, tmp_path, memstream.settings.data_dir)


async def test_the_program_on_the_page_of_mcp_gets_its_answer(memstream: Installation, tmp_path: Path) -> None:
    usual = tmp_path / ".local" / "share" / "memstream"
    usual.parent.mkdir(parents=True)
    usual.symlink_to(memstream.settings.data_dir)  # the protocol's client hands on no MEMSTREAM_DATA_DIR
    environment = {"HOME": str(tmp_path), "PATH": f"{Path(sys.executable).parent}:/usr/bin:/bin"}
    program = await asyncio.create_subprocess_exec(
        sys.executable, "-c", blocks("docs/mcp.md", "python")[0], cwd=tmp_path, env=environment, stdout=-1, stderr=-1
    )
    said, problems = await asyncio.wait_for(program.communicate(), PATIENCE_S)
    assert program.returncode == 0, problems.decode()
    assert said.decode() == blocks("docs/mcp.md", "text")[0]


@pytest.mark.parametrize("which", [0, 1], ids=["privacy", "protocol"])
async def test_the_server_says_what_the_transcript_says(which: int, memstream: Installation) -> None:
    password = load_credentials(memstream.settings.files.credentials).bots["bot"].password
    host, _, port = memstream.server.url.removeprefix("nats://").partition(":")
    reader, writer = await asyncio.open_connection(host, int(port))
    try:
        transcript = blocks("docs/bots.md", "text")[which]
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


def _shape(words: str) -> str:
    """Without ids, numbers and moments, which differ from run to run; of INFO the name alone."""
    if words.startswith("INFO "):
        return "INFO"
    return re.sub(r"\d+(?:\.\d+)?(?:e-\d+)?", "0", re.sub(r"\b(?:ep_|rec_)?[0-9a-f-]{12,}\b", "id", words))
