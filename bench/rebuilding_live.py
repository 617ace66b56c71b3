"""How long it takes to build ingest.db and everybody's files anew, and how long questions take meanwhile.

A million events of a thousand people: --people 1000 --memories 500 --runs 1. To write such a log takes ten minutes, once.
"""

from __future__ import annotations

import argparse
import asyncio
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass, field
from functools import partial

from bench._installation import Installation
from bench._log import SESSION, Plan, installation_of, user_name
from bench._machine import family, own_mb
from bench._options import Findings, Options, run
from bench._result import Row, amount, latencies, percentile
from bench._text import Writer
from memstream.client import Memories
from shared.contracts.errors import TooMany, Unavailable
from shared.runtime.tasks import end

_CLIENTS = 4
_THINKS_S = 0.2
_LOOK_S = 0.25
_MOST = 2.0
"""So many times the time without a rebuild, the p95 beside one may be."""

_RUNS = 3
_ANSWERING = "run server", "run retriever"


@dataclass(slots=True)
class _Found:
    """What the runs of one rebuild measured, a value or a list for each."""

    alone: list[list[float]] = field(default_factory=list)  # seconds
    beside: list[list[float]] = field(default_factory=list)
    rates: list[float] = field(default_factory=list)  # events a second
    seconds: list[float] = field(default_factory=list)
    peaks_mb: list[float] = field(default_factory=list)


async def _measure(people: int, memories_each: int, options: Options) -> Findings:
    """Rebuild ingest while the retriever answers; then the retriever's files beside both. Each is a process."""
    plan = Plan(options.size(people, 4), options.size(memories_each, 30), options.embedder)
    installation, alone_s = await installation_of(plan, options.data), options.size(20, 2)
    ingest, live = _Found(), _Found()
    for _ in range(options.runs):
        async with installation.running(_ANSWERING):
            await installation.until_at_rest()
            await _once(installation, plan, alone_s, ingest, "--projection", "ingest")
    async with installation.running((*_ANSWERING, "run ingest")):
        await installation.until_at_rest()
        for _ in range(options.runs):
            await _once(installation, plan, alone_s, live, "--live")
    return _findings(plan, ingest, live)


async def _once(installation: Installation, plan: Plan, alone_s: int, found: _Found, *what: str) -> None:
    async with _asking(installation, plan):  # files and the model are opened
        await asyncio.sleep(alone_s / 4)
    async with _asking(installation, plan) as waits:
        await asyncio.sleep(alone_s)
        while not waits:  # noqa: ASYNC110 - beside much other work
            await asyncio.sleep(_THINKS_S)
        found.alone.append(waits)
    async with _asking(installation, plan) as waits:
        began = time.perf_counter()
        peak_mb = await _rebuilt(installation, *what)
        seconds = time.perf_counter() - began
        found.beside.append(waits)
    found.seconds.append(seconds)
    found.rates.append(_events(plan) / seconds)
    found.peaks_mb.append(peak_mb)
    print(f"rebuild {' '.join(what)}: {seconds:.0f} s, {peak_mb:.0f} MB", flush=True)


async def _rebuilt(installation: Installation, *what: str) -> float:
    """Run the rebuild to its end; return the most memory that its processes had together, in MB."""
    process = await installation.begin("rebuild", *what)
    peak_mb, over = 0.0, asyncio.ensure_future(process.wait())
    while not over.done():
        with suppress(OSError):  # one has ended meanwhile
            peak_mb = max(peak_mb, sum(map(own_mb, family(process.pid))))
        await asyncio.wait([over], timeout=_LOOK_S)
    if process.returncode:
        raise RuntimeError(f"`memstream rebuild {' '.join(what)}` failed with {process.returncode}")
    return peak_mb


def _events(plan: Plan) -> int:
    """A memory and its vector each, and of each session that it began, ended, and was learned from."""
    return 2 * plan.users * plan.memories_each + 3 * plan.users * -(-plan.memories_each // SESSION)


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
        try:
            await memory.context(write.turn())
        except (TooMany, Unavailable) as error:  # it counts with the time after which it was refused
            print(f"not answered after {time.perf_counter() - began:.1f} s: {error.code}", flush=True)
        waits.append(time.perf_counter() - began)
        await asyncio.sleep(_THINKS_S)


def _findings(plan: Plan, ingest: _Found, live: _Found) -> Findings:
    events = _events(plan)
    return Findings(
        rows=[
            *_rows("ingest, stopped", events, ingest),
            *_rows("the retriever, beside itself", events, live),
        ],
        notes=[
            f"A fabricated log of {events:,} events: {plan.users:,} users of {plan.memories_each:,} memories each.",
            (
                f"{_CLIENTS} people ask, each {_THINKS_S:g} s after the answer. Server and retriever run, and while the"
                " retriever is rebuilt also ingest, each as a process."
            ),
            (
                "The whole: from the start of the command to the end of its process; of the retriever with the comparison of"
                " everybody's rows."
            ),
            "Memory that processes share counts once. Under `nice` services and rebuild are equals.",
        ],
    )


def _rows(name: str, events: int, found: _Found) -> list[Row]:
    ratios = [percentile(beside, 95) / percentile(alone, 95) for alone, beside in zip(found.alone, found.beside, strict=True)]
    return [
        amount(f"{name}: built anew", "events/s", found.rates, samples=events),
        amount(f"{name}: the whole of it", "s", found.seconds),
        amount(f"{name}: memory of all its processes at their peak", "MB", found.peaks_mb),
        latencies(f"{name}: asked while nothing else is done", found.alone),
        latencies(f"{name}: asked beside the rebuild", found.beside),
        amount(f"{name}: the p95 beside it, in times of the p95 without", "x", ratios, at_most=_MOST),
    ]


def main(arguments: Sequence[str] = ()) -> None:
    """Measure and keep the result."""
    sizes = argparse.ArgumentParser(add_help=False)
    sizes.add_argument("--people", type=int, default=50, help="whose files are made anew")
    sizes.add_argument("--memories", type=int, default=500, help="of each of them; two events each")
    sized, _ = sizes.parse_known_args(arguments)
    question = "How long does a rebuild take beside a running service, and questions beside it?"
    run("rebuilding_live", question, partial(_measure, sized.people, sized.memories), arguments, runs=_RUNS, parents=[sizes])
