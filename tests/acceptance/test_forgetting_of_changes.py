"""Facts that changed are forgotten like others: what they were, what was asked, and what agents and imports made of them."""

from __future__ import annotations

from typing import Any

import pytest

from tests.acceptance.everywhere import found
from tests.acceptance.processes import Bot, Installation
from tests.acceptance.settling import rebuilt_digests, stopped_at_rest

HOMES = ("Quixhaven", "Zelmwickburg")
JOBS = ("Brontolithics", "Vorpalgenix")
OTHERS = ("Wumblethorn", "Kestrelbyte")
SAID = (
    ("s1", "I live in Quixhaven and I work at Brontolithics."),
    ("s2", "I live in Zelmwickburg now."),
    ("s3", "I think I work at Vorpalgenix now."),
    ("s4", "My gym is Wumblethorn."),
    ("s5", "not Wumblethorn, Kestrelbyte"),
)


async def _decided(bot: Bot, what: str, fields: dict[str, Any], user: str = "anna", space: str = "home") -> dict[str, Any]:
    sequence = await bot.send(f"send.{space}.{user}.{what}", fields)
    return await bot.ask(f"ask.{space}.{user}.outcome", {"sequence": sequence, "timeout_s": 20})


async def _live(installation: Installation, bot: Bot, *victims: str, user: str = "anna", space: str = "home") -> None:
    """Months of somebody who moves, doubts, corrects, restores, undoes, has an agent learn, and moves their memories."""
    for number, (session, text) in enumerate(SAID):
        turn = {
            "session_id": session,
            "text": text,
            "message_id": f"m{number}",
            "occurred_at": f"2026-0{number + 1}-03T10:00:00Z",
        }
        await _decided(bot, "user_message", turn, user, space)
        await _decided(bot, "agent_response", {"session_id": session, "text": f"So: {text}"}, user, space)
        for victim in victims[number : number + 1]:
            await installation.kill(victim)
        await _decided(bot, "end_session", {"session_id": session}, user, space)
    await installation.learned()
    await _doubt_the_job(bot, user, space)
    facts = await _facts(bot, user, space)
    assert any(fact["outdated"] or fact["status"] == "superseded" for fact in facts)
    asked = await bot.ask(f"ask.{space}.{user}.conflicts", {})
    assert asked["conflicts"], facts
    for fact in facts:
        await _decided(bot, "restore", {"memory_id": fact["memory_id"]}, user, space)
    told = await _decided(bot, "remember_fact", {"text": "I live in Quixhaven again."}, user, space)
    await _decided(bot, "undo", {"memory_id": told["memory_id"]}, user, space)
    await _learn_as_an_agent(bot, user, space)
    await bot.ask(f"ask.{space}.{user}.context", {"query": "Where do I live and work?", "session_id": "s9"})
    await installation.learned()


async def _doubt_the_job(bot: Bot, user: str, space: str) -> None:
    """Say that the last told job may stand in the place of the first."""
    facts = await _facts(bot, user, space)
    first, last = (next(fact["memory_id"] for fact in facts if job in fact["text"]) for job in JOBS)
    named = {"memory_id": first, "superseded_by": last, "is_certain": False}
    await _decided(bot, "resolve_conflict", named, user, space)


async def _learn_as_an_agent(bot: Bot, user: str, space: str) -> None:
    told = await bot.ask(f"ask.{space}.{user}.list", {"kinds": ["episode"], "session_id": "s1"})
    assert "items" in told, told
    own = next(turn["memory_id"] for turn in told["items"] if turn["role"] == "user")
    facts = [
        {"text": text, "source_ids": [own]}
        for text in ("The user's home is Quixhaven.", "The user met a dragon called Smorgandrake.")
    ]
    outcome = await _decided(bot, "save_facts_batch", {"session_id": "s1", "facts": facts, "run_id": "agent-1"}, user, space)
    assert outcome["verdict"] == "recorded"
    await _decided(bot, "undo", {"run_id": "agent-1"}, user, space)


async def _facts(bot: Bot, user: str = "anna", space: str = "home") -> list[dict[str, Any]]:
    answer = await bot.ask(f"ask.{space}.{user}.list", {"kinds": ["fact"], "status": "all", "limit": 200})
    return list(answer["items"])


async def _forget(bot: Bot, command: str, fields: dict[str, Any]) -> None:
    outcome = await _decided(bot, command, fields)
    assert outcome["verdict"] == "recorded", outcome
    assert (await bot.receipt("anna", outcome["number"]))["scan"]["found"] == 0


async def test_what_changed_is_forgotten_with_all_that_came_of_it(installation: Installation) -> None:
    root = installation.files.root
    async with installation.bot() as bot:
        await _live(installation, bot)
        assert found(root, [*HOMES, *JOBS, *OTHERS])
        for word in ("Quixhaven", "Vorpalgenix", "Wumblethorn"):
            await _forget(bot, "forget", {"query": word})
            await installation.rebuilt()
            await installation.at_rest()
            assert not found(root, [word])
            assert word not in str([await bot.ask("ask.home.anna.conflicts", {}), await _facts(bot)])
        assert not found(root, ["Smorgandrake"])
        await _forget(bot, "forget_user", {})
        live = await stopped_at_rest(installation)
        assert not found(root, [*HOMES, *JOBS, *OTHERS])
    assert await rebuilt_digests(installation) == live


@pytest.mark.nightly
async def test_killed_meanwhile_what_is_moved_to_another_person_is_forgotten_by_the_one_alone(
    installation: Installation,
) -> None:
    async with installation.bot() as bot:
        await _live(installation, bot, "ingest", "consolidator", "retriever", "ingest", "retriever")
        page = await bot.ask("ask.home.anna.export", {})
        await _decided(bot, "remember_fact", {"text": "I live in Zelmwickburg.", "occurred_at": "2026-05-05T10:00:00Z"}, "ben")
        outcome = await _decided(bot, "import_memories", {"records": page["records"][:200]}, "ben")
        assert outcome["verdict"] == "recorded"
        await installation.learned()
        texts = [fact["text"] for fact in await _facts(bot, "ben") if fact["status"] == "active" and not fact["outdated"]]
        assert sum("Zelmwickburg" in text for text in texts) == 1
        sequence = await bot.send("send.home.anna.forget", {"query": "Zelmwickburg"})
        await installation.kill("ingest")
        outcome = await bot.ask("ask.home.anna.outcome", {"sequence": sequence, "timeout_s": 20})
        assert (await bot.receipt("anna", outcome["number"]))["scan"]["found"] == 0
        await installation.rebuilt()
        assert "Zelmwickburg" in str(await _facts(bot, "ben"))
        assert "Zelmwickburg" not in str(await _facts(bot))
        live = await stopped_at_rest(installation)
    assert await rebuilt_digests(installation) == live
