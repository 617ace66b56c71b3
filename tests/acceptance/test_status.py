"""What `memstream status` says of the work that waits."""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from tests.acceptance.processes import Installation
from tests.support.forks import printed


async def _status(installation: Installation, *options: str) -> str:
    arguments = ("--data-dir", str(installation.files.root), *options, "status")
    said = await asyncio.to_thread(printed, "memstream", *arguments, environment={**os.environ, "COLUMNS": "200"})
    assert said.code == 0, said.err
    return said.out


async def _status_json(installation: Installation) -> dict[str, Any]:
    document: dict[str, Any] = json.loads(await _status(installation, "--json"))
    return document


@pytest.fixture
async def without_workers(tmp_path: Path) -> AsyncIterator[Installation]:
    """maintenance and the consolidator answer, and get nothing done: their endpoints are not there."""
    nowhere = "http://127.0.0.1:9/v1"
    environment = {
        "MEMSTREAM_EMBEDDER_KIND": "openai",
        "MEMSTREAM_EMBEDDER_BASE_URL": nowhere,
        "MEMSTREAM_EMBEDDER_RETRIES": "0",
        "MEMSTREAM_LLM_MODEL": "any",
        "MEMSTREAM_LLM_BASE_URL": nowhere,
        "MEMSTREAM_LLM_MAX_RETRIES": "0",
    }
    running = Installation(tmp_path / "data", environment=environment)
    await running.start()
    yield running
    await running.stop()


async def _say(installation: Installation) -> None:
    async with installation.bot() as bot:
        for number in (1, 2):
            turn = {"session_id": "s1", "text": f"I have {number} dogs.", "message_id": f"m{number}"}
            await bot.send("send.home.anna.user_message", turn)
        sequence = await bot.send("send.home.anna.end_session", {"session_id": "s1"})
        await bot.ask("ask.home.anna.outcome", {"sequence": sequence})


async def test_status_shows_what_waits_to_be_learned_and_embedded(without_workers: Installation) -> None:
    await _say(without_workers)
    for _ in range(100):
        status = await _status_json(without_workers)
        learning, embedding = (status[each] or {} for each in ("learning", "embedding"))  # None until the service is there
        if learning.get("failed") and embedding.get("backlog") == 2:
            break
    assert status["learning"]["pending"] == 1
    assert status["embedding"]["oldest_age_s"] > 0
    assert status["embedding"]["model"] == "text-embedding-3-large/256"
    for_people = await _status(without_workers)
    assert "1 session waits" in for_people
    assert "2 memories wait, the oldest for " in for_people


async def test_status_shows_that_nothing_waits_and_who_does_not_answer(installation: Installation) -> None:
    await _say(installation)
    await installation.learned()
    status = await _status_json(installation)
    assert (status["learning"]["pending"], status["learning"]["failed"]) == (0, 0)
    assert (status["embedding"]["backlog"], status["embedding"]["oldest_age_s"]) == (0, None)
    assert status["forgetting"] == {"erasing": 0, "waiting": 0, "to_rebuild": 0}
    assert "nothing waits to be erased" in await _status(installation)
    await installation.stop_services()
    status = await _status_json(installation)
    assert (status["learning"], status["embedding"], status["forgetting"]) == (None, None, None)
    assert status["backlog"] is None
    assert "backlog       unknown: ingest has not told yet" in await _status(installation)
