"""How long a context takes, by the number of users and their memories, and where the time goes."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Iterable, Iterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from functools import partial
from itertools import cycle, islice
from random import Random
from typing import TypeVar

from bench._aims import AIMS, OF_MANY_PEOPLE, Aims
from bench._installation import SPACE, Installation
from bench._log import Plan, installation_of, user_name
from bench._options import Findings, Options, run
from bench._result import Row, amount, brief, latencies, percentile
from bench._text import Writer
from bench.peers import comparison
from bench.peers.contender import LIMIT
from memstream.client import MemoryClient

_T = TypeVar("_T")
_CLIENTS = 8
_FOLLOWS_S = 2
_REPEATED = 20
_LARGE, _FEW, _MANY = 50_000, 40, 120
"""From 50,000 memories on a run has 40 questions, else 120: the whole ends within a quarter of an hour."""
_STAGE = "memstream_context_stage_seconds_sum"
_STAGES = ("embed", "vector", "lexical", "entity", "time", "succession", "rank", "evidence", "diversity", "assemble")


@dataclass(frozen=True, slots=True)
class Case:
    """A number of users with so many memories each."""

    users: int
    memories: int
    facts_change: bool = False

    @property
    def name(self) -> str:
        """How rows name the case."""
        who = f"{self.users:,} users" if self.users > 1 else "one user"
        return f"{who} of {self.memories:,}{' whose facts change' * self.facts_change}"

    @property
    def aims(self) -> Aims:
        """What it should reach; many users are judged beside one, in rows of their own."""
        return AIMS.get(self.memories, Aims()) if self.users == 1 else Aims()


_CASES = (
    *(Case(1, 600), Case(1, 10_000), Case(1, 100_000)),
    *(Case(1, 600, facts_change=True), Case(1, 10_000, facts_change=True)),
    Case(1_000, 600),
)
_QUICK = (Case(1, 60), Case(1, 60, facts_change=True), Case(4, 60))


@dataclass(slots=True)
class _Found:
    """What the runs of one case measured, a value or a list for each run."""

    distinct: list[list[float]] = field(default_factory=list)  # seconds
    repeated: list[list[float]] = field(default_factory=list)
    together: list[list[float]] = field(default_factory=list)
    answers_s: list[float] = field(default_factory=list)
    cpu: list[dict[str, float]] = field(default_factory=list)  # milliseconds of a question, by process
    cpu_unrecorded: list[dict[str, float]] = field(default_factory=list)
    stages: dict[str, float] = field(default_factory=dict)
    incomplete: int = 0

    def rows(self, case: Case) -> Iterator[Row]:
        """The figures of the case."""
        aims, asked = case.aims, min(map(len, self.distinct))
        spent, unrecorded = ([sum(each.values()) for each in runs] for runs in (self.cpu, self.cpu_unrecorded))
        cpu = f"{case.name}: processor time of a new question"
        yield latencies(f"{case.name}: a new question", self.distinct, aims=aims.latencies)
        yield latencies(f"{case.name}: a question asked before", self.repeated)
        yield latencies(f"{case.name}: new questions of {_CLIENTS} clients at once", self.together)
        yield amount(cpu, "ms", spent, samples=asked, at_most=aims.cpu_ms)
        yield amount(f"{cpu}, not recorded", "ms", unrecorded, samples=asked)
        yield amount(f"{case.name}: {_CLIENTS} clients", "answers/s", self.answers_s, at_least=aims.answers_s)


async def measure(memories: Sequence[int], options: Options) -> Findings:
    """Measure each case on its own fabricated log, with all services in one process. `memories`: of one person; none: all."""
    rows: list[Row] = []
    shares: dict[str, dict[str, float]] = {}
    founds: dict[Case, _Found] = {}
    for case in [Case(1, each) for each in memories] or (_QUICK if options.is_quick else _CASES):
        found = founds[case] = await _measured(case, options)
        shares[f"Where the time of a new question goes, {case.name}: ms"] = found.stages
        shares[f"Processor time of a new question, {case.name}: ms"] = _mean(found.cpu)
        print(*map(brief, found.rows(case)), sep="\n", flush=True)  # the whole takes minutes: what is known is seen by now
        rows += found.rows(case)
    incomplete = sum(found.incomplete for found in founds.values())
    return Findings([*rows, *_of_many(founds)], shares, [*_NOTES, _LACKING.format(count=incomplete)])


async def _measured(case: Case, options: Options) -> _Found:
    installation = await installation_of(
        Plan(case.users, case.memories, options.embedder, facts_change=case.facts_change), options.data
    )
    print(f"{case.name}: {options.runs} runs", flush=True)
    async with installation.running(), AsyncExitStack() as stack:
        bots = [await stack.enter_async_context(installation.bot()) for _ in range(_CLIENTS)]
        await installation.until_at_rest()  # the services look at what was fabricated
        trials = [_Trial(bots, case, number, options) for number in range(-1, options.runs)]
        await trials.pop(0).ask_new_questions()  # loads the model, opens the files
        found = _Found()
        before = await installation.metrics()
        for trial in trials:
            async with _spent(installation, found.cpu, trial.asks):
                found.distinct.append(await trial.ask_new_questions())
        found.stages = _stages(before, await installation.metrics(), found.distinct)
        for trial in trials:
            async with _spent(installation, found.cpu_unrecorded, trial.asks):
                await trial.ask_unrecorded()
        for trial in trials:
            found.repeated.append(await trial.ask_known_questions())
            seconds, rate = await trial.ask_in_parallel()
            found.together.append(seconds)
            found.answers_s.append(rate)
        found.incomplete = sum(trial.incomplete for trial in trials)
    return found


@asynccontextmanager
async def _spent(installation: Installation, cpu: list[dict[str, float]], questions: int) -> AsyncIterator[None]:
    """Add to `cpu` the processor time of a question in the block, in milliseconds by process, with all that follows it."""
    before, ours = installation.cpu_s(), time.process_time()
    yield
    ours = time.process_time() - ours
    await asyncio.sleep(_FOLLOWS_S)
    spent = {name: seconds - before[name] for name, seconds in installation.cpu_s().items()}
    cpu.append({name: 1000 * seconds / questions for name, seconds in {**spent, "the client": ours}.items()})


def _mean(runs: Sequence[dict[str, float]]) -> dict[str, float]:
    return {name: round(sum(each[name] for each in runs) / len(runs), 2) for name in runs[0]}


def _of_many(founds: Mapping[Case, _Found]) -> Iterator[Row]:
    """What a question costs among many users, as a multiple of what it costs with one of as many memories."""
    for case, found in founds.items():
        if case.users > 1:
            one = founds[Case(1, case.memories)]
            beside = f"{case.name}, beside one"
            slower = [percentile(many, 50) / percentile(alone, 50) for many, alone in _pairs(found.distinct, one.distinct)]
            yield amount(f"{beside}: p50 of a new question", "times", slower, at_most=OF_MANY_PEOPLE)
            fewer = [alone / many for many, alone in _pairs(found.answers_s, one.answers_s)]
            yield amount(f"{beside}: time an answer of {_CLIENTS} clients", "times", fewer, at_most=OF_MANY_PEOPLE)


def _pairs(many: Iterable[_T], one: Iterable[_T]) -> Iterator[tuple[_T, _T]]:
    return zip(many, one, strict=True)


class _Trial:
    """Asks the questions of one run of a case."""

    def __init__(self, bots: Sequence[MemoryClient], case: Case, number: int, options: Options) -> None:
        self._bots = bots
        self._case = case
        self._seed = f"{case.name}/{number}"
        self._users = Random(self._seed)
        self.incomplete = 0  # answers that a leg did not come in time for, which makes them quick
        self.asks = options.size(_FEW if case.memories >= _LARGE else _MANY, 6)

    async def ask_new_questions(self) -> list[float]:
        """Ask different questions one after the other; return the seconds of each."""
        return await self._ask(self._bots[0], self._questions("distinct", self.asks))

    async def ask_unrecorded(self) -> list[float]:
        """Ask other questions, of which no recall is recorded; return the seconds of each."""
        return await self._ask(self._bots[0], self._questions("unrecorded", self.asks), record=False)

    async def ask_known_questions(self) -> list[float]:
        """Ask a few questions once, then again and again; return the seconds of each repetition."""
        questions = self._questions("repeated", _REPEATED)
        await self._ask(self._bots[0], questions)
        return await self._ask(self._bots[0], list(islice(cycle(questions), self.asks)))

    async def ask_in_parallel(self) -> tuple[list[float], float]:
        """Ask different questions from all clients at once; return the seconds of each, and the questions answered a second."""
        clock = asyncio.get_running_loop().time
        began = clock()
        asked = await asyncio.gather(
            *(self._ask(bot, self._questions(f"client {index}", self.asks // 2)) for index, bot in enumerate(self._bots))
        )
        seconds = [each for of_client in asked for each in of_client]
        return seconds, len(seconds) / (clock() - began)

    async def _ask(self, bot: MemoryClient, questions: Sequence[str], *, record: bool = True) -> list[float]:
        clock = asyncio.get_running_loop().time
        seconds = []
        for question in questions:
            memory = bot.for_user(user_name(self._users.randrange(self._case.users)), space=SPACE)
            began = clock()
            answer = await memory.context(question, limit=LIMIT, ranking={"abstain_below": 1e-9}, record=record, timeout_s=30)
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
    stages["time"] += mean_ms(_STAGE, "times")
    stages["succession"] += mean_ms(_STAGE, "put_right")
    inside = mean_ms("memstream_query_seconds_sum", "context")
    stages["the rest of the retriever"] = inside - sum(stages.values())
    stages["wire and client"] = 1000 * sum(map(sum, asked)) / count - inside
    return {stage: round(amount, 2) for stage, amount in stages.items()}


_NOTES = (
    (
        f"`context` over NATS through the SDK, limit {LIMIT}, budget 2,000 tokens, the question embedded, the recall recorded;"
        " all services in one process, clients and server on the same machine."
    ),
    (
        "The log is fabricated: turns of synthetic text (by Zipf's law), vectors in random directions. They cost"
        " as much as real ones; how good the answers are is not measured here."
    ),
    (
        "Processor time is user and system of all processes: memstream, nats-server and the client. It includes what follows a"
        " question, recording what was recalled, until two seconds after the last one, and hardly depends on what else the"
        " machine does."
    ),
    (
        "Two of thirty memories are facts, and stand. Where facts change, ten are, and later ones have ended three of these,"
        " in whole or in the one thing that they state, or put them in doubt; they are about the person who asks."
    ),
    "A question asked before: its vector is known to the retriever, everything else is done again.",
    (
        "Stages are means of memstream's own metric `memstream_context_stage_seconds`, one after the other in one thread."
        " The rest of the retriever is reading and checking the query, waiting for a thread and for the file."
    ),
    "1,000 users are asked at random: as many files are kept open as there are users, but each must be opened once.",
)
_LACKING = (
    "{count} of all answers lacked a leg, as when the embedder took longer than memstream waits: such answers come sooner,"
    " and figures with many of them are worth nothing."
)


def main(arguments: Sequence[str] = ()) -> None:
    """Measure and keep the result; with `--peers` beside other memories."""
    peers = comparison.options_of_peers()
    chosen, _ = peers.parse_known_args(list(arguments))
    if chosen.peers is None:
        question = "How long does a context take, by how much is remembered of how many?"
        run("ask", question, partial(measure, chosen.memories), arguments, parents=[peers])
    else:
        comparison.main(chosen, arguments)
