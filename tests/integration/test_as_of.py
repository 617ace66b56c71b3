"""What would have been recalled then: the same questions, put to the past."""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
import pytest_asyncio

from shared.contracts.errors import Malformed
from tests.integration.test_explain import scratch_files
from tests.support.installations import Installation
from tests.support.services import Answering, answering

USER = "anna"
LAKE, CANAL = "We saw a heron by the lake", "We saw a heron by the canal"
QUERIES = {"context": {"query": "heron"}, "search": {"query": "heron"}, "list": {}}


@pytest_asyncio.fixture
async def running(own_server: Installation) -> AsyncIterator[Answering]:
    async with answering(own_server, space="home") as running:
        yield running


async def texts(running: Answering, name: str, **then: object) -> list[str]:
    answer = await running.bot.ask(USER, name, QUERIES[name] | then)
    return [item["text"] for item in answer["items"]]


async def moment_of(running: Answering, text: str) -> datetime:
    [found] = [item for item in (await running.bot.ask(USER, "list", {}))["items"] if item["text"] == text]
    return datetime.fromisoformat(found["recorded_at"])


@pytest.mark.parametrize("name", QUERIES)
async def test_what_came_later_was_not_known_then(running: Answering, own_server: Installation, name: str) -> None:
    first = await running.bot.said(USER, LAKE, "s1")
    last = await running.bot.said(USER, CANAL, "s2")
    assert set(await texts(running, name, min_position=last.position)) == {LAKE, CANAL}
    assert await texts(running, name, at_number=first.number) == [LAKE]
    lake = await moment_of(running, LAKE)
    assert await texts(running, name, as_of=lake.isoformat()) == [LAKE]
    assert await texts(running, name, as_of=(lake - timedelta(seconds=1)).isoformat()) == []
    assert set(await texts(running, name, as_of=datetime(2999, 1, 1, tzinfo=UTC).isoformat())) == {LAKE, CANAL}
    assert scratch_files(own_server) == []


async def test_a_correction_was_not_known_before_it_was_made(running: Answering) -> None:
    old = await told(running, "remember_fact", {"text": "The heron nests by the lake"})
    new = await told(running, "correct_fact", {"memory_id": old["memory_id"], "text": "The heron nests by the canal"})
    assert await texts(running, "context", min_position=new["position"]) == ["The heron nests by the canal"]
    assert await texts(running, "context", at_number=old["number"]) == ["The heron nests by the lake"]


@pytest.mark.parametrize("name", QUERIES)
async def test_what_is_forgotten_is_not_known_of_then_either(running: Answering, name: str) -> None:
    lake = await running.bot.said(USER, LAKE, "s1")
    canal = await running.bot.said(USER, CANAL, "s2")
    gone = await told(running, "forget", {"memory_ids": [lake.memory_id], "only": True})
    assert await texts(running, name, at_number=canal.number, min_position=gone["position"]) == [CANAL]


@pytest.mark.parametrize("name", ["context", "search"])
async def test_while_memory_is_off_the_past_is_withheld_too(running: Answering, name: str) -> None:
    lake = await running.bot.said(USER, LAKE, "s1")
    off = await told(running, "change_settings", {"settings": {"memory_enabled": False}})
    asked = QUERIES[name] | {"at_number": lake.number, "min_position": off["position"]}
    answer = await running.bot.ask(USER, name, asked)
    assert (answer["items"], answer["withheld"]) == ([], "memory_off")


async def test_one_then_is_enough_and_a_stranger_has_none(running: Answering) -> None:
    await running.bot.said(USER, LAKE, "s1")
    with pytest.raises(Malformed, match="not both"):
        await texts(running, "search", at_number=1, as_of="2026-01-01T00:00:00Z")
    for name, query in QUERIES.items():
        assert (await running.bot.ask("ben", name, query | {"at_number": 3}))["items"] == []


async def told(running: Answering, what: str, command: dict[str, Any]) -> dict[str, Any]:
    outcome = await running.bot.outcome(USER, sequence=await running.bot.send(USER, what, command))
    assert outcome.verdict == "recorded"
    return outcome.model_dump()
