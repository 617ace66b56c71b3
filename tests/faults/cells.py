"""The cells of the matrix: who is disturbed, how, and what goes on meanwhile."""

from __future__ import annotations

import asyncio
import os
import random
import signal
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

from tests.acceptance.processes import SERVICES
from tests.faults.activities import Activity
from tests.faults.world import FOLLOWERS, SERVER, World

Fault: TypeAlias = Literal["kill", "stop", "full", "cut", "clock", "slow"]

MACHINE = "machine"
"""The one disk of everything, and of the logs."""
VICTIMS = (*SERVICES, *FOLLOWERS, SERVER)
_VICTIMS_OF = {"full": (*SERVICES, "feed", SERVER, MACHINE), "clock": SERVICES}
_KILLS = 3
_HOURS = (6, -6, 24 * 30, -24 * 30)
_STANDS_S, _GOES_S = 0.25, 0.02
"""As a machine whose disk or processor is ten times too slow."""


@dataclass(frozen=True, slots=True)
class Patience:
    """How long each fault lasts."""

    stop_s: float = 100.0
    """Longer than the pings of a client, of which three are missed, one each 20 s."""
    cut_s: float = 12.0
    """Longer than three heartbeats, and than the server may take to answer."""
    full_s: float = 6.0
    clock_s: float = 4.0
    slow_s: float = 12.0


@dataclass(frozen=True, slots=True)
class Cell:
    """One of the matrix."""

    victim: str
    fault: Fault
    activity: Activity

    def __str__(self) -> str:
        return f"{self.victim} {self.fault} {self.activity}"

    @property
    def wired(self) -> tuple[str, ...]:
        """Whose connections can be cut."""
        if self.fault != "cut":
            return ()
        return (*SERVICES, "bot") if self.victim == SERVER else (self.victim,)

    @property
    def followers(self) -> tuple[str, ...]:
        """Who runs beside the others."""
        return (self.victim,) if self.victim in FOLLOWERS else ()

    @property
    def skewed(self) -> tuple[str, ...]:
        """Whose clocks can be set."""
        return (self.victim,) if self.fault == "clock" else ()

    @property
    def disks(self) -> tuple[str, ...]:
        """Which folders have disks of their own; the first is filled."""
        if self.fault != "full":
            return ()
        if self.victim == SERVER:
            return ("nats",)
        if self.victim == MACHINE:
            return ("",)
        return ("", "nats") if self.activity == "rebuild" else (self.victim,)

    def delay_s(self, name: str = "") -> float:
        """A moment within the activity, another in each cell, and the same whenever it is run."""
        return random.Random(f"{self} {name}").uniform(0.02, 0.5)


def cells() -> Iterator[Cell]:
    """All of them."""
    for fault in get_args(Fault):
        for victim in _VICTIMS_OF.get(fault, VICTIMS):
            for activity in get_args(Activity):
                yield Cell(victim, fault, activity)


async def disturb(world: World, cell: Cell, patience: Patience, pid: int | None = None) -> None:
    """Do it, and mend it. `pid`: of the process that is meant, other than the service's own."""
    await asyncio.sleep(cell.delay_s())
    match cell.fault:
        case "kill":
            await _kill(world, cell, pid)
        case "stop":
            stopped = pid or world.pid_of(cell.victim)
            _signal(stopped, signal.SIGSTOP)
            await asyncio.sleep(patience.stop_s)
            _signal(stopped, signal.SIGCONT)
        case "full":
            world.disks[0].fill()
            await asyncio.sleep(patience.full_s)
            world.disks[0].free()
        case "cut":
            world.wire.cut()
            await asyncio.sleep(patience.cut_s)
            world.wire.mend()
        case "clock":
            for hours in (*_HOURS, 0):
                world.set_clock(hours=hours)
                await asyncio.sleep(patience.clock_s if hours else 0)
        case "slow":
            await _slow(pid or world.pid_of(cell.victim), patience.slow_s)


async def _slow(pid: int, seconds: float) -> None:
    """Stop it again and again."""
    for _ in range(int(seconds / (_STANDS_S + _GOES_S))):
        _signal(pid, signal.SIGSTOP)
        await asyncio.sleep(_STANDS_S)
        _signal(pid, signal.SIGCONT)
        await asyncio.sleep(_GOES_S)


def _signal(pid: int, number: signal.Signals) -> None:
    with suppress(ProcessLookupError):  # a rebuild may be over already
        os.kill(pid, number)


async def _kill(world: World, cell: Cell, pid: int | None) -> None:
    if pid is not None:
        _signal(pid, signal.SIGKILL)
        return
    for kill in range(_KILLS):
        await world.kill_now(cell.victim)
        await asyncio.sleep(cell.delay_s(str(kill)) + 0.5)
