"""What memstream takes when nothing happens: memory, processor time and disk; and how soon it is ready."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from bench._installation import A_PROCESS_EACH, IN_ONE_PROCESS, Installation
from bench._log import Plan, installation_of
from bench._machine import cpu_s, folder_mb, resident_mb
from bench._options import Findings, Options, run
from bench._result import Row, amount
from memstream.cli.services import PROJECTIONS
from memstream.client import Memories, Receipt

_AIM_MB = 600
_AIM_READY_S = 1.5
_AIM_IDLE_MS = 5
_SETTLE_S = 5.0
_IDLE_S = 60.0


async def measure(options: Options) -> Findings:
    """Measure memory on empty installations, and disk on a fabricated log."""
    rows, processes = [], {}
    for said, commands in (("one process", IN_ONE_PROCESS), ("a process each", A_PROCESS_EACH)):
        runs = [await _resting(options, commands) for _ in range(options.runs)]
        rows += [
            amount(f"memory, {said}, just started", "MB", [sum(run.started.values()) for run in runs], at_most=_AIM_MB),
            amount(f"memory, {said}, models loaded", "MB", [sum(run.used.values()) for run in runs], at_most=_AIM_MB),
            *_rows_of_idling(said, runs, aims=commands == IN_ONE_PROCESS),
        ]
        last = runs[-1]
        processes[f"Resident memory, {said}, models loaded: MB"] = _named(last.used, commands)
        processes[f"Processor time at rest, {said}: ms a second"] = _named(last.idle, commands)
    plans = [Plan(options.size(50, 1), options.size(600, 60), options.embedder)]
    plans.append(Plan(options.size(1_000, 4), 30, options.embedder))
    disk = {
        f"Disk, {plan.users:,} users of {plan.memories_each}: MB for 1,000 memories": await _disk(plan, options)
        for plan in plans
    }
    rows += [_disk_row(plan, parts) for plan, parts in zip(plans, disk.values(), strict=True)]
    return Findings(
        rows=rows,
        shares=processes | disk,
        notes=[
            (
                f"Start: from the first process until all are ready. At rest: over {_IDLE_S:.0f} s, five after the last"
                " question; most of it is the server's own, and a heartbeat every three seconds for each reader of a stream."
            ),
            (
                "Memory is resident memory, added up over the processes with nats-server: libraries that two share count"
                " twice. Models loaded: after the first message was embedded and the first question was answered."
            ),
            (
                "Disk: blocks that the files occupy, everything stopped. Every memory is a turn or fact with its vector; the"
                " log holds vectors as 16-bit numbers, the retriever's files as 32-bit ones."
            ),
        ],
    )


class _Resting(NamedTuple):
    """What an empty installation took, by process."""

    ready_s: float  # from the start of the first process until all were ready
    starting_s: float  # processor time of all until then
    started: dict[str, float]  # MB, just started
    used: dict[str, float]  # MB, after the first memory and question
    idle: dict[str, float]  # ms of processor time a second


def _rows_of_idling(said: str, runs: Sequence[_Resting], *, aims: bool) -> list[Row]:
    ready, idle = (_AIM_READY_S, _AIM_IDLE_MS) if aims else (None, None)
    return [
        amount(f"start until ready, {said}", "s", [run.ready_s for run in runs], at_most=ready),
        amount(f"processor time of the start, {said}", "s", [run.starting_s for run in runs]),
        amount(f"processor time at rest, {said}", "ms a second", [sum(run.idle.values()) for run in runs], at_most=idle),
    ]


def _named(values: Mapping[str, float], commands: Sequence[str]) -> dict[str, float]:
    return {f"`memstream {name}`" if name in commands else name: round(value, 1) for name, value in values.items()}


async def _resting(options: Options, commands: Sequence[str]) -> _Resting:
    """Start an empty installation, use it once, and leave it alone."""
    clock = asyncio.get_running_loop().time
    with tempfile.TemporaryDirectory(prefix="memstream-bench-") as folder:
        installation = Installation(Path(folder), options.embedder)
        await installation.create()
        began = clock()
        async with installation.running(commands):
            ready_s, starting_s = clock() - began, sum(_cpu(installation).values())
            await asyncio.sleep(_settle_s(options))
            started = _resident(installation)
            async with installation.bot("somebody") as memory:
                receipt = await memory.add("I moved to Lisbon in May.", session_id="s1")
                while not await _has_vector(memory, receipt):  # noqa: ASYNC110 - a bot has no other way to know
                    await asyncio.sleep(0.05)
            await asyncio.sleep(_settle_s(options))
            return _Resting(ready_s, starting_s, started, _resident(installation), await _idle(installation, options))


async def _idle(installation: Installation, options: Options) -> dict[str, float]:
    """Milliseconds of processor time a second of each process while nothing happens."""
    before = _cpu(installation)
    seconds = options.size(int(_IDLE_S), 1)
    await asyncio.sleep(seconds)
    return {name: (taken - before[name]) * 1_000 / seconds for name, taken in _cpu(installation).items()}


def _cpu(installation: Installation) -> dict[str, float]:
    return {name: cpu_s(pid) for name, pid in installation.pids.items()}


async def _disk(plan: Plan, options: Options) -> dict[str, float]:
    """MB on disk for 1,000 memories: the log and each projection."""
    files = (await installation_of(plan, options.data)).files
    thousands = plan.users * plan.memories_each / 1_000
    folders = {"the log": files.nats_store} | {name: files.projection(name) for name in PROJECTIONS}
    return {part: round(folder_mb(folder) / thousands, 2) for part, folder in folders.items()}


def _disk_row(plan: Plan, parts: dict[str, float]) -> Row:
    return amount(f"disk for 1,000 memories, users of {plan.memories_each}", "MB", [sum(parts.values())], samples=plan.users)


async def _has_vector(memory: Memories, receipt: Receipt) -> bool:
    answer = await memory.search("Lisbon", after=receipt, timeout_s=30)
    return "vector" in answer.items[0].score.legs


def _settle_s(options: Options) -> float:
    return 0 if options.is_quick else _SETTLE_S


def _resident(installation: Installation) -> dict[str, float]:
    return {name: resident_mb(pid) for name, pid in installation.pids.items()}


def main(arguments: Sequence[str] = ()) -> None:
    """Measure and keep the result."""
    run("at_rest", "What does memstream take when nothing happens?", measure, arguments)
