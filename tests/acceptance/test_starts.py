"""However the threads of a start take turns, it comes to a whole memstream: every question after it is answered in full."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from functools import partial
from pathlib import Path
from typing import Any

import nats
import pytest

from shared.contracts.subjects import inbox_prefix
from shared.runtime.credentials import load_credentials
from shared.runtime.datadir import DataDir
from tests.acceptance.processes import Bot
from tests.support.installations import until

PEOPLE = ("anna", "ben", "cleo", "dana", "eve", "finn")
QUESTIONS: list[tuple[str, dict[str, Any]]] = [
    ("context", {"query": "What does the person drink in the evening?"}),
    ("search", {"query": "tea or coffee"}),
    ("list", {}),
]
UNRULY = """
import sys
sys.setswitchinterval(1e-6)
sys.setswitchinterval = lambda _: None
from memstream.__main__ import main
main()
"""
"""Threads take turns after every microsecond, whatever the services set."""


async def test_every_question_after_every_start_is_answered_in_full(tmp_path: Path) -> None:
    await _starts(tmp_path / "data", 3)


@pytest.mark.nightly  # a quarter of an hour
@pytest.mark.timeout(3600)
async def test_two_hundred_starts_leave_none_broken(tmp_path: Path) -> None:
    await _starts(tmp_path / "data", 200)


@pytest.mark.parametrize("kind", ["minilm", "hashing"])
def test_the_extensions_are_there_before_any_other_thread_begins(tmp_path: Path, kind: str) -> None:
    watched = """
import sys, threading
begin = threading.Thread.start
def start(self):
    if not self.name.startswith("asyncio-waitpid"):  # it waits for the server's process, and imports nothing
        print(sorted({"numpy", "onnxruntime"} & set(sys.modules)), file=sys.stderr, flush=True)
    begin(self)
threading.Thread.start = start
sys.argv[1:] = ["up", "--port", "0", "--http-port", "0", "--gateway-port", "0"]
from memstream.__main__ import main
main()
"""
    environment = {**os.environ, "MEMSTREAM_DATA_DIR": str(tmp_path / "data"), "MEMSTREAM_EMBEDDER_KIND": kind}
    with subprocess.Popen([sys.executable, "-c", watched], env=environment, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        imported = next(line for line in process.stderr if line.startswith("["))
        process.terminate()
    assert imported.strip() == str(["numpy", "onnxruntime"] if kind == "minilm" else ["numpy"])


async def _has_vectors(bot: Bot, user: str) -> bool:
    return not (await bot.ask(f"ask.home.{user}.search", {"query": "tea or coffee"}))["legs_failed"]


async def _starts(root: Path, count: int) -> None:
    failed = []
    for number in range(count):
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-c", UNRULY, "up", "--json", "--port", "0", "--http-port", "0", "--gateway-port", "0"),
            env={**os.environ, "MEMSTREAM_DATA_DIR": str(root), "MEMSTREAM_RETRIEVER_QUERY_EMBEDDING_TIMEOUT_S": "30"},
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL,
        )
        assert process.stdout is not None
        url = json.loads(await process.stdout.readline())["url"]
        password = load_credentials(DataDir(root).credentials).bots["bot"].password
        async with await nats.connect(url, user="bot", password=password, inbox_prefix=inbox_prefix("bot", password)) as client:
            bot = Bot(client)
            if number == 0:
                for user in PEOPLE:
                    sequence = await bot.send(f"send.home.{user}.remember_fact", {"text": f"{user} drinks tea every evening."})
                    await bot.ask(f"ask.home.{user}.outcome", {"sequence": sequence, "timeout_s": 20})
                    await until(partial(_has_vectors, bot, user), what="what was said just now can be searched by its meaning")
            asked = [bot.ask(f"ask.home.{user}.{query}", asks) for user in PEOPLE for query, asks in QUESTIONS]
            failed += [answer for answer in await asyncio.gather(*asked) if "error" in answer or answer.get("legs_failed")]
        process.terminate()
        await process.wait()
    assert failed == [], [(a.get("error"), a.get("leg_failures")) for a in failed]
