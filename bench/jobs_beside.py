"""How long ten people wait for their contexts, alone and while the jobs of the night run."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import tempfile
import time
from collections.abc import Awaitable, Iterator, Sequence
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, NamedTuple

from bench._installation import SPACE, Installation
from bench._options import Findings, Options, run
from bench._result import Row, amount, brief, latencies, percentile
from bench._text import Writer
from memstream.cli.admin import ask_service
from memstream.client import Memories, MemoryClient
from shared.contracts.errors import Unavailable
from shared.runtime.connection import Client, operator_connection
from shared.runtime.ids import new_token
from shared.runtime.job_queue import ask_for_run

_JOBS = ("enrichment", "consolidation", "reflection", "decay", "ageing", "retention")
_PEOPLE = 10
_SESSION = 30
_THINKS_S = 0.2
_LOOKS_S = 0.5
_FACTS = 6
_PATIENCE_S = 120.0
_JOB_S = 10
_AFTERWARDS_S = 1.0
"""What a job has sent is decided, applied and embedded a moment later: that counts as the job's."""

_WARM_UP_S = 3
_ALONE_S = 8
_FEWEST = 60
"""A job that ended sooner has no row of its own."""

_MOST = 1.3
"""So many times the time without a job, the p95 beside them may be."""

_BEGIN = datetime(2025, 1, 1, tzinfo=UTC)
_NIGHTS = {
    "MEMSTREAM_MAINTENANCE_CLOCK": "off",
    "MEMSTREAM_MAINTENANCE_ENRICH_EVERY_S": "100000",
    "MEMSTREAM_MAINTENANCE_AGEING_DAYS": "0.00001",
    "MEMSTREAM_MAINTENANCE_AGEING_SCORE_BELOW": "1",
    "MEMSTREAM_MAINTENANCE_AGEING_MOST_RECALLS": "1000",
    "MEMSTREAM_MAINTENANCE_RETENTION_DAYS": "0.00001",
    "MEMSTREAM_MAINTENANCE_DECAY_BELOW": "0.9999",
    "MEMSTREAM_INGEST_DECAY_RATE": "0.5",
}
"""So that every job finds as much to do as there is, and runs when it is asked to alone."""


class _Waits(NamedTuple):
    """The seconds of each context, alone and beside each job."""

    alone: list[float]
    beside: dict[str, list[float]]

    @property
    def together(self) -> list[float]:
        """Beside any job."""
        return [each for waits in self.beside.values() for each in waits]


async def measure(options: Options) -> Findings:
    """Measure with everything in one process, as `memstream up` runs it; jobs are run by hand, one after the other.

    A run begins from a copy of the same memories, so that each job finds its work. A job ends by its own limit of time.
    """
    turns, runs = options.size(3_000, 300), list[_Waits]()
    os.environ.update(_NIGHTS | {"MEMSTREAM_MAINTENANCE_JOB_MINUTES": str(options.size(_JOB_S, 2) / 60)})
    with tempfile.TemporaryDirectory(prefix="memstream-bench-") as folder:
        whole = Installation(Path(folder) / "whole", options.embedder)
        file = Path(folder) / "turns.jsonl"
        file.write_text("\n".join(map(json.dumps, _turns(turns))), encoding="utf-8")
        await _remember(whole, file)
        for number in range(options.runs):
            copy = Installation(Path(folder) / str(number), options.embedder)
            shutil.copytree(whole.root, copy.root)
            runs.append(await _run(copy, options))
            shutil.rmtree(copy.root)
            print(*map(brief, _rows([runs[-1]])), sep="\n", flush=True)
    return Findings(
        rows=_rows(runs),
        notes=[
            f"{_PEOPLE} people of {turns // _PEOPLE:,} turns each ask for a context and pause for {_THINKS_S} s.",
            f"The jobs are {', '.join(_JOBS)}, one after the other, each for {_JOB_S} s or until nothing is left to do.",
            f"Alone is half before, half after the jobs. Contexts of the {_AFTERWARDS_S:.0f} s after a job count as beside it.",
        ],
    )


def _rows(runs: Sequence[_Waits]) -> list[Row]:
    jobs = [job for job in _JOBS if all(len(waits.beside[job]) >= _FEWEST for waits in runs)]
    return [
        latencies("context, while nothing else is done", [waits.alone for waits in runs]),
        latencies("context, while the jobs run", [waits.together for waits in runs]),
        *(latencies(f"context, beside {job}", [waits.beside[job] for waits in runs]) for job in jobs),
        amount(
            "the p95 beside the jobs, in times of the p95 without",
            "x",
            [percentile(waits.together, 95) / percentile(waits.alone, 95) for waits in runs],
            at_most=_MOST,
        ),
    ]


