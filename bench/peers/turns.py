"""The contest: every contender gets the same questions in every round, and each round another one begins."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from bench._options import Options
from bench._text import Writer
from bench.peers.corpus import Corpus
from bench.peers.entry import OURS, Entry
from bench.peers.process import ContenderProcess, Dropped

CLIENTS = 8
_LONGEST_TURN_S = 20.0
_KNOWN = 5
_MOST_EMPTY = 0.02
_SETTLED_S, _SETTLED_QUICK_S = 2.0, 0.2


@dataclass
class Score:
    """What one contender did, round by round."""

    runs: list[list[float]] = field(default_factory=list)  # seconds of each answer to one client
    cpu_ms: list[float] = field(default_factory=list)  # an answer to one client, in all its processes
    answers_s: list[float] = field(default_factory=list)  # to all clients

    def add(self, alone: Mapping[str, Any], cpu_s: float, together: Mapping[str, Any]) -> None:
        """Add a turn. Raises Dropped if more than few answers were empty: those are none, and quick ones."""
        empty, asked = alone["empty"] + together["empty"], len(alone["seconds"]) + len(together["seconds"])
        if empty > asked * _MOST_EMPTY:
            raise Dropped(f"{empty} of {asked} answers had no memory")
        self.runs.append(alone["seconds"])
        self.cpu_ms.append(1000 * cpu_s / len(alone["seconds"]))
        self.answers_s.append(len(together["seconds"]) / together["took_s"])


class Contest:
    """Contenders that hold the same memories, peers with vectors of the embedder that they have."""

    def __init__(self, ours: Corpus, theirs: Corpus, options: Options, *, models: Path) -> None:
        self._ours, self._theirs = ours, theirs
        self._options = options
        self._models = models
        self._asked = options.size(100, 8)
        self._asked_together = options.size(120, 16)
        self._settled_s = _SETTLED_QUICK_S if options.is_quick else _SETTLED_S
        self._in: dict[Entry, ContenderProcess] = {}
        self.scores: dict[Entry, Score] = {}
        self.dropped: dict[Entry, str] = {}

    @asynccontextmanager
    async def with_all(self, pythons: Mapping[Entry, Path], folder: Path) -> AsyncIterator[None]:
        """Start all that can be started, each filled with the corpus and asked for what it must know."""
        try:
            for entry, python in pythons.items():
                self.scores[entry] = Score()
                await self._or_dropped(entry, self._start(entry, python, folder))
            yield
        finally:
            await asyncio.gather(*(process.stop() for process in self._in.values()))

    async def rounds(self) -> None:
        """As many rounds as the options say, so that whatever else the machine does hits all alike."""
        entries = list(self._in)
        for number in range(self._options.runs):
            first = number % len(entries)
            for entry in (*entries[first:], *entries[:first]):
                if entry not in self.dropped:
                    await self._or_dropped(entry, self._turn(entry, number))

    async def _start(self, entry: Entry, python: Path, folder: Path) -> None:
        corpus = self._ours if entry.name == OURS else self._theirs
        process = self._in[entry] = ContenderProcess(entry, folder / f"{entry.name}-{corpus.size}-{corpus.embedder}")
        await process.start(python, corpus, self._models)
        known = {memory.id: memory.text for memory in corpus.some(_KNOWN)}
        if lacking := await process.request("find", texts=known):
            raise Dropped(f"it does not find {', '.join(lacking)} by their own words")

    async def _turn(self, entry: Entry, number: int) -> None:
        process = self._in[entry]
        await process.request("open", clients=CLIENTS, questions=self._questions(f"{number}/first", 2))
        before = process.cpu_s()
        alone = await process.request("ask", **self._asking(f"{number}/alone", self._asked, clients=1))
        await asyncio.sleep(self._settled_s)
        spent = process.cpu_s() - before
        together = await process.request("ask", **self._asking(f"{number}/together", self._asked_together, clients=CLIENTS))
        await process.request("close")
        await asyncio.sleep(self._settled_s)  # what follows its answers must not cost the next one's
        self.scores[entry].add(alone, spent, together)

    def _asking(self, purpose: str, count: int, *, clients: int) -> dict[str, Any]:
        return {"questions": self._questions(purpose, count), "clients": clients, "turn_s": _LONGEST_TURN_S}

    def _questions(self, purpose: str, count: int) -> Sequence[str]:
        write = Writer(f"{self._ours.size}/{purpose}")
        return [write.question() for _ in range(count)]

    async def _or_dropped(self, entry: Entry, doing: Awaitable[None]) -> None:
        """The others go on without one that fails."""
        try:
            await doing
        except Dropped as error:
            print(f"{entry.title} is out: {error}", flush=True)
            self.dropped[entry] = str(error)
            await self._in[entry].stop()
