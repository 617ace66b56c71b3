"""Plays an activity, disturbed or not, and says what is left of it."""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import Awaitable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from memstream.cli.services import PROJECTIONS
from shared.contracts.events import EpisodeRecorded, decode
from shared.runtime.connection import operator_connection
from shared.runtime.eventlog.read import LogReader
from tests.acceptance.processes import SERVICES
from tests.faults.activities import Activity, Play
from tests.faults.cells import MACHINE, Cell, Patience, disturb
from tests.faults.world import SERVER, World

_LONGEST_S = 240.0
"""Beyond the disturbance itself."""
_SHOWN = 6


@dataclass(frozen=True, slots=True)
class Left:
    """What a run leaves."""

    content: str  # the digest
    turns: dict[str, list[str]]  # what the log has of each person: texts, in order
    doubled: int = 0


@dataclass(frozen=True, slots=True)
class Found:
    """What was found in a cell."""

    cell: Cell
    ok: bool
    digest_equal: bool = False
    lost: int = 0
    doubled: int = 0
    recovered_s: float | None = None
    took_s: float = 0.0
    ended: list[tuple[str, int]] = field(default_factory=list)
    told: list[str] = field(default_factory=list)
    why: str = ""


async def undisturbed(root: Path, activity: Activity, keys: Path) -> Left:
    """What this activity leaves."""
    world = World(root, keys_from=keys)
    try:
        await world.start()
        async with world.bot() as bot:
            play = Play(world, bot)
            await play.before()
            await asyncio.gather(play.during(activity), _rebuilt_in(world, activity))
            await play.after(activity)
        return await _left(world)
    finally:
        await world.stop()


async def tried(
    root: Path, cell: Cell, undisturbed: Awaitable[Left], keys: Path, patience: Patience, *, also: Sequence[Cell] = ()
) -> Found:
    """Disturb a run, and compare what it leaves with what an undisturbed one with the same keys leaves.

    `also`: in these ways at the same time.
    """
    wired = {name for each in (cell, *also) for name in each.wired}
    world = World(root, keys_from=keys, wired=wired, skewed=cell.skewed, disks=cell.disks, followers=cell.followers)
    began = time.monotonic()
    try:
        await world.start()
        async with world.bot() as bot:
            play = Play(world, bot)
            await play.before()
            world.mark()
            activity = asyncio.create_task(play.during(cell.activity))
            try:
                await asyncio.gather(*(_disturbed(world, each, patience) for each in (cell, *also)))
                mended = time.monotonic()
                async with asyncio.timeout(_LONGEST_S):
                    await activity
                    await play.after(cell.activity)
                    await world.followed()
                    recovered_s = time.monotonic() - mended
                    left = await _left(world)
            finally:
                activity.cancel()
                await asyncio.gather(activity, return_exceptions=True)
        expected = await undisturbed
        equal, whole = left.content == expected.content, left.turns == expected.turns
        why = "" if whole else _difference(left, expected)
        return Found(
            cell,
            ok=equal and whole and not left.doubled,
            digest_equal=equal,
            lost=_lost(left, expected),
            doubled=left.doubled,
            recovered_s=recovered_s,
            took_s=time.monotonic() - began,
            ended=world.died,
            told=_told(world, cell),
            why=why,
        )
    except Exception as error:  # noqa: BLE001 - whatever it is, it is what the report must say
        said = f"{type(error).__name__}: {error}"
        return Found(cell, ok=False, took_s=time.monotonic() - began, ended=world.died, told=_told(world, cell), why=said)
    finally:
        await world.stop()


def _told(world: World, cell: Cell) -> list[str]:
    names = [*SERVICES, SERVER] if cell.victim == MACHINE else [cell.victim]
    return [f"{name}: {line}"[:300] for name in names for line in world.told(name)[:_SHOWN]]


async def _disturbed(world: World, cell: Cell, patience: Patience) -> None:
    if cell.activity != "rebuild" or cell.victim not in PROJECTIONS:
        rebuild = _rebuilt_in(world, cell.activity)
        await asyncio.gather(disturb(world, cell, patience), rebuild)
        return
    await world.stop_service(cell.victim)
    if cell.fault == "full":
        world.disks[0].fill()
    process = await world.command(cell.victim, "rebuild", "--projection", cell.victim)
    if cell.fault == "full":
        assert await process.wait(), "it was rebuilt without room"
        world.disks[0].free()
    else:
        await disturb(world, cell, patience, process.pid)
    if await process.wait():
        await _rebuilt(world, cell.victim, is_running=False)
    await world.start_service(cell.victim)


async def _rebuilt_in(world: World, activity: Activity) -> None:
    """Rebuild the retriever where that is what goes on."""
    if activity == "rebuild":
        await _rebuilt(world, "retriever")


async def _rebuilt(world: World, name: str, *, is_running: bool = True) -> None:
    """Rebuild until it succeeds, as an operator would."""
    async with asyncio.timeout(_LONGEST_S):
        while True:
            arguments = ("rebuild", "--live") if is_running else ("rebuild", "--projection", name)
            process = await world.command(name, *arguments)
            if not await process.wait():
                return
            await asyncio.sleep(1)


async def _left(world: World) -> Left:
    await world.at_rest()
    digests = await world.admin("admin.retriever.digests")
    turns: dict[str, list[str]] = {}
    ids: Counter[str] = Counter()
    numbers: dict[str, int] = {}
    async with operator_connection(world.settings) as client:
        async for batch in LogReader(client).to_end():
            for record in batch:
                event = decode(record.data)
                ids[event.event_id] += 1
                assert event.number > numbers.get(record.scope, 0), "numbers go backwards"
                numbers[record.scope] = event.number
                if isinstance(event.data, EpisodeRecorded):
                    turns.setdefault(event.user, []).append(event.data.text)
    return Left(
        digests["content"],
        turns,
        doubled=sum(count - 1 for count in ids.values()) + sum(len(texts) - len(set(texts)) for texts in turns.values()),
    )


def _lost(left: Left, expected: Left) -> int:
    """How many turns are in an undisturbed log alone; all of them were acknowledged."""
    return sum(len(set(texts) - set(left.turns.get(user, []))) for user, texts in expected.turns.items())


def _difference(left: Left, expected: Left) -> str:
    found = []
    for user in expected.turns | left.turns:
        ours, theirs = left.turns.get(user, []), expected.turns.get(user, [])
        if ours != theirs:
            missing, more = [text for text in theirs if text not in ours], [text for text in ours if text not in theirs]
            found.append(f"{user}: {len(missing)} missing {missing[:2]}, {len(more)} more {more[:2]}, else the order")
    return "; ".join(found)