async def _remember(installation: Installation, file: Path) -> None:
    """Make what is remembered: imported, learned from and embedded."""
    installation.root.mkdir()
    await installation.create()
    async with installation.running():
        await installation.command("import", str(file), "--space", SPACE, "--wait")
        async with installation.bot() as bot:
            for who in range(_PEOPLE):
                await _tell_of_this_week(bot.for_user(f"p-{who}", space=SPACE), Writer(f"tells {who}"))
        await installation.until_at_rest()


async def _tell_of_this_week(memory: Memories, write: Writer) -> None:
    """What is reflected on: an import is not of these days."""
    for _ in range(_FACTS):
        await memory.remember(f"{write.name()} likes the {write.rare_word()} of {write.name()}.")


async def _run(installation: Installation, options: Options) -> _Waits:
    async with installation.running(), installation.bot() as bot, operator_connection(installation.settings) as client:
        circle = _Circle(bot)
        await circle.ask_beside(asyncio.sleep(options.size(_WARM_UP_S, 1)))  # until the model is loaded
        alone_s, beside = options.size(_ALONE_S, 1), dict[str, list[float]]()
        alone = await circle.ask_beside(asyncio.sleep(alone_s))
        for job in _JOBS:
            beside[job] = await circle.ask_beside(_work(client, job, installation))
        await installation.until_at_rest()
        return _Waits(alone + await circle.ask_beside(asyncio.sleep(alone_s)), beside)


async def _work(client: Client, job: str, installation: Installation) -> None:
    """Have a job run, and wait for its end and for what it left to others. Raises RuntimeError where it does not end."""
    run_id = f"{job}/{new_token()}"
    await ask_for_run(client, job, run_id)
    try:
        async with asyncio.timeout(_PATIENCE_S):
            while not await _ended(client, run_id):  # noqa: ASYNC110 - another process ends it
                await asyncio.sleep(_LOOKS_S)
    except TimeoutError as error:
        raise RuntimeError(f"{job} did not end within {_PATIENCE_S:.0f} s:\n{installation.logged()}") from error
    await asyncio.sleep(_AFTERWARDS_S)


async def _ended(client: Client, run_id: str) -> list[dict[str, Any]]:
    asked = json.dumps({"run": run_id}).encode()
    with suppress(Unavailable):
        found: list[dict[str, Any]] = (await ask_service(client, "maintenance", "job_runs", asked, timeout_s=5))["runs"]
        return found
    return []


class _Circle:
    """People who ask, and think for a while, and ask again."""

    def __init__(self, bot: MemoryClient) -> None:
        self._people = [(bot.for_user(f"p-{who}", space=SPACE), Writer(f"asks {who}")) for who in range(_PEOPLE)]

    async def ask_beside(self, work: Awaitable[None]) -> list[float]:
        """The seconds that everybody waited for each context until this work was over."""
        over = asyncio.Event()
        asking = asyncio.gather(*(_ask(memory, write, who, over) for who, (memory, write) in enumerate(self._people)))
        try:
            await work
        finally:
            over.set()
        return [each for one in await asking for each in one]


async def _ask(memory: Memories, write: Writer, who: int, over: asyncio.Event) -> list[float]:
    waits = list[float]()
    await asyncio.sleep(_THINKS_S * who / _PEOPLE)
    while not over.is_set():
        began = time.perf_counter()
        await memory.context(write.turn(), record=False, timeout_s=30)
        waits.append(time.perf_counter() - began)
        await asyncio.sleep(_THINKS_S)
    return waits


def _turns(count: int) -> Iterator[dict[str, str]]:
    """What is said; every fifth turn is a statement that is learned."""
    for who in range(_PEOPLE):
        write = Writer(f"said {who}")
        for index in range(count // _PEOPLE):
            session, turn = divmod(index, _SESSION)
            states = index % 5 == 0
            yield {
                "user": f"p-{who}",
                "session_id": f"session-{session}",
                "role": "user" if states else ("user", "assistant")[turn % 2],
                "text": f"I like the {write.rare_word()} of {write.name()}." if states else write.turn(),
                "occurred_at": (_BEGIN + timedelta(days=session, minutes=turn)).isoformat(),
            }


def main(arguments: Sequence[str] = ()) -> None:
    """Measure and keep the result."""
    run("jobs_beside", "How long do people wait for contexts while the jobs of the night run?", measure, arguments, runs=3)
