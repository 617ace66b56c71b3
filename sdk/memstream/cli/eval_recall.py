"""`eval recall`: how many of the turns that answer a question are found, through the real path."""

import time
from collections.abc import AsyncIterator, Iterable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer
from pydantic_core import from_json
from rich.console import Console
from rich.progress import Progress
from rich.table import Table

from memstream.cli.children import memstream_up, temporary_session
from memstream.cli.progress import progress_bar
from memstream.cli.sending import import_all
from memstream.cli.session import CliSession, run, session_of
from memstream.cli.waiting import all_learned
from memstream.client import Kind, MemoryClient
from memstream.evaluation.coverage import GivenEvidence, covered_summary, given_evidence
from memstream.evaluation.scoring import ADVERSARIAL, Retrieved, distinct, latencies, summary
from memstream.importers.locomo import LocomoConversation, LocomoQuestion, parse
from memstream.importers.turns import Owner
from shared.contracts.errors import Malformed
from shared.contracts.preferences import Fusion, RankingOptions
from shared.contracts.queries import ContextAnswer, Preset

SPACE = "locomo"
ENOUGH_FOR_SESSIONS = 200
_ALWAYS = {5, 10, 20}


class _Fusion(StrEnum):
    LEARNED = "learned"
    CONVEX = "convex"
    RRF = "rrf"


def recall(
    ctx: typer.Context,
    *,
    data: Annotated[Path, typer.Option("--data", help="A file in LoCoMo's format.")],
    only: Annotated[str | None, typer.Option("--conversations", help="Only these sample ids, with commas.")] = None,
    cutoffs: Annotated[str, typer.Option("--k", help="Where recall is measured, with commas.")] = "5,10,20",
    fusion: Annotated[_Fusion, typer.Option("--fusion", help="How words and vectors are fused.")] = _Fusion.LEARNED,
    preset: Annotated[Preset | None, typer.Option("--preset", help="A whole ranking; overrides --fusion.")] = None,
    as_given: Annotated[
        bool, typer.Option("--as-given", help="Also count what the default call gives a bot: facts, turns, the budget.")
    ] = False,
) -> None:
    """Import conversations into an empty memstream, ask every question, and count the evidence that `context` finds."""
    session = session_of(ctx)
    ks = _cutoffs(cutoffs)
    conversations = chosen(conversations_of(data), only)
    chosen_preset = preset or (Preset.RRF if fusion is _Fusion.RRF else Preset.SHIPPED)
    ranking = RankingOptions(fusion=Fusion.CONVEX) if fusion is _Fusion.CONVEX and preset is None else None
    scores = run(_recall(session, conversations, ks, chosen_preset, ranking, as_given=as_given))
    session.show(scores, lambda console: _print(console, scores))


async def _recall(
    session: CliSession,
    conversations: Sequence[LocomoConversation],
    ks: Sequence[int],
    preset: Preset,
    ranking: RankingOptions | None,
    *,
    as_given: bool,
) -> dict[str, Any]:
    async with imported(session, conversations) as learned:
        found = await learned.find(conversations, "asking", most=max(ks), preset=preset, ranking=ranking)
        given = await learned.given(conversations, preset=preset, ranking=ranking) if as_given else []
    return {
        **summary(found.results, ks=ks),
        "incomplete": found.incomplete,
        "latency_ms": latencies(found.latencies_ms),
        "preset": preset.value,
        "conversations": [conversation.sample_id for conversation in conversations],
    } | ({"as_given": covered_summary(given)} if as_given else {})


@dataclass(slots=True)
class FoundEvidence:
    """The results of all questions, how long each took, and in how many of them a search leg failed."""

    results: list[Retrieved] = field(default_factory=list)
    latencies_ms: list[float] = field(default_factory=list)
    incomplete: int = 0


