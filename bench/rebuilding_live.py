"""How long everybody's files take to be made anew beside those that answer, and how long questions take meanwhile."""

from __future__ import annotations

import argparse
import asyncio
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass, field
from functools import partial

from bench._installation import Installation
from bench._log import Plan, installation_of, user_name
from bench._machine import family, resident_mb
from bench._options import Findings, Options, run
from bench._result import amount, latencies, percentile
from bench._text import Writer
from memstream.client import Memories
from shared.runtime.tasks import end

_CLIENTS = 4
_THINKS_S = 0.2
_LOOK_S = 0.25
_MOST = 2.0
"""So many times the time without a rebuild, the p95 beside one may be."""

_RUNS = 3


@dataclass(slots=True)
class _Found:
    """What the runs measured, a value or a list for each."""

    alone: list[list[float]] = field(default_factory=list)  # seconds
    beside: list[list[float]] = field(default_factory=list)
    rates: list[float] = field(default_factory=list)  # events a second
    seconds: list[float] = field(default_factory=list)
    peaks_mb: list[float] = field(default_factory=list)


async def _measure(people: int, memories_each: int, options: Options) -> Findings:
    """Measure with everything in one process, as `memstream up` runs it; the rebuild is `memstream rebuild --live`."""
    plan = Plan(options.size(people, 4), options.size(memories_each, 30), options.embedder)
    installation = await installation_of(plan, options.data)
    found = _Found()
    async with installation.running():
        await installation.until_at_rest()
        for _ in range(options.runs):
            await _once(installation, plan, options.size(20, 2), found)
    return _findings(plan, found)


async def _once(installation: Installation, plan: Plan, alone_s: int, found: _Found) -> None:
    async with _asking(installation, plan):  # files and the model are opened
        await asyncio.sleep(alone_s / 4)
    async with _asking(installation, plan) as waits:
        await asyncio.sleep(alone_s)
        found.alone.append(waits)
    async with _asking(installation, plan) as waits:
        began = time.perf_counter()
        peak_mb = await _rebuilt(installation)
        seconds = time.perf_counter() - began
        found.beside.append(waits)
    await installation.command("rebuild", "--drop-old")
    found.seconds.append(seconds)
    found.rates.append(2 * plan.users * plan.memories_each / seconds)
    found.peaks_mb.append(peak_mb)


async def _rebuilt(installation: Installation) -> float:
    """Run the rebuild to its end; return the most memory that its processes had together, in MB."""
    process = await installation.begin("rebuild", "--live")
    peak_mb, over = 0.0, asyncio.ensure_future(process.wait())
    while not over.done():
        with suppress(OSError):  # one has ended meanwhile
            peak_mb = max(peak_mb, sum(map(resident_mb, family(process.pid))))
        await asyncio.wait([over], timeout=_LOOK_S)
    if process.returncode:
        raise RuntimeError(f"`memstream rebuild --live` failed with {process.returncode}")
    return peak_mb


@asynccontextmanager
async def _asking(installation: Installation, plan: Plan) -> AsyncIterator[list[float]]:
    """While the block lasts, some people ask; the seconds that their answers took so far."""
    waits: list[float] = []
    async with AsyncExitStack() as stack:
        tasks = []
        for number in range(min(_CLIENTS, plan.users)):
            bot = await stack.enter_async_context(installation.bot())
            tasks.append(asyncio.create_task(_ask(bot.for_user(user_name(number)), Writer(f"asker {number}"), waits)))
        try:
            yield waits
        finally:
            for task in tasks:
                if task.done():
                    task.result()
            await end(tasks)


async def _ask(memory: Memories, write: Writer, waits: list[float]) -> None:
    while True:
        began = time.perf_counter()
        await memory.context(write.turn())
        waits.append(time.perf_counter() - began)
        await asyncio.sleep(_THINKS_S)


def _findings(plan: Plan, found: _Found) -> Findings:
    ratios = [percentile(beside, 95) / percentile(alone, 95) for alone, beside in zip(found.alone, found.beside, strict=True)]
    events = 2 * plan.users * plan.memories_each
    return Findings(
        rows=[
            amount("files made anew, compared and taken over", "events/s", found.rates, samples=events),
            amount("the whole of it", "s", found.seconds),
            amount("memory of all its processes at their peak", "MB", found.peaks_mb),
            latencies("asked while nothing else is done", found.alone),
            latencies("asked beside the rebuild", found.beside),
            amount("the p95 beside the rebuild, in times of the p95 without", "x", ratios, at_most=_MOST),
        ],
        notes=[
            f"A fabricated log of about {events:,} events: {plan.users:,} users of {plan.memories_each:,} memories each.",
            f"{_CLIENTS} people ask, each {_THINKS_S:g} s after the answer, of `memstream up`.",
            "The whole: from the start of the command to the end of its process, with the comparison of everybody's rows.",
            "Memory that processes share counts in each of them. Under `nice` services and rebuild would be equals.",
        ],
    )


def main(arguments: Sequence[str] = ()) -> None:
    """Measure and keep the result."""
    sizes = argparse.ArgumentParser(add_help=False)
    sizes.add_argument("--people", type=int, default=50, help="whose files are made anew")
    sizes.add_argument("--memories", type=int, default=500, help="of each of them; two events each")
    sized, _ = sizes.parse_known_args(arguments)
    question = "How long does a rebuild take beside a running service, and questions beside it?"
    run("rebuilding_live", question, partial(_measure, sized.people, sized.memories), arguments, runs=_RUNS, parents=[sizes])
