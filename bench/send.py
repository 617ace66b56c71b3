"""How long it takes until a message that is sent is durable, is found by its words, and has a vector."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path

from bench._installation import SPACE, Installation
from bench._options import Findings, Options, run
from bench._result import latencies
from bench._text import Writer
from memstream.client import Memories, MemoryClient, Receipt
from shared.language.commands.reading import may_withhold

_POLL_S = 0.005
_PATIENCE_S = 30.0
_LOOKED_AT = 20
"""Memories of an answer: to the model all words of random letters are alike."""


async def measure(options: Options) -> Findings:
    """Measure with everything in one process, as `memstream up` runs it, and one bot that sends and waits."""
    acknowledged, lexical, asked, vector, busy = [], [], [], [], []
    with tempfile.TemporaryDirectory(prefix="memstream-bench-") as folder:
        installation = Installation(Path(folder), options.embedder)
        await installation.create()
        async with installation.running(), installation.bot() as bot:
            await _warm_up(bot)
            for number in range(options.runs):
                trial = _Trial(bot, number)
                acknowledged.append([await trial.until_acknowledged() for _ in range(options.size(500, 10))])
                await trial.until_all_embedded()
                lexical.append([await trial.until_found_by_words() for _ in range(options.size(100, 3))])
                asked.append([await trial.until_found_by_a_new_question() for _ in range(options.size(100, 3))])
                vector.append([await trial.until_found_by_vector() for _ in range(options.size(100, 3))])
                busy.append(await trial.until_acknowledged_in_parallel(options.size(800, 20)))
                await trial.until_all_embedded()
    return Findings(
        rows=[
            latencies("send to acknowledged, that is durable", acknowledged, aims={"p95": 5}),
            latencies("the same, 8 messages at a time", busy),
            latencies("send to found by its words", lexical, aims={"p50": 15, "p95": 25}),
            latencies("send to found by a new question, which is embedded first", asked),
            latencies("send to its vector known to the search", vector, aims={"p95": 300}),
        ],
        notes=[
            "Real nats-server, every write synced to disk; all services in one process; bot and server on the same machine.",
            (
                "Found by its words: publish, outcome, and a search that waits for that position; its vector is known"
                " from an earlier search. The row below asks a question that nobody asked before."
            ),
            (
                f"The vector is looked for by a search every {_POLL_S * 1000:.0f} ms; maintenance waits up to 50 ms for a"
                " batch to fill."
            ),
        ],
    )


class _Trial:
    """Sends the messages of one run, for a user of its own."""

    def __init__(self, bot: MemoryClient, number: int) -> None:
        self._memory: Memories = bot.for_user(f"sender-{number}", space=SPACE)
        self._write = Writer(number)
        self._last: Receipt | None = None

    async def until_acknowledged(self) -> float:
        """Send a turn; return the seconds until the server has it on disk."""
        return await _timed(lambda: self._send(self._write.turn()))

    async def until_acknowledged_in_parallel(self, count: int) -> list[float]:
        """Send `count` turns, eight at a time; return the seconds until each is on disk."""

        async def one_after_another() -> list[float]:
            return [await self.until_acknowledged() for _ in range(count // 8 or 1)]

        return [seconds for each in await asyncio.gather(*(one_after_another() for _ in range(8))) for seconds in each]

    async def until_found_by_words(self) -> float:
        """Send a turn; return the seconds until a search finds it whose question was asked, and embedded, before."""
        word = self._write.rare_word()
        await self._memory.search(word, limit=1)
        return await self._until_found(word)

    async def until_found_by_a_new_question(self) -> float:
        """Send a turn; return the seconds until a search with a new question finds it."""
        return await self._until_found(self._write.rare_word())

    async def until_found_by_vector(self) -> float:
        """Send a turn; return the seconds until a search knows its vector."""
        word = self._write.rare_word()
        await self._memory.search(word, limit=1)

        async def until_embedded() -> None:
            receipt = await self._send(f"{self._turn()} {word}")
            async with asyncio.timeout(_PATIENCE_S):
                while not await self._has_vector(word, receipt):  # noqa: ASYNC110 - a bot has no other way to know
                    await asyncio.sleep(_POLL_S)

        return await _timed(until_embedded)

    async def until_all_embedded(self) -> None:
        """Wait until all that was sent has vectors, so that embedding does not disturb what is measured next."""
        word = self._write.rare_word()
        receipt = await self._send(f"The last word of these is {word}")
        async with asyncio.timeout(20 * _PATIENCE_S):
            while not await self._has_vector(word, receipt):  # noqa: ASYNC110 - a bot has no other way to know
                await asyncio.sleep(20 * _POLL_S)

    async def _until_found(self, word: str) -> float:
        async def until_found() -> None:
            receipt = await self._send(f"{self._turn()} {word}")
            answer = await self._memory.search(word, limit=_LOOKED_AT, after=receipt)
            assert any(word in item.text for item in answer.items)

        return await _timed(until_found)

    def _turn(self) -> str:
        """A turn that has no word of a wish not to be kept: words at random now and then read as one."""
        return next(turn for turn in iter(self._write.turn, None) if not may_withhold(turn, ("en",)))

    async def _has_vector(self, word: str, receipt: Receipt) -> bool:
        answer = await self._memory.search(word, limit=_LOOKED_AT, after=receipt, timeout_s=_PATIENCE_S)
        [memory] = [item for item in answer.items if word in item.text]
        return "vector" in memory.score.legs

    async def _send(self, text: str) -> Receipt:
        return await self._memory.add(text, session_id="s1", speaker="Ada")


async def _timed(act: Callable[[], Awaitable[object]]) -> float:
    clock = asyncio.get_running_loop().time
    began = clock()
    await act()
    return clock() - began


async def _warm_up(bot: MemoryClient) -> None:
    """Have the model loaded, by a first question and a first memory."""
    trial = _Trial(bot, -1)
    await trial.until_found_by_a_new_question()
    await trial.until_found_by_vector()


def main(arguments: Sequence[str] = ()) -> None:
    """Measure and keep the result."""
    run("send", "How long from sending until it is durable, found, and has a vector?", measure, arguments)
