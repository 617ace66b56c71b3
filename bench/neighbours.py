"""How long a person waits for a context while a bot of another space sends the worst that it may."""

from __future__ import annotations

import asyncio
import json
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import NamedTuple

from bench._installation import SPACE, Installation
from bench._machine import cpu_s
from bench._noise import NOISES
from bench._options import Findings, Options, run
from bench._result import Row, amount, brief, latencies, percentile
from bench._text import Writer
from memstream.client import Memories
from shared.contracts.ids import Space
from shared.runtime.credentials import load_credentials, save_credentials

_ELSEWHERE = Space("elsewhere")
_LOUD = "loud"
_TOLD = 200
_PAUSE_S = 0.02
_WARM_UP_S = 2.0


async def measure(options: Options) -> Findings:
    """Ask in peace, then beside each noise, with everything in one process, as `memstream up` runs it."""
    names = list(NOISES)[:1] if options.is_quick else list(NOISES)
    return Findings([row for name in names for row in await beside(name, options)], notes=_NOTES)


async def beside(name: str, options: Options) -> list[Row]:
    """The rows of one noise. Each run has an installation of its own: a noise leaves much work behind."""
    runs = [await _run(name, options) for _ in range(options.runs)]
    ratios = [percentile(run.noise, 95) / percentile(run.peace, 95) for run in runs]
    rows = [
        latencies(f"in peace, before {name}", [run.peace for run in runs]),
        latencies(f"beside {name}", [run.noise for run in runs]),
        amount(f"p95 beside {name}, in times of that in peace", "times", ratios, at_most=2),
        amount(f"processor time of a second, beside {name}", "s", [run.cpu_s for run in runs]),
    ]
    print(*map(brief, rows), sep="\n", flush=True)
    return rows


class _Run(NamedTuple):
    """The seconds of each answer, and processor time a second meanwhile."""

    peace: list[float]
    noise: list[float]
    cpu_s: float


async def _run(name: str, options: Options) -> _Run:
    seconds = options.size(10, 1)
    with tempfile.TemporaryDirectory(prefix="memstream-bench-") as folder:
        installation = Installation(Path(folder), options.embedder)
        await installation.create()
        credentials = load_credentials(installation.files.credentials).with_bot(_LOUD, (_ELSEWHERE,))
        save_credentials(installation.files.credentials, credentials)
        async with installation.running(), installation.bot("quiet") as bot:
            asker = _Asker(bot.for_user("quiet", space=SPACE))
            await asker.tell()
            await installation.until_at_rest()
            peace = await asker.ask(seconds)
            async with _noise(installation, name):
                await asyncio.sleep(_WARM_UP_S)
                before, began = sum(map(cpu_s, installation.pids.values())), time.perf_counter()
                noise = await asker.ask(seconds)
                spent = sum(map(cpu_s, installation.pids.values())) - before
            return _Run(peace, noise, spent / (time.perf_counter() - began))


@asynccontextmanager
async def _noise(installation: Installation, name: str) -> AsyncIterator[None]:
    url = json.loads(installation.files.running.read_text(encoding="utf-8"))["url"]
    password = load_credentials(installation.files.credentials).bots[_LOUD].password
    arguments = (url, _LOUD, password, _ELSEWHERE, name)
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "bench._noise", *arguments), cwd=Path(__file__).parents[1]
    )
    try:
        yield
        assert process.returncode is None, "the noise ended by itself"
    finally:
        process.terminate()
        await process.wait()


class _Asker:
    """Somebody of whom a few things are known, and who asks new questions at a person's pace."""

    def __init__(self, memory: Memories) -> None:
        self._memory = memory
        self._write = Writer("neighbour")

    async def tell(self) -> None:
        """Tell what is to be remembered."""
        for number in range(_TOLD):
            receipt = await self._memory.add(self._write.turn(), session_id=f"talk {number // 20}")
        await self._memory.outcome(receipt, timeout_s=60)
        await self.ask(1)

    async def ask(self, for_s: float) -> list[float]:
        """Ask for so long; the seconds that each answer took."""
        clock = asyncio.get_running_loop().time
        end, seconds = clock() + for_s, list[float]()
        while (began := clock()) < end or len(seconds) < 2:  # noqa: PLR2004 - at least two
            await self._memory.context(self._write.question(), timeout_s=60)
            seconds.append(clock() - began)
            await asyncio.sleep(_PAUSE_S)
        return seconds


_NOTES = (
    (
        "One person with 200 short turns asks one question after the other, 20 ms apart; a bot that is limited to another space"
        " sends 16 messages or questions at a time, to four people, from a process of its own, on the same two cores."
    ),
    "Each run has an installation of its own: in peace, at rest, then from two seconds after the noise began.",
)


def main(arguments: Sequence[str] = ()) -> None:
    """Measure and keep the result."""
    run("neighbours", "How long does a context take while a bot of another space sends the worst?", measure, arguments, runs=3)
