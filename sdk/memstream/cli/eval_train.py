"""`eval train`: weights for the learned fusion, from conversations whose questions are answered by turns that are known."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import fmean
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table

from memstream.cli.eval_recall import LearnedConversations, conversations_of, imported, questions_of
from memstream.cli.session import CliSession, run, session_of
from memstream.client import Kind
from memstream.evaluation.fitting import CUTOFFS, TRUST, JudgedQuestion, fitted, left_out
from memstream.importers.locomo import LocomoConversation, LocomoQuestion
from shared.contracts.answers import Considered
from shared.contracts.errors import Malformed

_MOST_CANDIDATES = 500


def train(
    ctx: typer.Context,
    *,
    data: Annotated[list[Path], typer.Option("--data", help="A file in LoCoMo's format; may be repeated.")],
    out: Annotated[Path | None, typer.Option("--out", help="Where to write the weights, as services/.../fusion.toml.")] = None,
    trust: Annotated[
        float, typer.Option("--trust", min=0, max=1, help="From 0, the convex formula, to 1, what the questions say.")
    ] = TRUST,
) -> None:
    """Fit the weights of the learned fusion; each conversation is judged by weights that were fitted on all the others."""
    session = session_of(ctx)
    names, questions = run(_judged(session, data))
    before, after = (
        {file: _means(recalls) for file, recalls in left_out(questions, names, trust=each).items()} for each in (0, trust)
    )
    weights = fitted(questions, names, trust=trust)
    if out:
        out.write_text(f"# Made by `memstream eval train`, of {len(questions)} questions.\n{weights.toml()}", encoding="utf-8")
    document = {"questions": len(questions), "convex": before, "left_out": after, "weights": dict(weights.weights)}
    session.show({**document, "offset": weights.offset}, lambda console: _print(console, document))


async def _judged(session: CliSession, files: Sequence[Path]) -> tuple[list[str], list[JudgedQuestion]]:
    """The names of the features, and every question of the files with its candidates."""
    judged: list[JudgedQuestion] = []
    names: list[str] = []
    for file in files:
        conversations = conversations_of(file)
        async with imported(session, conversations) as learned:
            asked = questions_of(conversations)
            for conversation, question in learned.progress.track(asked, description="asking"):
                candidates = await _candidates(learned, conversation, question)
                names = names or [name for each in candidates[:1] for name in each.features]
                judged.append(_question(str(file), conversation, question, candidates))
    if not names:
        raise Malformed("there is nothing to learn from: no question found a candidate")
    return names, [each for each in judged if len(each.features)]


async def _candidates(
    learned: LearnedConversations, conversation: LocomoConversation, question: LocomoQuestion
) -> list[Considered]:
    """The turns that were considered for a question, newest first."""
    answer = await learned.client.for_user(conversation.sample_id).explain(
        question.text,
        kinds=[Kind.EPISODE],
        most_candidates=_MOST_CANDIDATES,
        ranking={"fusion": "learned", "abstain_below": 0},
        timeout_s=30,
    )
    turns = [each for each in answer.candidates if each.features]
    return sorted(turns, key=lambda each: each.memory.number, reverse=True)


def _question(
    file: str, conversation: LocomoConversation, question: LocomoQuestion, candidates: Sequence[Considered]
) -> JudgedQuestion:
    import numpy as np  # noqa: PLC0415 - not there with the client alone

    return JudgedQuestion(
        file=file,
        conversation=conversation.sample_id,
        features=np.array([list(each.features.values()) for each in candidates], np.float64),
        answers=np.array([each.memory.message_id in question.evidence for each in candidates], np.bool_),
        evidence=len(question.evidence),
    )


def _means(recalls: Sequence[Sequence[float]]) -> dict[str, float]:
    columns = zip(*recalls, strict=True)
    return {f"recall_at_{cutoff}": round(fmean(column), 4) for cutoff, column in zip(CUTOFFS, columns, strict=True)}


def _print(console: Console, document: Mapping[str, Any]) -> None:
    table = Table("", *(f"recall@{cutoff}" for cutoff in CUTOFFS), box=None)
    for title in ("convex", "left_out"):
        for file, recalls in document[title].items():
            table.add_row(f"{Path(file).name}, {title.replace('_', ' ')}", *(f"{each:.3f}" for each in recalls.values()))
    console.print(table)
    console.print()
    for name, weight in document["weights"].items():
        console.print(f"{name:10} {weight:7.4f}")
