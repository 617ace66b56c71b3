"""`eval tasks`: what a bot that has a memory is given, against one that has none, in tasks of our own invention."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Annotated, Any, assert_never

import typer
from rich.console import Console
from rich.progress import Progress
from rich.table import Table

from memstream.cli.children import memstream_up, temporary_session
from memstream.cli.progress import progress_bar
from memstream.cli.sending import settled
from memstream.cli.session import CliSession, run, session_of
from memstream.cli.waiting import all_learned
from memstream.client import ImportedTurn, Kind, Memories, MemoryClient, Receipt, Role
from memstream.evaluation.checks import Checked, Given, checked, score
from memstream.evaluation.task import (
    Action,
    AskStep,
    CorrectStep,
    ForgetStep,
    PinStep,
    RememberStep,
    SayStep,
    SettingsStep,
    Step,
    Task,
    all_tasks,
    small_talk,
)
from memstream.evaluation.variants import Variant, options, values
from shared.contracts.errors import MemstreamError, NotFound
from shared.contracts.ids import MessageId, SessionId
from shared.contracts.preferences import RankingOptions
from shared.contracts.queries import ContextAnswer
from shared.runtime.clock import SystemClock

_BETWEEN_TURNS = timedelta(seconds=30)
_MOST = 200
_PATIENCE_S = 30.0


class EmbedderKind(StrEnum):
    """The embedders that need no endpoint."""

    MINILM = "minilm"
    WORDLLAMA = "wordllama"
    HASHING = "hashing"
    NONE = "none"


EmbedderOption = Annotated[EmbedderKind, typer.Option("--embedder", help="The embedder of this evaluation.")]


def tasks(
    ctx: typer.Context,
    *,
    only: Annotated[list[str] | None, typer.Option("--task", help="Only this task; may be repeated.")] = None,
    embedder: EmbedderOption = EmbedderKind.MINILM,
    option: Annotated[list[str] | None, typer.Option("--option", help="Of the ranking, as beta=0.5; may be repeated.")] = None,
) -> None:
    """Play about 30 small tasks into an empty memstream; check what each question is given, with memory and without."""
    session = session_of(ctx)
    ranking = options({name: listed[-1] for name, listed in values(option or ()).items()})
    scores = run(_tasks(session, chosen_tasks(only), embedder, ranking))
    scores |= {"embedder": embedder.value, "ranking": Variant(ranking).label}
    session.show(scores, lambda console: _print(console, scores))


def chosen_tasks(only: Sequence[str] | None) -> list[Task]:
    """The tasks with these names; all tasks where none is named."""
    known = {task.name: task for task in all_tasks()}
    if unknown := [name for name in only or () if name not in known]:
        raise typer.BadParameter(f"there is no task {', '.join(unknown)}; there are {', '.join(known)}")
    return [known[name] for name in only] if only else list(known.values())


async def _tasks(
    session: CliSession, chosen: Sequence[Task], embedder: EmbedderKind, ranking: RankingOptions
) -> dict[str, Any]:
    with temporary_session(session) as own, progress_bar() as progress:
        async with memstream_up(own, space="home", MEMSTREAM_EMBEDDER_KIND=embedder.value) as client:
            player = Player(own, client, SystemClock().now())
            problems = await player.play(chosen, progress)
            position = await all_learned(own)
            outcomes = {}
            for task in chosen:
                answers = [await player.ask(task, ask, position=position, ranking=ranking) for ask in task.ask]
                outcomes[task.name] = checked_answers(task, answers)
    return score(outcomes, problems)


def checked_answers(task: Task, answers: Sequence[ContextAnswer]) -> list[Checked]:
    """Every check of a task, on the answers to its questions."""
    given = [Given(answer.markdown, tuple(item.text for item in answer.items)) for answer in answers]
    return [each for ask, one in zip(task.ask, given, strict=True) for each in checked(task.name, ask.query, ask.checks, one)]


class Player:
    """Plays tasks, each with persons of its own, in one memstream."""

    def __init__(self, session: CliSession, client: MemoryClient, now: datetime) -> None:
        self._session = session
        self._client = client
        self._now = now

    async def play(self, tasks: Sequence[Task], progress: Progress, *, talk: Sequence[Action] | None = None) -> dict[str, str]:
        """Play every step, waiting between the rounds. Returns the tasks that failed by name, each with its error.

        `talk` comes before the steps of each; the usual small talk if none is given.
        """
        problems: dict[str, str] = {}
        talk = small_talk() if talk is None else talk
        bar = progress.add_task("playing", total=sum(len(task.rounds) for task in tasks))
        for number in range(max(len(task.rounds) for task in tasks)):
            if number:
                await all_learned(self._session)
            for task in (each for each in tasks if number < len(each.rounds) and each.name not in problems):
                try:
                    steps = [*(talk if number == 0 else ()), *task.rounds[number]]
                    last: tuple[Memories, Receipt] | None = None
                    for step in steps:
                        memories = self._of(task, step)
                        last = memories, await self._step(memories, step, after=last[1] if last else None)
                    if last:
                        await settled(*last)
                except MemstreamError as error:
                    problems[task.name] = f"{error.code}: {error.message}"
                progress.advance(bar)
        return problems

    async def ask(self, task: Task, ask: AskStep, *, position: int, ranking: RankingOptions | None = None) -> ContextAnswer:
        """The context for one question of a task."""
        return await self._of(task, ask).context(
            ask.query,
            session_id=ask.session,
            kinds=ask.kinds,
            budget_tokens=ask.budget_tokens,
            ranking=ranking,
            record=False,
            min_position=position,
            timeout_s=30,
        )

    async def _step(self, memories: Memories, step: Action, *, after: Receipt | None) -> Receipt:
        match step:
            case SayStep():
                return await self._say(memories, step)
            case RememberStep():
                return await memories.remember(step.remember)
            case CorrectStep():
                return await memories.correct(await _memory(memories, step.correct, [Kind.FACT], after=after), step.text)
            case PinStep():
                return await memories.pin(await _memory(memories, step.pin, [Kind.FACT], after=after))
            case ForgetStep():
                memory_id = await _memory(memories, step.forget, [Kind.FACT, Kind.EPISODE], after=after)
                return await memories.forget(memory_ids=[memory_id])
            case SettingsStep():
                return await memories.change_settings(step.settings)
            case never:
                assert_never(never)

    async def _say(self, memories: Memories, step: SayStep) -> Receipt:
        if step.incognito:  # not by start_incognito: this client would keep the turns to itself, and the services prove nothing
            await memories.decide("start_incognito", {"session_id": step.session})
        await memories.import_turns(self._turns(step))
        return await memories.end_session(step.session)

    def _turns(self, step: SayStep) -> list[ImportedTurn]:
        began = step.began(self._now)
        return [
            ImportedTurn(
                role=Role.ASSISTANT if is_assistant else Role.USER,
                session_id=SessionId(step.session),
                text=words,
                message_id=MessageId(f"{step.session}-{index}"),
                occurred_at=began + index * _BETWEEN_TURNS,
                speaker=None if is_assistant else step.speaker or None,
            )
            for index, (is_assistant, words) in enumerate(step.lines)
        ]

    def _of(self, task: Task, step: Step) -> Memories:
        return self._client.for_user(f"{task.name}-{step.user}", space=step.space)


async def _memory(memories: Memories, words: str, kinds: Sequence[Kind], *, after: Receipt | None) -> str:
    """The live memory that holds the words, of the first kind that has one. Raises NotFound."""
    for kind in kinds:
        for memory in (await memories.list(kinds=[kind], limit=_MOST, after=after, timeout_s=_PATIENCE_S)).items:
            if words.casefold() in memory.text.casefold():
                return memory.memory_id
    raise NotFound(f"no {' or '.join(kinds)} says {words!r}")


def _print(console: Console, scores: dict[str, Any]) -> None:
    table = Table("task", "with memory", "without", "missed", box=None)
    for name, of in scores["by_task"].items():
        mark = "[green]passed[/]" if of["passed"] else "[red]failed[/]"
        with_memory = f"{mark} {of['checks_passed']}/{of['checks']}"
        without = f"{of['checks_passed_without_memory']}/{of['checks']}"
        table.add_row(name, with_memory, without, "; ".join([*of["missed"], *filter(None, [of["problem"]])]))
    console.print(table)
    console.print(f"\n{scores['passed']} of {scores['tasks']} tasks; without memory {scores['passed_without_memory']}.")
    console.print(f"{scores['telling_checks_passed']} of the {scores['telling_checks']} checks that an empty context fails.")
