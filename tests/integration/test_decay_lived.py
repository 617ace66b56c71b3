"""Decay as it is lived: all services on a clock that is moved."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import Any

from tests.support.lifetime import Life, living

ONLY = {"decay"}


async def told(life: Life, text: str) -> str:
    await life.bot.outcome("anna", sequence=await life.bot.send("anna", "remember_fact", {"text": text}))
    await life.at_rest()
    items = (await life.bot.ask("anna", "list", {"kinds": ["fact"]}))["items"]
    return next(str(memory["memory_id"]) for memory in items if memory["text"] == text)


async def shown(life: Life, memory_id: str) -> dict[str, Any]:
    found: dict[str, Any] = (await life.bot.ask("anna", "show", {"memory_id": memory_id}))["memory"]
    return found


async def live(life: Life, **then: object) -> dict[str, float]:
    items = (await life.bot.ask("anna", "list", {"kinds": ["fact"], **then}))["items"]
    return {str(memory["memory_id"]): float(memory["confidence"]) for memory in items}


async def test_a_month_of_facts_that_are_used_confirmed_and_left_alone(tmp_path: Path) -> None:
    async with living(tmp_path / "life", is_still=True) as life:
        began = life.clock.now()
        tea, boats = await told(life, "Ben likes tea"), await told(life, "Cleo rows boats")
        await life.bot.outcome("anna", sequence=await life.bot.send("anna", "confirm_fact", {"memory_id": boats}))

        await life.nights.through(days=10, only=ONLY)
        assert await live(life) == {tea: 0.368, boats: 1.0}
        assert (await shown(life, tea))["confidence_then"] == 1.0

        await life.nights.through(days=15, only=ONLY)
        previewed = (await life.admin("admin.maintenance.preview", {"job": "decay"}))["items"]
        assert [(item["user"], item["memory_id"]) for item in previewed] == [("anna", tea)]
        assert all("likes" not in str(item) for item in previewed)

        await life.nights.through(days=6, only=ONLY)
        assert await live(life) == {boats: 1.0}
        ended = await shown(life, tea)
        assert (ended["status"], ended["ended_because"]) == ("retired", "decayed")
        assert (await life.nights.run("decay")).counts == {"proposed": 0}
        then = (began + timedelta(days=5)).isoformat()
        assert await live(life, as_of=then) == {tea: 0.607, boats: 1.0}

        await life.bot.outcome("anna", sequence=await life.bot.send("anna", "restore", {"memory_id": tea}))
        await life.at_rest()
        assert (await live(life))[tea] == 1.0
