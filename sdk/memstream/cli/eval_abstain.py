"""`eval abstain`: questions about one conversation are asked of another, where nothing answers them."""

from collections.abc import Mapping, Sequence
from itertools import chain, pairwise
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table

from memstream.cli.eval_recall import LearnedConversations, chosen, conversations_of, imported, questions_of
from memstream.cli.session import CliSession, run, session_of
from memstream.client import Kind
from memstream.importers.locomo import LocomoConversation, LocomoQuestion
from shared.contracts.errors import Malformed


def abstain(
    ctx: typer.Context,
    *,
    data: Annotated[Path, typer.Option("--data", help="A file in LoCoMo's format, with two conversations at least.")],
    only: Annotated[str | None, typer.Option("--conversations", help="Only these sample ids, with commas.")] = None,
    below: Annotated[float | None, typer.Option("--below", help="The threshold; the shipped one by default.")] = None,
) -> None:
    """Ask every question of its own conversation and of the next one: how many are answered here, how many refused there."""
    session = session_of(ctx)
    conversations = chosen(conversations_of(data), only)
    if len(conversations) == 1:
        raise Malformed("a question is foreign only where there are two conversations")
    scores = run(_abstain(session, conversations, {} if below is None else {"abstain_below": below}))
    session.show(scores, lambda console: _print(console, scores))


async def _abstain(
    session: CliSession, conversations: Sequence[LocomoConversation], ranking: Mapping[str, float]
) -> dict[str, Any]:
    answered: dict[str, list[bool]] = {each.sample_id: [] for each in conversations}
    refused: dict[str, list[bool]] = {each.sample_id: [] for each in conversations}
    async with imported(session, conversations) as learned:
        next_to = {here.sample_id: there for here, there in pairwise([*conversations, conversations[0]])}
        asked = questions_of(conversations)
        for here, question in learned.progress.track(asked, description="asking"):
            there = next_to[here.sample_id]
            answered[here.sample_id].append(not await _abstains(learned, here, question, ranking))
            refused[there.sample_id].append(await _abstains(learned, there, question, ranking))
    return {
        "questions": len(asked),
        "answered": _share(list(chain(*answered.values()))),
        "refused": _share(list(chain(*refused.values()))),
        "by_conversation": {
            name: {"answered": _share(answered[name]), "foreign_refused": _share(refused[name])} for name in answered
        },
    }


async def _abstains(
    learned: LearnedConversations, conversation: LocomoConversation, question: LocomoQuestion, ranking: Mapping[str, float]
) -> bool:
    return not (await learned.context(conversation, question, kinds=[Kind.EPISODE], ranking=ranking)).items


def _share(outcomes: Sequence[bool]) -> float:
    return round(sum(outcomes) / max(len(outcomes), 1), 4)


def _print(console: Console, scores: dict[str, Any]) -> None:
    table = Table("", "answered", "foreign ones refused", box=None)
    for name, of in scores["by_conversation"].items():
        table.add_row(name, str(of["answered"]), str(of["foreign_refused"]))
    table.add_row("all", str(scores["answered"]), str(scores["refused"]))
    console.print(table)
