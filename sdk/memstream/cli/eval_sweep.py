"""`eval sweep`: what each option of the ranking finds. Imported and embedded once, asked once for each ranking."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table

from memstream.cli.eval_recall import LearnedConversations, chosen, conversations_of, imported
from memstream.cli.session import CliSession, run, session_of
from memstream.evaluation.scoring import summary
from memstream.evaluation.variants import USUAL, Variant, values, variants
from memstream.importers.locomo import LocomoConversation

_KS = (5, 10, 20)
_SHOWN = ("recall_at_5", "recall_at_10", "recall_at_20", "session_recall_at_10")
_CHECKED = 3


def sweep(
    ctx: typer.Context,
    *,
    data: Annotated[Path, typer.Argument(help="A file in LoCoMo's format.")],
    option: Annotated[
        list[str] | None, typer.Option("--option", help="As beta=0,0.5,1; may be repeated. (default: a small table)")
    ] = None,
    is_grid: Annotated[bool, typer.Option("--grid", help="Every combination, instead of one change at a time.")] = False,
    only: Annotated[str | None, typer.Option("--conversations", help="Only these sample ids, with commas.")] = None,
    choose_on: Annotated[
        str | None, typer.Option("--choose-on", help="Sweep over these sample ids; the best are checked on the others.")
    ] = None,
) -> None:
    """Ask every question with each ranking. Chosen on one conversation, the best are asked again on the others."""
    session = session_of(ctx)
    rankings = variants(values(option) if option else USUAL, is_grid=is_grid)
    conversations = chosen(conversations_of(data), only)
    here = chosen(conversations, choose_on)
    there = [each for each in conversations if each not in here]
    result = run(_sweep(session, here, there, rankings))
    session.show(result, lambda console: _print(console, result))


async def _sweep(
    session: CliSession, here: Sequence[LocomoConversation], there: Sequence[LocomoConversation], rankings: Sequence[Variant]
) -> dict[str, Any]:
    async with imported(session, [*here, *there]) as learned:
        rows = [await _row(learned, here, ranking) for ranking in rankings]
        best = sorted(range(1, len(rows)), key=lambda index: goodness(rows[index]), reverse=True)[:_CHECKED]
        checked = [await _row(learned, there, rankings[index]) for index in (0, *best)] if there else []
    return {
        "chosen_on": [each.sample_id for each in here],
        "checked_on": [each.sample_id for each in there],
        "rankings": rows,
        "checked": checked,
    }


async def _row(learned: LearnedConversations, conversations: Sequence[LocomoConversation], ranking: Variant) -> dict[str, Any]:
    """The scores of one ranking over all questions of these conversations."""
    found = await learned.find(conversations, ranking.label, most=max(_KS), ranking=ranking.options)
    scores = summary(found.results, ks=_KS)
    shown = {name: scores[name] for name in ("questions", *_SHOWN)}
    return {"ranking": ranking.label, "options": ranking.changes, **shown, "incomplete": found.incomplete}


def goodness(row: dict[str, Any]) -> float:
    """The measure by which rankings are compared: the mean of recall@5, recall@10 and session recall@10."""
    return float(row["recall_at_5"] + row["recall_at_10"] + row["session_recall_at_10"]) / 3


def _print(console: Console, result: dict[str, Any]) -> None:
    for title, rows in ((result["chosen_on"], result["rankings"]), (result["checked_on"], result["checked"])):
        if rows:
            table = Table(", ".join(title), *(name.replace("_at_", "@").replace("_", " ") for name in _SHOWN), box=None)
            for row in rows:
                table.add_row(row["ranking"], *(f"{row[name]:z.3f}" for name in _SHOWN))
            console.print(table)
            console.print()
