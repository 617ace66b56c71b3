"""A contender's process, as the one who compares them sees it."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import signal
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench._machine import cpu_s, family
from bench.peers.contender import Given
from bench.peers.corpus import Corpus
from bench.peers.entry import Entry

_ROOT = Path(__file__).parents[2]
_KEPT = ("PATH", "LANG", "LC_ALL", "TMPDIR")
_QUIET = {
    "ANONYMIZED_TELEMETRY": "False",
    "HF_HUB_OFFLINE": "1",
    "LANGSMITH_TRACING": "false",
    "MEM0_TELEMETRY": "False",
    "ORT_DISABLE_TELEMETRY": "1",
}
"""Nobody calls home while it is measured."""

_THREADS = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}  # memstream's services set it for themselves
_LARGEST_ANSWER = 1 << 22
_LOAD_S, _OTHER_S, _STOP_S = 3_600.0, 300.0, 90.0
_LOADED = "loaded"


class Dropped(Exception):
    """A contender ended, failed or took too long; the message has the end of its log."""


@dataclass
class ContenderProcess:
    """A contender with its own folder, where it finds at the next start what it was filled with."""

    entry: Entry
    folder: Path
    _process: asyncio.subprocess.Process | None = None

    async def start(self, python: Path, corpus: Corpus, models: Path) -> None:
        """Start it with this corpus, filled now if it was not before. Raises Dropped."""
        loaded, made_of = self.folder / _LOADED, f"{self.entry.digest} {corpus.digest}\n"
        is_filled = loaded.exists() and loaded.read_text(encoding="utf-8") == made_of
        if not is_filled:
            shutil.rmtree(self.folder, ignore_errors=True)
        given = Given(self.folder / "store", corpus.embedder, models)
        given.folder.mkdir(parents=True, exist_ok=True)
        await self.run(python, given)
        if not is_filled:
            print(f"filling {self.entry.title} with {corpus.size:,} memories; the next time they are there already", flush=True)
            await self.load(corpus.texts, corpus.vectors)
            loaded.write_text(made_of, encoding="utf-8")

    async def request(self, what: str, *, within_s: float = _OTHER_S, **fields: Any) -> Any:  # noqa: ANN401 - JSON
        """Have it do something. Raises Dropped if it ends or does not answer in time."""
        process = self._process
        assert process is not None
        assert process.stdin is not None
        with suppress(BrokenPipeError, ConnectionResetError):  # its log says why
            process.stdin.write(json.dumps([what, fields]).encode() + b"\n")
            await process.stdin.drain()
        return await self._answer(within_s)

    async def load(self, texts: Path, vectors: Path) -> None:
        """Fill it from these files. Raises Dropped."""
        await self.request("load", within_s=_LOAD_S, texts=str(texts), vectors=str(vectors))

    def cpu_s(self) -> float:
        """Processor time of it and of all processes that it started, so far."""
        assert self._process is not None
        return sum(map(cpu_s, family(self._process.pid)))

    async def stop(self) -> None:
        """End it; one that does not end by itself is killed."""
        process = self._process
        if process is None or process.stdin is None:
            return
        process.stdin.close()
        try:
            await asyncio.wait_for(process.wait(), _STOP_S)
        except TimeoutError:
            process.kill()
            await process.wait()

    async def kill(self) -> None:
        """Kill it and all that it started, what was started last first, so that nobody has the time to end in order."""
        assert self._process is not None
        for pid in reversed(family(self._process.pid)):
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        await self._process.wait()

    async def run(self, python: Path, given: Given) -> None:
        """Start it with what is in its folder. Raises Dropped."""
        kept = {name: os.environ[name] for name in _KEPT if name in os.environ}
        with self._log.open("wb") as log:
            self._process = await asyncio.create_subprocess_exec(
                *(str(python), "-m", "bench.peers.worker", self.entry.adapter),
                *(str(given.folder), given.embedder, str(given.models)),
                cwd=_ROOT,
                env={**kept, **_QUIET, **_THREADS, "HOME": str(self.folder), "PYTHONPATH": str(_ROOT)},
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=log,
                limit=_LARGEST_ANSWER,
            )
        await self._answer(_OTHER_S)

    async def _answer(self, within_s: float) -> Any:  # noqa: ANN401
        assert self._process is not None
        assert self._process.stdout is not None
        try:
            line = await asyncio.wait_for(self._process.stdout.readline(), within_s)
        except TimeoutError:
            raise Dropped(f"no answer within {within_s:g} s; {self._tail()}") from None
        if not line:
            raise Dropped(f"it ended; {self._tail()}")
        return json.loads(line)

    @property
    def _log(self) -> Path:
        return self.folder / "log.txt"

    def _tail(self) -> str:
        lines = self._log.read_text(encoding="utf-8", errors="replace").split("\n")
        return f"the last of its log: {' '.join(' '.join(lines[-4:]).split())[-400:]}"
