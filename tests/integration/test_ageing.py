"""Old small talk becomes one text; what it stands for is found when asked for, comes back by undo, and is forgotten in time."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Table, select

from services.maintenance.store import MaintenanceStore
from services.maintenance.store.schema import ERASING, OLD_MEMORY, PERSON
from shared.contracts.ageing import MemoryRolledUp
from shared.contracts.ids import Space, User
from shared.contracts.privacy import ForgettingCompleted, MemoryForgotten
from shared.runtime.projector import read_scope
from tests.support.lifetime import Life, living

SMALL_TALK = (
    "Good morning, the rain in the rainy garden falls softly today",
    "Hello, more rain in the rainy garden today",
    "The rain in the rainy garden is quieter today",
    "Still rain in the rainy garden today, and no sun",
    "Rain, rain in the rainy garden again today",
    "will there be rain in the rainy garden today, or zorbifex?",
)
LASTING = "I am allergic to peanuts"


@pytest.fixture
async def life(tmp_path: Path) -> AsyncIterator[Life]:
    async with living(tmp_path / "life", environment={"MEMSTREAM_MAINTENANCE_SCHEDULES": "decay=off"}) as life:
        for index, text in enumerate((*SMALL_TALK, LASTING)):
            await life.bot.said("anna", text, message_id=f"m{index}")
        await life.at_rest()
        yield life


async def found(life: Life, query: str = "rain garden", **more: object) -> list[dict[str, Any]]:
    answer = await life.bot.ask("anna", "search", {"query": query, **more})
    return list(answer["items"])


def files_with(life: Life, text: str) -> list[str]:
    """The files of the installation that hold these bytes."""
    root = life.installation.settings.files.root
    return [str(path) for path in root.rglob("*") if path.is_file() and text.encode() in path.read_bytes()]


async def rolled_up(life: Life, *, days: float = 91) -> str:
    """Let the days pass, and roll up; the id of the roll-up."""
    await life.nights.past(days=days, only=["ageing"])
    made = [event.data.memory_id for event in await life.events("anna") if isinstance(event.data, MemoryRolledUp)]
    return made[-1]


async def test_the_life_of_a_roll_up(life: Life) -> None:
    early = await life.nights.run("ageing")
    assert early.counts == {"roll_ups": 0, "rolled_up": 0}
    roll = await rolled_up(life)

    shown = await found(life)
    assert shown[0]["memory_id"] == roll
    assert "rain" in shown[0]["text"]
    assert not {item["text"] for item in shown} & set(SMALL_TALK)
    asked_for = await found(life, rolled_up=True)
    assert set(SMALL_TALK) <= {item["text"] for item in asked_for}
    context = await life.bot.ask("anna", "context", {"query": "How was the rain in the garden?", "record": False})
    assert f"sums up {len(SMALL_TALK)}" in context["markdown"]
    assert LASTING in {item["text"] for item in await found(life, "peanuts")}

    await life.bot.send("anna", "undo", {"memory_id": roll})
    await life.at_rest()
    assert {item["text"] for item in await found(life)} >= set(SMALL_TALK)
    assert (await life.nights.run("ageing")).counts["rolled_up"] == len(SMALL_TALK)
    again = (await found(life))[0]["memory_id"]
    assert again != roll

    due = await life.nights.past(days=181, only=["retention"])
    assert due[0].counts["forgotten"] == len(SMALL_TALK)
    events = [event.data for event in await life.events("anna")]
    assert [data.by for data in events if isinstance(data, MemoryForgotten)] == ["retention"]
    assert [data.scan.found for data in events if isinstance(data, ForgettingCompleted)] == [0]
    assert not {item["text"] for item in await found(life, rolled_up=True)} & set(SMALL_TALK)
    assert (await found(life))[0]["memory_id"] == again
    assert (await life.nights.run("retention")).counts["forgotten"] == 0
    kept = (await found(life))[0]["text"]
    assert "zorbifex" not in kept
    assert files_with(life, "zorbifex") == []
    assert files_with(life, LASTING)  # or the search would find nothing at all


async def test_what_is_live_equals_what_is_rebuilt(life: Life, tmp_path: Path) -> None:
    roll = await rolled_up(life)
    turn = next(item["memory_id"] for item in await found(life, rolled_up=True) if item["text"] == SMALL_TALK[0])
    await life.bot.send("anna", "forget", {"memory_ids": [turn]})
    await life.at_rest()
    assert roll not in {item["memory_id"] for item in await found(life, rolled_up=True)}
    rebuilt = MaintenanceStore(tmp_path, life.installation.keys.digester)
    scope = life.installation.keys.scope_of(Space(life.bot.space), User("anna"))
    events = await read_scope(life.operator, scope)
    rebuilt.apply(events, events[-1].position)
    for table in (ERASING, OLD_MEMORY, PERSON):
        assert rows(rebuilt, table) == rows(life.maintenance.store, table)
    rebuilt.close()


def rows(store: MaintenanceStore, table: Table) -> list[tuple[object, ...]]:
    """What a table holds."""
    with store.transaction() as db:
        return [tuple(row) for row in db.execute(select(table).order_by(*table.primary_key.columns))]