@dataclass(frozen=True, slots=True)
class LearnedConversations:
    """A memstream of its own that has learned conversations: a client, the log's position, and a bar for the progress."""

    client: MemoryClient
    position: int
    progress: Progress

    async def context(self, conversation: LocomoConversation, question: LocomoQuestion, **options: Any) -> ContextAnswer:  # noqa: ANN401 - those of `context`
        """What is remembered of a conversation for a question. Nothing is recorded."""
        memories = self.client.for_user(conversation.sample_id)
        return await memories.context(question.text, record=False, min_position=self.position, timeout_s=30, **options)

    async def find(
        self,
        conversations: Iterable[LocomoConversation],
        description: str,
        *,
        most: int,
        preset: Preset = Preset.SHIPPED,
        ranking: RankingOptions | None = None,
    ) -> FoundEvidence:
        """Ask every question of the conversations: the `most` best turns count, for sessions more of them."""
        found = FoundEvidence()
        whole = (ranking or RankingOptions()).model_copy(update={"cut_below": 0.0})
        options = {"kinds": [Kind.EPISODE], "budget_tokens": None, "preset": preset, "ranking": whole}
        for each, question in self.progress.track(questions_of(conversations), description=description):
            started = time.perf_counter()
            answer = await self.context(each, question, limit=most, **options)
            found.latencies_ms.append((time.perf_counter() - started) * 1000)
            more = await self.context(each, question, limit=ENOUGH_FOR_SESSIONS, **options)
            session_of_turn = each.session_of
            found.results.append(
                Retrieved(
                    category=question.category,
                    evidence=frozenset(question.evidence),
                    turns=tuple(str(item.message_id) for item in answer.items),
                    evidence_sessions=each.sessions_of(question.evidence),
                    sessions=distinct(session_of_turn[str(item.message_id)] for item in more.items),
                )
            )
            found.incomplete += bool(answer.legs_failed)
        return found

    async def given(
        self,
        conversations: Iterable[LocomoConversation],
        *,
        preset: Preset = Preset.SHIPPED,
        ranking: RankingOptions | None = None,
    ) -> list[GivenEvidence]:
        """What the default call gives for every question of the conversations."""
        conversations = list(conversations)
        turns = {each.sample_id: await self._message_ids(each) for each in conversations}
        found = []
        for each, question in self.progress.track(questions_of(conversations), description="asking as a bot"):
            answer = await self.context(each, question, preset=preset, ranking=ranking)
            message_ids, evidence = turns[each.sample_id], question.evidence
            found.append(given_evidence(answer, message_ids, category=question.category, evidence=evidence))
        return found

    async def _message_ids(self, conversation: LocomoConversation) -> dict[str, str]:
        """The message id of each turn, by its memory id."""
        memories, found, before = self.client.for_user(conversation.sample_id), dict[str, str](), None
        while True:
            page = await memories.list(kinds=[Kind.EPISODE], limit=500, before_number=before, min_position=self.position)
            found |= {turn.memory_id: str(turn.message_id) for turn in page.items}
            if (before := page.next_before_number) is None:
                return found


@asynccontextmanager
async def imported(session: CliSession, conversations: Iterable[LocomoConversation]) -> AsyncIterator[LearnedConversations]:
    """Import the conversations into a memstream that goes away at the end."""
    turns = {Owner(SPACE, conversation.sample_id): conversation.turns for conversation in conversations}
    with temporary_session(session) as own, progress_bar() as progress:
        async with memstream_up(own, space=SPACE) as client:
            task = progress.add_task("importing", total=sum(map(len, turns.values())))
            report = await import_all(client, turns, lambda count: progress.advance(task, count))
            if report.codes:
                raise Malformed(f"the conversations were rejected: {', '.join(report.codes)}")
            yield LearnedConversations(client, await all_learned(own), progress)


def questions_of(conversations: Iterable[LocomoConversation]) -> list[tuple[LocomoConversation, LocomoQuestion]]:
    """Every question that its conversation answers, so that it counts."""
    asked = [(each, question) for each in conversations for question in each.questions]
    return [(each, question) for each, question in asked if question.evidence and question.category != ADVERSARIAL]


def conversations_of(data: Path) -> list[LocomoConversation]:
    """The conversations of a file. Raises Malformed."""
    try:
        return parse(from_json(data.read_bytes()))
    except ValueError as error:
        raise Malformed(f"{data} is not JSON") from error


def chosen(conversations: Sequence[LocomoConversation], only: str | None) -> list[LocomoConversation]:
    """The conversations with these sample ids; all where none is named."""
    if only is None:
        return list(conversations)
    names = [name.strip() for name in only.split(",") if name.strip()]
    known = {conversation.sample_id: conversation for conversation in conversations}
    if unknown := [name for name in names if name not in known]:
        raise typer.BadParameter(f"there is no conversation {', '.join(unknown)}; there are {', '.join(known)}")
    return [known[name] for name in names]


def _cutoffs(text: str) -> list[int]:
    try:
        ks = {int(part) for part in text.split(",")} | _ALWAYS
    except ValueError as error:
        raise typer.BadParameter("--k takes numbers with commas, such as 5,10,20") from error
    if not all(1 <= k <= ENOUGH_FOR_SESSIONS for k in ks):
        raise typer.BadParameter(f"--k takes numbers from 1 to {ENOUGH_FOR_SESSIONS}")
    return sorted(ks)


def _print(console: Console, scores: dict[str, Any]) -> None:
    table = Table(box=None, show_header=False)
    _add_scores(table, scores, "recall_at_10")
    for percentile, value in scores["latency_ms"].items():
        table.add_row(f"latency {percentile}", f"{value} ms")
    table.add_row("conversations", ", ".join(scores["conversations"]))
    if given := scores.get("as_given"):
        table.add_section()
        table.add_row("[bold]as given[/]", "")
        _add_scores(table, given, "covered")
    console.print(table)


def _add_scores(table: Table, scores: dict[str, Any], measure: str) -> None:
    for name, value in scores.items():
        if isinstance(value, float | int):
            table.add_row(name, str(value))
    for title, groups in (("category", scores["by_category"]), ("turns needed", scores["by_evidence"])):
        for name, of in groups.items():
            table.add_row(f"[dim]{title} {name}[/]", f"[dim]{of[measure]} of {of['questions']} questions[/]")
