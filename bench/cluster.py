"""What a cluster of three keeps, and how long it stands still, while servers, an ingest and a retriever are killed."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from bench._options import Findings, Options, run
from bench._result import Row, amount
from memstream.cli.children import once_answered, running
from memstream.cli.cluster_chat import SPACE, Chat, Inquiry, clients, decided_after_s, kill_servers, turns_in_log, what_differs
from memstream.cli.cluster_demo import people_of, services
from memstream.cli.local_cluster import LocalCluster, local_cluster
from memstream.cli.session import CliSession
from memstream.client import MemoryClient
from shared.runtime.datadir import DataDir
from shared.runtime.tasks import end

_PRODUCERS = 4
_PEOPLE_EACH = 5
_KILLS = 10
_QUESTIONS = 50
_LOOK_S = 0.05
_PAUSE_S = 0.12
"""Of each person after each turn: so that they talk for as long as it takes to kill so often."""


@dataclass(frozen=True, slots=True)
class Trial:
    """What one run found."""

    turns: int
    differs: dict[str, int]
    stall_s: float
    rate: float
    decided_s: float
    questions: int
    tries: int
    question_s: float


async def measure(options: Options) -> Findings:
    """Measure each run on a cluster of its own, which lies in a temporary folder."""
    trials = []
    for number in range(options.runs):
        print(f"run {number + 1} of {options.runs}", flush=True)
        with tempfile.TemporaryDirectory(prefix="cluster-") as folder:
            trials.append(await _trial(Path(folder), options))
    return Findings(_rows(trials), notes=[" ".join(_NOTE.split())])


async def _trial(root: Path, options: Options) -> Trial:
    turns, kills = options.size(20_000, 1_000) // (_PRODUCERS * _PEOPLE_EACH), options.size(_KILLS, 2)
    clock = asyncio.get_running_loop().time
    async with local_cluster(DataDir(root / "data")) as cluster:
        ingests, retrievers = services(CliSession(cluster.settings), MEMSTREAM_INGEST_PERSON_MESSAGES_PER_S="0")
        async with running(*ingests, *retrievers), clients(cluster.settings, _PRODUCERS + 1) as (asking, *talking):
            await once_answered([*ingests, *retrievers], lambda: asking.for_user("nobody", space=SPACE).stats(timeout_s=1))
            chats = [Chat(memory, _people(producer), turns, _PAUSE_S) for producer, memory in enumerate(talking)]
            began = clock()
            tasks = [asyncio.create_task(chat.run()) for chat in chats]
            try:
                await _kill_all_the_while(cluster, kills, chats)
                await asyncio.gather(*tasks)
            finally:
                await end(tasks)
            rate = sum(chat.acknowledged.total() for chat in chats) / (clock() - began)
            await cluster.until_whole()
            questions = Inquiry(asking, [*people_of(0), *people_of(1)])
            task = asyncio.create_task(questions.run())
            try:
                await _settled(asking)
                await questions.until(_QUESTIONS)
                await retrievers[1].kill()
                await questions.until(2 * _QUESTIONS)
                await ingests[1].kill()
                decided_s = await decided_after_s(asking, people_of(1)[0])
            finally:
                await end([task])
        said = {user: ids for chat in chats for user, ids in chat.said.items()}
        differs = what_differs(said, await turns_in_log(cluster.settings))
    stall_s = max(chat.longest_stall_s for chat in chats)
    tries = max(questions.tries)
    trial = Trial(
        sum(map(len, said.values())), differs, stall_s, rate, decided_s, len(questions.tries), tries, questions.longest_s
    )
    print(trial, flush=True)
    return trial


def _people(producer: int) -> list[str]:
    """The people of a producer, of both parts."""
    half = [*people_of(0, _PRODUCERS * _PEOPLE_EACH), *people_of(1, _PRODUCERS * _PEOPLE_EACH)]
    return half[producer :: 2 * _PRODUCERS][:_PEOPLE_EACH]


async def _kill_all_the_while(cluster: LocalCluster, kills: int, chats: Sequence[Chat]) -> None:
    """Kill servers, spread over the chat: each time when a further share of it is acknowledged."""
    whole = sum((chat.turns or 0) * len(chat.people) for chat in chats)
    for kill in range(kills):
        while sum(chat.acknowledged.total() for chat in chats) < whole * kill // kills:  # noqa: ASYNC110 - a benchmark may look
            await asyncio.sleep(_LOOK_S)
        print("killed", *await kill_servers(cluster, kill), flush=True)


async def _settled(memory: MemoryClient) -> None:
    """Wait until what was said is decided: else its backlog would be measured."""
    for part in (0, 1):
        await decided_after_s(memory, people_of(part)[0])


def _rows(trials: Sequence[Trial]) -> list[Row]:
    turns, questions = trials[0].turns, min(trial.questions for trial in trials)
    wrong = [("lost", "turns"), ("doubled", "turns"), ("out_of_order", "people")]
    tries, longest = [trial.tries for trial in trials], [trial.question_s for trial in trials]
    return [
        amount("turns acknowledged", "turns", [trial.turns for trial in trials], samples=turns),
        *(
            amount(f"of these {name.replace('_', ' ')}", unit, [trial.differs[name] for trial in trials], at_most=0)
            for name, unit in wrong
        ),
        amount("acknowledged, kills included", "turns/s", [trial.rate for trial in trials], samples=turns),
        amount("longest wait for an acknowledgement", "s", [trial.stall_s for trial in trials], samples=turns),
        amount("an ingest killed: decided again after", "s", [trial.decided_s for trial in trials], at_most=10),
        amount("a retriever killed: tries of a question", "tries", tries, samples=questions, at_most=2),
        amount("a retriever killed: longest question", "s", longest, samples=questions),
    ]


_NOTE = """Three servers, two ingests, two retrievers and four producers, of five people each, share one machine. Ten times
servers are killed with SIGKILL and started again a second later: who leads the log, who leads SEND, twice all three at once."""


def main(arguments: Sequence[str]) -> None:
    """Run the benchmark with these arguments."""
    run("cluster", "What does a cluster keep while it is killed?", measure, arguments, runs=1)
