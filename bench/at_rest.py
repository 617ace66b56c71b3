"""How much memory the processes take when nothing happens, and how much disk 1,000 memories take."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Sequence
from pathlib import Path

from bench._installation import A_PROCESS_EACH, IN_ONE_PROCESS, Installation
from bench._log import Plan, installation_of
from bench._machine import folder_mb, resident_mb
from bench._options import Findings, Options, run
from bench._result import Row, amount
from memstream.cli.services import SERVICES
from memstream.client import Memories, Receipt

_AIM_MB = 600
_SETTLE_S = 5.0


async def measure(options: Options) -> Findings:
    """Measure memory on empty installations, and disk on a fabricated log."""
    rows, processes = [], {}
    for said, commands in (("one process", IN_ONE_PROCESS), ("a process each", A_PROCESS_EACH)):
        runs = [await _memory(options, commands) for _ in range(options.runs)]
        started, used = [run[0] for run in runs], [run[1] for run in runs]
        rows += [
            amount(f"memory, {said}, just started", "MB", [sum(each.values()) for each in started], at_most=_AIM_MB),
            amount(f"memory, {said}, models loaded", "MB", [sum(each.values()) for each in used], at_most=_AIM_MB),
        ]
        processes[f"Resident memory, {said}, models loaded: MB"] = {
            f"`memstream {name}`" if name in commands else name: round(value, 1) for name, value in used[-1].items()
        }
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
                "Memory is resident memory, added up over the processes with nats-server: libraries that two share count"
                " twice. Models loaded: after the first message was embedded and the first question was answered."
            ),
            (
                "Disk: blocks that the files occupy, everything stopped. Every memory is a turn or fact with its vector; the"
                " log holds vectors as 16-bit numbers, the retriever's files as 32-bit ones."
            ),
        ],
    )


async def _memory(options: Options, commands: Sequence[str]) -> tuple[dict[str, float], dict[str, float]]:
    """Resident MB of each process: just started, and after the first memory and question."""
    with tempfile.TemporaryDirectory(prefix="memstream-bench-") as folder:
        installation = Installation(Path(folder), options.embedder)
        await installation.create()
        async with installation.running(commands):
            await asyncio.sleep(_settle_s(options))
            started = _resident(installation)
            async with installation.bot("somebody") as memory:
                receipt = await memory.add("I moved to Lisbon in May.", session_id="s1")
                while not await _has_vector(memory, receipt):  # noqa: ASYNC110 - a bot has no other way to know
                    await asyncio.sleep(0.05)
            await asyncio.sleep(_settle_s(options))
            return started, _resident(installation)


async def _disk(plan: Plan, options: Options) -> dict[str, float]:
    """MB on disk for 1,000 memories: the log and each projection."""
    files = (await installation_of(plan, options.data)).files
    thousands = plan.users * plan.memories_each / 1_000
    folders = {"the log": files.nats_store} | {name: files.projection(name) for name in SERVICES}
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
