"""`eval outages`: the tasks again, with a part of the search out of order; every question must still be answered."""

import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from statistics import median, quantiles
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.progress import Progress
from rich.table import Table

from memstream.cli.children import Child, connected, memstream_up, running, serving, temporary_session
from memstream.cli.eval_tasks import EmbedderKind, EmbedderOption, Player, checked_answers, chosen_tasks
from memstream.cli.progress import progress_bar
from memstream.cli.session import CliSession, run, session_of
from memstream.cli.waiting import all_learned
from memstream.client import MemoryClient
from memstream.evaluation.checks import Checked, score
from memstream.evaluation.task import Task
from shared.contracts.errors import MemstreamError
from shared.contracts.queries import ContextAnswer, LegFailure
from shared.runtime.clock import SystemClock

_KIND = "MEMSTREAM_EMBEDDER_KIND"
_OTHER_DIMENSIONS = "64"
_NO_TIME_S = "0.000001"
_DOWN = {_KIND: "openai", "MEMSTREAM_EMBEDDER_BASE_URL": "http://127.0.0.1:9/v1"}  # the port "discard": nobody listens


@dataclass(frozen=True, slots=True)
class Drill:
    """One part of the search out of order, and the reason that every answer must name."""

    name: str
    environment: dict[str, str] = field(default_factory=dict)  # of the retriever
    reason: LegFailure | None = None
    has_vectors: bool = True


DRILLS = (
    Drill("everything works"),
    Drill("no embedder", {_KIND: EmbedderKind.NONE.value}, LegFailure.NO_EMBEDDER),
    Drill("endpoint down", _DOWN, LegFailure.EMBEDDER_FAILED),
    Drill("embedder slow", {"MEMSTREAM_RETRIEVER_QUERY_EMBEDDING_TIMEOUT_S": _NO_TIME_S}, LegFailure.EMBEDDER_SLOW),
    Drill("other dimensions", {"MEMSTREAM_EMBEDDER_DIMENSIONS": _OTHER_DIMENSIONS}, LegFailure.OTHER_MODEL),
    Drill("no vectors", {}, LegFailure.NO_VECTORS, has_vectors=False),
)


def outages(
    ctx: typer.Context,
    *,
    only: Annotated[list[str] | None, typer.Option("--task", help="Only this task; may be repeated.")] = None,
    embedder: EmbedderOption = EmbedderKind.MINILM,
) -> None:
    """Play the tasks, then ask them with the embedder gone, slow or another one, and with no vectors at all."""
    session = session_of(ctx)
    if embedder is EmbedderKind.NONE:
        raise typer.BadParameter("without an embedder there is nothing to lose")
    rows = run(_outages(session, chosen_tasks(only), embedder))
    session.show({"embedder": embedder.value, "drills": rows}, lambda console: _print(console, rows))
    if not all(row["holds"] for row in rows):
        raise typer.Exit(1)


async def _outages(session: CliSession, tasks: Sequence[Task], embedder: EmbedderKind) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = []
    with progress_bar() as progress:
        for has_vectors in (True, False):
            with temporary_session(session) as own:
                await _play(own, tasks, embedder if has_vectors else EmbedderKind.NONE, progress)
                drills = [drill for drill in DRILLS if drill.has_vectors is has_vectors]
                rows += [await _drill(own, tasks, drill, embedder) for drill in progress.track(drills, description="drills")]
    return rows


async def _play(own: CliSession, tasks: Sequence[Task], embedder: EmbedderKind, progress: Progress) -> None:
    async with memstream_up(own, space="home", **{_KIND: embedder.value}) as client:
        await Player(own, client, SystemClock().now()).play(tasks, progress)
        await all_learned(own)


async def _drill(own: CliSession, tasks: Sequence[Task], drill: Drill, embedder: EmbedderKind) -> dict[str, Any]:
    """Only the server and the retriever run: nothing may mend meanwhile what is out of order."""
    server = Child(own, "run", "server", "--port", "0")
    retriever = Child(own, "run", "retriever", environment={_KIND: embedder.value, **drill.environment})
    async with running(server):
        await serving(own, server)
        async with running(retriever), connected(own, server, retriever, space="home") as client:
            return _row(drill, tasks, *await _asked(own, client, tasks))


async def _asked(
    own: CliSession, client: MemoryClient, tasks: Sequence[Task]
) -> tuple[dict[str, list[ContextAnswer]], list[float], int]:
    """The answers by task, how long each took in milliseconds, and how many there were none of."""
    player = Player(own, client, SystemClock().now())
    answers: dict[str, list[ContextAnswer]] = {}
    latencies_ms: list[float] = []
    unanswered = 0
    for task in tasks:
        answers[task.name] = []
        for ask in task.ask:
            started = time.perf_counter()
            try:
                answers[task.name].append(await player.ask(task, ask, position=0))
            except MemstreamError:
                unanswered += 1
            latencies_ms.append((time.perf_counter() - started) * 1000)
    return answers, latencies_ms, unanswered


def _row(
    drill: Drill, tasks: Sequence[Task], answers: dict[str, list[ContextAnswer]], latencies_ms: Sequence[float], unanswered: int
) -> dict[str, Any]:
    complete = [task for task in tasks if len(answers[task.name]) == len(task.ask)]
    outcomes: dict[str, list[Checked]] = {task.name: checked_answers(task, answers[task.name]) for task in complete}
    scores = score(outcomes, {})
    failures = Counter(reason for of_task in answers.values() for each in of_task for reason in each.leg_failures.values())
    return {
        "drill": drill.name,
        "questions": len(latencies_ms),
        "unanswered": unanswered,
        "leg_failures": dict(failures),
        "tasks_passed": scores["passed"],
        "telling_checks": scores["telling_checks"],
        "telling_checks_passed": scores["telling_checks_passed"],
        "missed": {name: of["missed"] for name, of in scores["by_task"].items() if of["missed"]},
        "latency_p50_ms": round(median(latencies_ms), 1),
        "latency_p95_ms": round(quantiles(latencies_ms, n=20, method="inclusive")[-1], 1),
        "holds": not unanswered and set(failures) == ({drill.reason} if drill.reason else set()),
    }


def _print(console: Console, rows: Sequence[dict[str, Any]]) -> None:
    table = Table("", "questions", "unanswered", "leg failures", "tasks passed", "telling checks", "p50", "p95", "", box=None)
    for row in rows:
        failures = ", ".join(f"{reason} {count}" for reason, count in row["leg_failures"].items())
        table.add_row(
            row["drill"], str(row["questions"]), str(row["unanswered"]), failures, str(row["tasks_passed"]),
            f"{row['telling_checks_passed']}/{row['telling_checks']}",
            f"{row['latency_p50_ms']} ms", f"{row['latency_p95_ms']} ms",
            "[green]holds[/]" if row["holds"] else "[red]does not hold[/]",
        )  # fmt: skip
    console.print(table)
