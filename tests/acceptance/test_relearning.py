"""An old log keeps its facts until `memstream sessions relearn` learns anew from it, and one undo takes that back."""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import nats
import pytest

from shared.contracts.subjects import inbox_prefix
from shared.runtime.connection import operator_connection
from shared.runtime.credentials import load_credentials
from tests.acceptance.processes import Bot, Installation
from tests.support.forks import printed
from tests.support.installations import until

SAID = {
    "s1": "I live in Leeds.",
    "s2": "Going by experience, I currently live in a state of panic about my cello exam. My dog is called Rex.",
}
OLD: dict[str, list[tuple[str, str | None]]] = {
    "s1": [("The user lives in Leeds.", "leeds")],
    "s2": [("The user currently lives in a state of panic.", "a state of panic"), ("The user said: Rex barks", None)],
}


@pytest.fixture
async def with_old_facts(tmp_path: Path) -> AsyncIterator[Installation]:
    """One in which facts were recorded as an earlier version made them."""
    running = Installation(tmp_path / "data", environment={"MEMSTREAM_CONSOLIDATOR_BY": "agent"})
    await running.start()
    try:
        async with running.bot() as bot:
            await learn_then(running, bot)
        yield running
    finally:
        await running.stop()


async def learn_then(installation: Installation, bot: Bot) -> None:
    """Say everything, and record of it what an earlier version had learned."""
    for session, text in SAID.items():
        await bot.send("send.home.anna.user_message", {"session_id": session, "text": text, "message_id": session})
        ended = await bot.send("send.home.anna.end_session", {"session_id": session})
        position = (await bot.ask("ask.home.anna.outcome", {"sequence": ended}))["position"]
    password = load_credentials(installation.files.credentials).services["consolidator"]
    prefix = inbox_prefix("consolidator", password)
    consolidator = await nats.connect(installation.server.url, user="consolidator", password=password, inbox_prefix=prefix)
    for session in SAID:
        asked = {"kinds": ["episode"], "session_id": session, "min_position": position}
        [turn] = (await bot.ask("ask.home.anna.list", asked))["items"]
        await Bot(consolidator).send("work.home.anna.save_facts", learned_then(session, turn))
    await consolidator.close()
    await until(lambda: is_known(bot, 2), what="the old facts are known")


def learned_then(session: str, turn: dict[str, Any]) -> dict[str, Any]:
    """What an earlier version sent of a session."""
    facts = [
        {
            "text": text,
            "source_ids": [turn["memory_id"]],
            "occurred_at": turn["occurred_at"],
            "slots": [{"subject": "user", "attribute": "home", "value": home}] if home else [],
            "is_whole": home is not None,
        }
        for text, home in OLD[session]
    ]
    origin = {"extractor": "rules/1", "run_id": f"run-{session}"}
    page = {"page": 0, "is_last": True, "through_number": turn["number"] + 1}
    return {"session_id": session, "message_id": f"{session}/0", "facts": facts, "origin": origin, **page}


async def live_facts(bot: Bot) -> set[str]:
    return {fact["text"] for fact in (await bot.ask("ask.home.anna.list", {"kinds": ["fact"]}))["items"]}


async def is_known(bot: Bot, count: int) -> bool:
    return len(await live_facts(bot)) == count


async def end_of_log(installation: Installation) -> int:
    async with operator_connection(installation.settings) as client:
        return int((await client.jetstream().stream_info("MEMORY")).state.last_seq)


async def relearn(installation: Installation, *arguments: str, command: str = "sessions relearn") -> dict[str, Any]:
    words = [*command.split(), *arguments, "--space", "home", "--json", "--data-dir", str(installation.files.root)]
    environment = {**os.environ, "MEMSTREAM_NATS_URL": installation.server.url}
    told = await asyncio.to_thread(printed, "memstream", *words, environment=environment)
    assert told.code == 0, told.err
    document: dict[str, Any] = json.loads(told.out)
    return document


async def test_old_facts_stay_until_they_are_relearned_and_one_undo_takes_that_back(with_old_facts: Installation) -> None:
    async with with_old_facts.bot() as bot:
        old = {"The user currently lives in a state of panic.", "The user said: Rex barks"}
        assert await live_facts(bot) == old
        await with_old_facts.learned()  # vectors come later
        before = await end_of_log(with_old_facts)
        dry = await relearn(with_old_facts, "--all-of", "anna", "--dry-run")
        assert (dry["run_id"], list(dry["sessions"])) == (None, ["s2", "s1"])
        assert dry["sessions"]["s1"] == []
        changes = [(each["type"], each["text"]) for each in dry["sessions"]["s2"]]
        assert ("memory_restored", "The user lives in Leeds.") in changes
        assert {text for what, text in changes if what == "memory_retired"} == old
        assert await end_of_log(with_old_facts) == before

        real = await relearn(with_old_facts, "--all-of", "anna")
        assert [[(each["type"], each["text"]) for each in of] for of in real["sessions"].values()] == [changes, []]
        new = {text for what, text in changes if what == "fact_remembered"} | {"The user lives in Leeds."}
        await until(lambda: is_known(bot, len(new)), what="what is learned anew is known")
        assert await live_facts(bot) == new
        again = await relearn(with_old_facts, "s1", "s2", "--user", "anna")
        assert (again["run_id"], again["sessions"]) == (None, {"s1": [], "s2": []})

        await relearn(with_old_facts, real["run_id"], "--user", "anna", command="undo")
        await until(lambda: is_known(bot, len(old)), what="what was learned anew is taken back")
        assert await live_facts(bot) == old
