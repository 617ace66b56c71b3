"""Promise 1: an acknowledged write is never lost and never applied twice, whatever dies when."""

from __future__ import annotations

import asyncio
import random
from collections import Counter
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from shared.contracts.events import EpisodeRecorded, FactRemembered, SessionConsolidated, decode
from shared.runtime.connection import operator_connection
from shared.runtime.eventlog.read import LogReader
from tests.acceptance.processes import SERVICES, Bot, Installation

_KILLS = 20
_USERS = ("anna", "marcus", "a.b *>😀")
_TOKENS = ("anna", "marcus", "a%2Eb%20%2A%3E%F0%9F%98%80")
_SESSIONS = 12
_TURNS = 20


def _messages(token: str) -> list[tuple[str, dict[str, Any]]]:
    """An import in small pieces, with live turns and facts between them. Both roles use equal message ids."""
    messages: list[tuple[str, dict[str, Any]]] = []
    for session in range(_SESSIONS):
        turns = [
            {
                "role": ("user", "assistant")[turn % 2],
                "session_id": f"s{session}",
                "message_id": f"m{session}-{turn // 2}",
                "occurred_at": f"2026-03-{session + 1:02}T10:{turn:02}:00Z",
                "text": f"{token} says word{session}x{turn}. My sister lives in Oslo{session} and I love tea.",
            }
            for turn in range(_TURNS)
        ]
        messages.append(("import_turns", {"message_id": f"import-{session}", "turns": turns}))
        live = {"session_id": f"s{session}", "message_id": f"live-{session}", "text": f"live word in {session}"}
        messages.append(("user_message", live | {"occurred_at": f"2026-03-{session + 1:02}T11:00:00Z"}))
        messages.append(("remember_fact", {"message_id": f"fact-{session}", "text": f"fact {session} of {token}"}))
    return messages


_NO_CLOCK = {"MEMSTREAM_MAINTENANCE_SESSION_IDLE_MINUTES": "0"}
"""What the clock ends depends on how long a run takes; the disturbed one takes longer."""


async def _play(bot: Bot, token: str, pause: random.Random | None) -> None:
    last = 0
    for what, payload in _messages(token):
        last = await bot.send(f"send.home.{token}.{what}", payload)
        if pause:
            await asyncio.sleep(pause.uniform(0, 0.6))
    answer = await bot.ask(f"ask.home.{token}.outcome", {"sequence": last, "timeout_s": 4})
    assert "verdict" in answer, answer
    stats = await bot.ask(f"ask.home.{token}.stats", {"min_position": answer["position"], "timeout_s": 4})
    assert stats["memories"]["episode"] == _SESSIONS * (_TURNS + 1)
    assert stats["memories"]["fact"] >= _SESSIONS


async def _kill_at_random(installation: Installation, seed: int) -> None:
    chance = random.Random(seed)
    victims = [*SERVICES, "server"]
    for kill in range(_KILLS):
        await asyncio.sleep(chance.uniform(0.05, 0.6))
        await installation.kill(victims[kill] if kill < len(victims) else chance.choice(victims))


async def _run(installation: Installation, seed: int | None) -> dict[str, Any]:
    await installation.start()
    async with installation.bot() as bot:
        pause = None if seed is None else random.Random(seed)
        players = [asyncio.create_task(_play(bot, token, pause)) for token in _TOKENS]
        if seed is not None:
            await _kill_at_random(installation, seed)
        await asyncio.gather(*players)
    await installation.learned()
    return await installation.admin("admin.retriever.digests")


@pytest.fixture
async def twins(tmp_path: Path) -> AsyncIterator[tuple[Installation, Installation]]:
    """Two installations with the same keys: ids and scopes are then the same in both."""
    calm = Installation(tmp_path / "calm", environment=_NO_CLOCK)
    troubled = Installation(tmp_path / "troubled", keys_from=calm.files.keys, environment=_NO_CLOCK)
    yield calm, troubled
    await calm.stop()
    await troubled.stop()


@pytest.mark.timeout(600)
async def test_twenty_kills_lose_nothing_and_double_nothing(twins: tuple[Installation, Installation]) -> None:
    calm, troubled = twins
    expected = await _run(calm, None)
    disturbed = await _run(troubled, seed=2026)
    assert disturbed["content"] == expected["content"]
    assert await _told(troubled) == await _told(calm)
    consolidated = await _consolidations(troubled)
    assert consolidated == await _consolidations(calm)
    assert consolidated
    assert set(consolidated.values()) == {1}


async def _consolidations(installation: Installation) -> Counter[tuple[str, str, int]]:
    """How often each completion of a session was learned from."""
    found: Counter[tuple[str, str, int]] = Counter()
    async with operator_connection(installation.settings) as client:
        async for batch in LogReader(client).to_end():
            for record in batch:
                event = decode(record.data)
                if isinstance(event.data, SessionConsolidated):
                    found[event.user, event.data.session_id, event.data.facts] += 1
    return found


async def _told(installation: Installation) -> dict[tuple[str, str], list[str]]:
    """What the log itself says: texts by user and session; and its numbers are gapless, its ids unique."""
    numbers: dict[str, int] = {}
    ids: set[str] = set()
    told: dict[tuple[str, str], list[str]] = {}
    async with operator_connection(installation.settings) as client:
        async for batch in LogReader(client).to_end():
            for record in batch:
                event = decode(record.data)
                assert event.number == numbers.get(record.scope, 0) + 1
                numbers[record.scope] = event.number
                assert event.event_id not in ids
                ids.add(event.event_id)
                if isinstance(event.data, EpisodeRecorded | FactRemembered):
                    told.setdefault((event.user, event.data.session_id or ""), []).append(event.data.text)
    assert {user for user, _ in told} == set(_USERS)
    return told
