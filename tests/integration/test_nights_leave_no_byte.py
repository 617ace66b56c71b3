"""What is forgotten after the jobs of the night worked on it stands in no file, and no later night brings it back."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from shared.contracts.ageing import MemoryRolledUp
from shared.contracts.events import MemoryRetired
from shared.contracts.ids import MemoryId
from shared.contracts.privacy import ForgettingCompleted
from shared.contracts.reflecting import ReflectionRecorded
from tests.acceptance.everywhere import found
from tests.support.installations import until
from tests.support.lifetime import Life, living

FRIENDS = ("Zorvanda", "Quixelby", "Frondlewick", "Blenkotter")
FACTS = tuple(f"Friend {name} of Anna likes archery" for name in FRIENDS)
SKIES = ("Drimpsoak", "Plindersplash", "Wubbledrip", "Snorvelpour", "Krumpledrum", "Yodelwhisper")
TALK = tuple(f"The rain in the rainy garden was {sky.lower()} today" for sky in SKIES)
WORDS = [*FRIENDS, *(sky.lower() for sky in SKIES)]
STAGES = ("reflection", "decay", "restore", "ageing", "undo", "retention")
_INDEX_S = 200.0
"""nats-server writes a stream's index, which names what was erased, every two minutes and a bit."""


@pytest.fixture
async def life(tmp_path: Path) -> AsyncIterator[Life]:
    async with living(tmp_path / "life") as life:
        for index, text in enumerate(TALK):
            await life.bot.said("anna", text, message_id=f"m{index}")
        for text in FACTS:
            await life.bot.outcome("anna", sequence=await life.bot.send("anna", "remember_fact", {"text": text}))
        await life.at_rest()
        yield life


@pytest.mark.parametrize(
    "last", [pytest.param(stage, marks=() if stage == "retention" else pytest.mark.nightly) for stage in STAGES]
)
async def test_what_is_forgotten_after_a_night_is_in_no_byte_and_stays_away(life: Life, last: str) -> None:
    for stage in STAGES[: STAGES.index(last) + 1]:
        await _STEPS[stage](life)
    root = life.installation.settings.files.root
    assert found(root, WORDS)  # or the search would find nothing at all

    await _forget_all(life)
    assert {data.scan.found for data in await _told(life, ForgettingCompleted)} == {0}
    await until(lambda: not found(root, WORDS), what="no word is in any file", within_s=_INDEX_S)
    await life.nights.past(days=400)
    await life.restarted()
    await life.at_rest()
    assert found(root, WORDS) == []


async def _forget_all(life: Life) -> None:
    """Forget everything that is known, whether it holds or not, until nothing is left."""
    ids = [each.data.subject for each in await life.events("anna") if each.data.makes]
    await life.bot.outcome("anna", sequence=await life.bot.send("anna", "forget", {"memory_ids": ids}))
    await life.at_rest()


async def _reflect(life: Life) -> None:
    await life.nights.run("reflection")
    [written] = await _told(life, ReflectionRecorded)
    assert any(name in written.text for name in FRIENDS)


async def _decay(life: Life) -> None:
    await life.nights.past(days=31, only=["decay"])
    assert len(await _decayed(life)) == len(FACTS)


async def _restore(life: Life) -> None:
    await _send(life, "restore", memory_id=(await _decayed(life))[0])


async def _age(life: Life) -> None:
    await life.nights.past(days=91, only=["ageing"])
    assert await _told(life, MemoryRolledUp)


async def _undo(life: Life) -> None:
    [made] = await _told(life, MemoryRolledUp)
    await _send(life, "undo", memory_id=made.memory_id)


async def _retain(life: Life) -> None:
    await life.nights.run("ageing")
    [run] = await life.nights.past(days=181, only=["retention"])
    assert run.counts["forgotten"] == len(TALK)


_STEPS = {"reflection": _reflect, "decay": _decay, "restore": _restore, "ageing": _age, "undo": _undo, "retention": _retain}


async def _decayed(life: Life) -> list[MemoryId]:
    return [data.memory_id for data in await _told(life, MemoryRetired) if data.reason == "decayed"]


async def _send(life: Life, what: str, **fields: object) -> None:
    await life.bot.outcome("anna", sequence=await life.bot.send("anna", what, fields))
    await life.at_rest()


async def _told(life: Life, kind: type) -> list[Any]:
    return [event.data for event in await life.events("anna") if isinstance(event.data, kind)]
