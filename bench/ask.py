"""How long a context takes, by the number of users and their memories, and where the time goes."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass
from itertools import cycle, islice
from random import Random

from bench._installation import SPACE
from bench._log import Plan, installation_of, user_name
from bench._machine import cpu_s
from bench._options import Findings, Options, run
from bench._result import Row, amount, brief, latencies
from bench._text import Writer
from memstream.client import MemoryClient

_CLIENTS = 8
_REPEATED = 20
_LARGE, _FEW, _MANY = 50_000, 40, 120
"""From 50,000 memories on a run has 40 questions, else 120: the whole ends within a quarter of an hour."""
_STAGE = "memstream_context_stage_seconds_sum"
_WORDS = ("lexical", "entity", "time")  # run while the question is embedded
_STAGES = ("embed", *_WORDS, "vector", "cosines", "times", "rank", "evidence", "diversity", "assemble")


@dataclass(frozen=True, slots=True)
class Case:
    """A number of users with so many memories each, and the aims for it."""

    users: int
    memories: int
    p50_ms: float | None = None
    p95_ms: float | None = None
    asks_s: float | None = None

    @property
    def name(self) -> str:
        """How rows name the case."""
        return f"{self.users:,} users of {self.memories:,}" if self.users > 1 else f"one user of {self.memories:,}"

    @property
    def aims(self) -> dict[str, float]:
        """The aims for latency in milliseconds, by percentile."""
        return {name: limit for name, limit in (("p50", self.p50_ms), ("p95", self.p95_ms)) if limit}


_CASES = (
    Case(1, 600, 15, 25),
    Case(1, 10_000, 15, 25, 100),
    Case(1, 100_000, p95_ms=90),
    Case(1_000, 600, 15, 25, 100),
)
_QUICK = (Case(1, 60), Case(4, 30))


async def measure(options: Options) -> Findings:
    """Measure each case on its own fabricated log, with all services in one process."""
    rows: list[Row] = []
    shares: dict[str, dict[str, float]] = {}
    incomplete = 0
    for case in _QUICK if options.is_quick else _CASES:
        installation = await installation_of(Plan(case.users, case.memories, options.embedder), options.data)
        print(f"{case.name}: {options.runs} runs", flush=True)
        async with installation.running(), AsyncExitStack() as stack:
            bots = [await stack.enter_async_context(installation.bot()) for _ in range(_CLIENTS)]
            await installation.until_at_rest()  # the services look at what was fabricated
            trials = [_Trial(bots, case, number, options) for number in range(-1, options.runs)]
            await trials.pop(0).ask_new_questions()  # loads the model, opens the files
            before = await installation.metrics()
            spent = sum(map(cpu_s, installation.pids.values()))
            distinct = [await trial.ask_new_questions() for trial in trials]
            spent = sum(map(cpu_s, installation.pids.values())) - spent
            after = await installation.metrics()
            repeated = [await trial.ask_known_questions() for trial in trials]
            many = [await trial.ask_in_parallel() for trial in trials]
        incomplete += sum(trial.incomplete for trial in trials)
        shares[f"Where the time of a new question goes, {case.name}: ms"] = _stages(before, after, distinct)
        found = [
            latencies(f"{case.name}: a new question", distinct, aims=case.aims),
            latencies(f"{case.name}: a question asked before", repeated),
            latencies(f"{case.name}: new questions of {_CLIENTS} clients at once", [latency for latency, _ in many]),
            amount(f"{case.name}: processor time of a new question", "ms", [1000 * spent / sum(map(len, distinct))]),
            amount(f"{case.name}: {_CLIENTS} clients", "asks/s", [rate for _, rate in many], at_least=case.asks_s),
        ]
        print(*map(brief, found), sep="\n", flush=True)  # the whole takes minutes: what is known by now is seen by now
        rows += found
    return Findings(rows, shares, [*_NOTES, _LACKING.format(count=incomplete)])


class _Trial:
    """Asks the questions of one run of a case."""

    def __init__(self, bots: Sequence[MemoryClient], case: Case, number: int, options: Options) -> None:
        self._bots = bots
        self._case = case
        self._seed = f"{case.name}/{number}"
        self._users = Random(self._seed)
        self.incomplete = 0  # answers that a leg did not come in time for, which makes them quick
        self._asks = options.size(_FEW if case.memories >= _LARGE else _MANY, 6)

    async def ask_new_questions(self) -> list[float]:
        """Ask different questions one after the other; return the seconds of each."""
        return await self._ask(self._bots[0], self._questions("distinct", self._asks))

    async def ask_known_questions(self) -> list[float]:
        """Ask a few questions once, then again and again; return the seconds of each repetition."""
        questions = self._questions("repeated", _REPEATED)
        await self._ask(self._bots[0], questions)
        return await self._ask(self._bots[0], list(islice(cycle(questions), self._asks)))

    async def ask_in_parallel(self) -> tuple[list[float], float]:
        """Ask different questions from all clients at once; return the seconds of each, and the questions answered a second."""
        clock = asyncio.get_running_loop().time
        began = clock()
        asked = await asyncio.gather(
            *(self._ask(bot, self._questions(f"client {index}", self._asks // 2)) for index, bot in enumerate(self._bots))
        )
        seconds = [each for of_client in asked for each in of_client]
        return seconds, len(seconds) / (clock() - began)

    async def _ask(self, bot: MemoryClient, questions: Sequence[str]) -> list[float]:
        clock = asyncio.get_running_loop().time
        seconds = []
        for question in questions:
            memory = bot.for_user(user_name(self._users.randrange(self._case.users)), space=SPACE)
            began = clock()
            answer = await memory.context(question, ranking={"abstain_below": 1e-9}, timeout_s=30)
            seconds.append(clock() - began)
            assert answer.items, "the log is fabricated so that every question finds something"
            self.incomplete += bool(answer.legs_failed)
        return seconds

    def _questions(self, purpose: str, count: int) -> list[str]:
        write = Writer(f"{self._seed}/{purpose}")
        return [write.question() for _ in range(count)]


def _stages(
    before: dict[tuple[str, str], float], after: dict[tuple[str, str], float], asked: Sequence[Sequence[float]]
) -> dict[str, float]:
    """Mean milliseconds of each stage of a question, from the metrics before and after."""
    count = sum(map(len, asked))

    def mean_ms(sample: str, label: str) -> float:
        return 1000 * (after.get((sample, label), 0.0) - before.get((sample, label), 0.0)) / count

    stages = {stage: mean_ms(_STAGE, stage) for stage in _STAGES}
    stages["vector"] += stages.pop("cosines")
    stages["time"] += stages.pop("times")
    inside = mean_ms("memstream_query_seconds_sum", "context")
    beside = min(stages["embed"], sum(stages[stage] for stage in _WORDS))
    stages["the rest of the retriever"] = inside - sum(stages.values()) + beside
    stages["wire and client"] = 1000 * sum(map(sum, asked)) / count - inside
    return {stage: round(amount, 2) for stage, amount in stages.items()}


_NOTES = (
    (
        "`context` over NATS through the SDK, limit 12, budget 2,000 tokens, the question embedded, the recall recorded; all"
        " services in one process, clients and server on the same machine."
    ),
    (
        "The log is fabricated: turns of synthetic text (by Zipf's law), vectors in random directions. They cost"
        " as much as real ones; how good the answers are is not measured here."
    ),
    (
        "Processor time is that of memstream and of nats-server, with what follows a question: recording what was recalled. It"
        " hardly depends on what else the machine does."
    ),
    "A question asked before: its vector is known to the retriever, everything else is done again.",
    (
        "Stages are means of memstream's own metric `memstream_context_stage_seconds`; `vector` includes the exact similarities"
        " of all candidates and their neighbours. `lexical`, `entity` and `time` run while the question is embedded, so the"
        " stages add up to more than the whole; the rest of the retriever is reading and checking the query, waiting for a"
        " thread and for the file."
    ),
    "1,000 users are asked at random, so most files must be opened first: 256 are kept open.",
)
_LACKING = (
    "{count} of all answers lacked a leg, as when the embedder took longer than memstream waits: such answers come sooner,"
    " and figures with many of them are worth nothing."
)


def main(arguments: Sequence[str] = ()) -> None:
    """Measure and keep the result."""
    run("ask", "How long does a context take, by how much is remembered of how many?", measure, arguments)
