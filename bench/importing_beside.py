"""How long ten people wait for the vectors of what they say, alone and beside an import of 20,000 turns."""

from __future__ import annotations

import asyncio
import json
import tempfile
from collections import defaultdict
from collections.abc import AsyncIterator, Awaitable, Iterable, Sequence
from contextlib import aclosing, asynccontextmanager, suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path

from bench._installation import SPACE, Installation
from bench._options import Findings, Options, run
from bench._result import amount, latencies, percentile
from bench._text import Writer
from memstream.client import Memories, MemoryClient
from shared.contracts.events import MemoryEmbedded
from shared.contracts.ids import Scope, Slot, User
from shared.contracts.subjects import memory_subject, slot_of
from shared.runtime.connection import Client, operator_connection
from shared.runtime.eventlog.read import LogReader
from shared.runtime.keys import load_keys
from shared.runtime.tasks import end

_PEOPLE = 10
_IMPORTED_PEOPLE = 40
_SESSION = 30
_THINKS_S = 1.0
_NAME = "person-{}"
_PATIENCE_S = 300.0
_MOST = 3.0
"""So many times the time without an import, the p95 beside one may be."""

_BEGIN = datetime(2025, 1, 1, tzinfo=UTC)
_WHEN = ("nothing else is done", "the turns are sent", "they are learned from and embedded")


async def measure(options: Options) -> Findings:
    """Measure with everything in one process, as `memstream up` runs it; the import is `memstream import`."""
    alone, sending, after = [], [], []
    turns = options.size(20_000, 200)
    with tempfile.TemporaryDirectory(prefix="memstream-bench-") as folder:
        file = Path(folder) / "turns.jsonl"
        file.write_text("\n".join(map(json.dumps, _turns(turns))), encoding="utf-8")
        for number in range(options.runs):
            installation = Installation(Path(folder) / str(number), options.embedder)
            installation.root.mkdir()
            await installation.create()
            async with installation.running(), _talking(installation) as circle:
                await circle.say(options.size(3, 1))  # until the model is loaded
                alone.append(await circle.say(options.size(20, 2)))
                sending.append(await circle.talk_beside(installation.command("import", str(file), "--space", SPACE)))
                after.append(await circle.say(options.size(20, 2)))
    ratios = [_p95(waits) / _p95(idle) for beside in (sending, after) for waits, idle in zip(beside, alone, strict=True)]
    return Findings(
        rows=[
            *(
                latencies(f"sent to its vector known, while {when}", runs)
                for when, runs in zip(_WHEN, (alone, sending, after), strict=True)
            ),
            amount("the p95 beside the import, in times of the p95 without", "x", ratios, at_most=_MOST),
        ],
        notes=[
            f"{_PEOPLE} people each say something, wait until a search knows its vector, and pause for {_THINKS_S:.0f} s.",
            f"Beside them {turns:,} turns of {_IMPORTED_PEOPLE} other people are imported, in a process of its own.",
            "A vector is known when it is in the log, and a search that waits for that position has found by it.",
        ],
    )


class _Vectors:
    """Follows in the log when memories of some people get their vectors."""

    def __init__(self, client: Client, scopes: Iterable[tuple[Slot, Scope]]) -> None:
        subjects = [memory_subject(slot, scope, MemoryEmbedded.event_type) for slot, scope in scopes]
        self._reader = LogReader(client, subjects=subjects)
        self._positions: defaultdict[str, asyncio.Future[int]] = defaultdict(asyncio.get_running_loop().create_future)

    async def follow(self) -> None:
        """Follow for ever."""
        async with aclosing(self._reader.batches()) as batches:
            async for batch in batches:
                for record in batch:
                    self._positions[json.loads(record.data)["data"]["memory_id"]].set_result(record.position)

    async def position_of(self, memory_id: str) -> int:
        """Where the vector of a memory is in the log, as soon as it is."""
        async with asyncio.timeout(_PATIENCE_S):
            return await self._positions[memory_id]


