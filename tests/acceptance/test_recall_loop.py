"""What a context hands out and a bot says again is recorded and never learned; sessions end by silence and by hand."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from shared.contracts.envelope import Envelope
from shared.contracts.events import EpisodeRecorded, FactRemembered, MemoryRepeated, SessionCompleted, SessionConsolidated
from shared.contracts.ids import Space, User
from shared.runtime.connection import operator_connection
from tests.acceptance.processes import Bot, Installation
from tests.support.installations import events_of

_USER = "marcus"
_TAUGHT = "I am allergic to hazelnuts and walnuts."


async def _say(bot: Bot, what: str, text: str, session: str, **more: str) -> dict[str, Any]:
    turn = {"session_id": session, "text": text, **more}
    sequence = await bot.send(f"send.home.{_USER}.{what}", turn)
    return await bot.ask(f"ask.home.{_USER}.outcome", {"sequence": sequence})


async def _end(bot: Bot, installation: Installation, session: str) -> None:
    sequence = await bot.send(f"send.home.{_USER}.end_session", {"session_id": session})
    await bot.ask(f"ask.home.{_USER}.outcome", {"sequence": sequence})
    await installation.learned()


async def _context(bot: Bot, session: str) -> dict[str, Any]:
    """A context, once its recall is in the log."""
    answer = await bot.ask(f"ask.home.{_USER}.context", {"query": "What is Marcus allergic to?", "session_id": session})
    await bot.ask(f"ask.home.{_USER}.outcome", {"what": "record_recall", "message_id": answer["recall_id"]})
    return answer


async def _log(installation: Installation) -> list[Envelope]:
    async with operator_connection(installation.settings) as client:
        return await events_of(client, installation.keys.scope_of(Space("home"), User(_USER)), _USER)


def _evidence(events: list[Envelope]) -> dict[str, list[str]]:
    """The sources of every fact, repeats included, by the facts' ids."""
    sources: dict[str, list[str]] = {}
    for event in events:
        match event.data:
            case FactRemembered(memory_id=memory_id, source_ids=found):
                sources.setdefault(memory_id, []).extend(found)
            case MemoryRepeated(memory_id=memory_id, added_source_ids=found):
                sources.setdefault(memory_id, []).extend([*found, "repeated"])
    return sources


async def test_what_was_handed_out_and_comes_back_is_recorded_and_never_learned(installation: Installation) -> None:
    async with installation.bot() as bot:
        await _say(bot, "user_message", _TAUGHT, "s1", speaker="Marcus")
        await _end(bot, installation, "s1")
        before = _evidence(await _log(installation))
        assert before
        await _say(bot, "user_message", "What should I bake?", "s2", speaker="Marcus")
        block = (await _context(bot, "s2"))["markdown"]
        fact = next(line for line in block.splitlines() if line.startswith("- ") and "Marcus is allergic" in line).split(
            ") ", 1
        )[1]
        echoes = [
            await _say(bot, "agent_response", fact.split(" [")[0], "s2"),
            await _say(bot, "agent_response", "As far as I know you are allergic to hazelnuts and walnuts, so no.", "s2"),
            await _say(bot, "agent_response", block, "s2"),
            await _say(bot, "user_message", f"{block}\nWhat should I bake for her?", "s2", speaker="Marcus"),
            await _say(bot, "user_message", f"{_TAUGHT} {fact[fact.index('[') :]}", "s2", speaker="Marcus"),
        ]
        await _end(bot, installation, "s2")
        events = await _log(installation)
        recorded = {event.data.memory_id: event.data for event in events if isinstance(event.data, EpisodeRecorded)}
        assert all(recorded[echo["memory_id"]].echoes for echo in echoes)
        assert _evidence(events) == before
        runs = [event.data.origin for event in events if isinstance(event.data, SessionConsolidated)]
        assert ["echoes_cut" in run.parameters for run in runs] == [False, True]

        own = await _say(bot, "user_message", _TAUGHT, "s3", speaker="Marcus")
        await _end(bot, installation, "s3")
        sources = [source for found in _evidence(await _log(installation)).values() for source in found]
        assert own["memory_id"] in sources, "a user who says a fact again is new evidence"


@pytest.fixture
async def impatient(tmp_path: Path) -> AsyncIterator[Installation]:
    environment = {"MEMSTREAM_MAINTENANCE_SESSION_SETTLE_MINUTES": "0.001", "MEMSTREAM_MAINTENANCE_SWEEP_EVERY_S": "0.1"}
    running = Installation(tmp_path / "data", environment=environment)
    await running.start()
    yield running
    await running.stop()


async def _completed(installation: Installation) -> list[tuple[str, str]]:
    data = [event.data for event in await _log(installation)]
    return [(one.session_id, one.reason) for one in data if isinstance(one, SessionCompleted)]


async def test_an_imported_session_ends_by_its_age_and_one_of_now_by_hand(impatient: Installation) -> None:
    async with impatient.bot() as bot:
        await _say(bot, "user_message", _TAUGHT, "long ago", speaker="Marcus", occurred_at="2024-05-03T09:00:00Z")
        await _say(bot, "agent_response", "Hello again!", "now")
        while not await _completed(impatient):
            pass
        await impatient.learned()
        assert await _completed(impatient) == [("long ago", "idle")]
        facts = (await bot.ask(f"ask.home.{_USER}.list", {"kinds": ["fact"]}))["items"]
        assert any("hazelnuts" in fact["text"] for fact in facts)
    await impatient.kill("maintenance")
    assert await impatient.admin("admin.maintenance.sweep", {"idle_minutes": 60}) == {"sessions": 0}
    assert await impatient.admin("admin.maintenance.sweep", {}) == {"sessions": 1}
    await impatient.learned()
    assert await _completed(impatient) == [("long ago", "idle"), ("now", "swept")]