class _Person:
    """Somebody who talks with a bot, which asks for their context before each turn."""

    def __init__(self, bot: MemoryClient, vectors: _Vectors, number: int) -> None:
        self._memory: Memories = bot.for_user(_NAME.format(number), space=SPACE)
        self._vectors = vectors
        self._write = Writer(f"person {number}")
        self._comes_after_s = _THINKS_S * number / _PEOPLE

    async def talk(self, over: asyncio.Event, *, times: int | None = None) -> list[float]:
        """Say things until it is over, or so many; return the seconds that each waited for its vector."""
        waits: list[float] = []
        await asyncio.sleep(self._comes_after_s)
        while not over.is_set() and len(waits) != times:
            waits.append(await self._until_known())
            with suppress(TimeoutError):
                await asyncio.wait_for(over.wait(), _THINKS_S)
        return waits

    async def _until_known(self) -> float:
        """Say something; return the seconds until a search knows its vector."""
        clock, memory_id = asyncio.get_running_loop().time, None
        while memory_id is None:  # words at random may be read as a wish not to be remembered: such a turn gets no vector
            said = f"{self._write.turn()} {self._write.rare_word()}"
            await self._memory.context(said, session_id="today", timeout_s=_PATIENCE_S)
            began = clock()
            receipt = await self._memory.add(said, session_id="today", speaker="Ada")
            memory_id = (await self._memory.outcome(receipt, timeout_s=_PATIENCE_S)).memory_id
        position = await self._vectors.position_of(str(memory_id))
        answer = await self._memory.search(said, limit=1, min_position=position, timeout_s=_PATIENCE_S)
        waited_s = clock() - began
        assert "vector" in answer.items[0].score.legs
        return waited_s


class _Circle:
    """Ten people who talk at the same time."""

    def __init__(self, bot: MemoryClient, vectors: _Vectors) -> None:
        self._people = [_Person(bot, vectors, number) for number in range(_PEOPLE)]

    async def say(self, times: int) -> list[float]:
        """Everybody says so many things; the seconds that each waited for its vector."""
        return _together(await asyncio.gather(*(person.talk(asyncio.Event(), times=times) for person in self._people)))

    async def talk_beside(self, work: Awaitable[object]) -> list[float]:
        """Everybody talks until that work is done; the seconds that each thing said waited for its vector."""
        over = asyncio.Event()
        talks = asyncio.gather(*(person.talk(over) for person in self._people))
        try:
            await work
        finally:
            over.set()
        return _together(await talks)


@asynccontextmanager
async def _talking(installation: Installation) -> AsyncIterator[_Circle]:
    """Ten people at a running memstream."""
    keys = load_keys(installation.files.keys)
    users = [User(_NAME.format(number)) for number in range(_PEOPLE)]
    async with operator_connection(installation.settings) as client, installation.bot() as bot:
        vectors = _Vectors(client, [(slot_of(user), keys.scope_of(SPACE, user)) for user in users])
        following = asyncio.create_task(vectors.follow())
        try:
            yield _Circle(bot, vectors)
        finally:
            await end([following])


def _together(waits: Iterable[Sequence[float]]) -> list[float]:
    return [each for one in waits for each in one]


def _turns(count: int) -> Iterable[dict[str, str]]:
    each = count // _IMPORTED_PEOPLE
    for user in range(_IMPORTED_PEOPLE):
        write = Writer(f"imported {user}")
        for index in range(each):
            session, turn = divmod(index, _SESSION)
            yield {
                "user": f"imported-{user}",
                "session_id": f"session-{session}",
                "role": ("user", "assistant")[turn % 2],
                "text": write.turn(),
                "occurred_at": (_BEGIN + timedelta(days=session, minutes=turn)).isoformat(),
            }


def _p95(waits: Sequence[float]) -> float:
    return percentile(waits, 95)


def main(arguments: Sequence[str] = ()) -> None:
    """Measure and keep the result."""
    run(
        "importing_beside",
        "How long do people wait for the vectors of what they say, beside an import?",
        measure,
        arguments,
        runs=1,
    )
