"""`explain`: why a context was as it was."""

from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from memstream.cli.options import (
    DEFAULT_PRESET,
    EntitiesOption,
    KindsOption,
    PresetOption,
    SinceOption,
    UntilOption,
    WhereOption,
    WithTagsOption,
    about_person,
    narrowing,
)
from memstream.cli.session import CliSession
from memstream.cli.text import one_line, short_id
from memstream.client.asking import USUAL_KINDS
from shared.contracts.queries import DEFAULT_BUDGET_TOKENS, DEFAULT_CONTEXT_ITEMS, Considered, ExplainAnswer

_WORDS = 60


@about_person
def explain(
    session: CliSession,
    *,
    query: Annotated[str | None, typer.Argument(help="The words of the question.")] = None,
    recall_id: Annotated[str | None, typer.Option("--recall", help="A recall that was recorded, by its id.")] = None,
    at_number: Annotated[int | None, typer.Option("--at", help="As of this event of the person's.")] = None,
    session_id: Annotated[str | None, typer.Option("--session", help="The current session; left out.")] = None,
    limit: Annotated[int, typer.Option("--limit", help="Most items of the context.")] = DEFAULT_CONTEXT_ITEMS,
    budget_tokens: Annotated[
        int, typer.Option("--budget", help="Most tokens of the block; 0: no budget.")
    ] = DEFAULT_BUDGET_TOKENS,
    most_candidates: Annotated[int, typer.Option("--candidates", help="Most candidates to show.")] = 30,
    kinds: KindsOption = None,
    tags: WithTagsOption = None,
    entities: EntitiesOption = None,
    where: WhereOption = None,
    since: SinceOption = None,
    until: UntilOption = None,
    preset: PresetOption = DEFAULT_PRESET,
) -> None:
    """Show every candidate of a context with its scores, its line, and why it was left out."""
    answer = session.ask(
        lambda memory: memory.explain(
            query,
            recall_id=recall_id,
            at_number=at_number,
            session_id=session_id,
            kinds=kinds or USUAL_KINDS,
            limit=limit,
            budget_tokens=budget_tokens or None,
            most_candidates=most_candidates,
            preset=preset,
            **narrowing(tags=tags, entities=entities, where=where, since=since, until=until),
        )
    )
    session.show(answer.model_dump(mode="json"), lambda console: _print(console, answer))


def _print(console: Console, answer: ExplainAnswer) -> None:
    table = Table("", "line", "fate", "total", "relevance", "recency", "importance", "alike", "legs", "id", "memory", box=None)
    for candidate in answer.candidates:
        table.add_row(*_row(candidate))
    console.print(table)
    if answer.profile:
        said = "; ".join(f"{each.about} {one_line(each.value, _WORDS)} [{short_id(each.memory_id)}]" for each in answer.profile)
        console.print(Text(f"of the person: {said}"))
    if answer.abstained:
        why = "taken for small talk, nothing was searched" if answer.is_small_talk else "too little speaks for it"
        console.print(f"no answer: {why}")
    options = ", ".join(f"{name} {value}" for name, value in answer.options.model_dump(mode="json").items())
    signs = ", ".join(f"{name} {value:z.2f}" for name, value in answer.signs.items())
    evidence = f"evidence {answer.evidence:z.2f} of {answer.least_evidence:z.2f}{f' ({signs})' if signs else ''}"
    console.print(f"{evidence}; as of event {answer.at_number}; ranking {answer.ranking}: {options}", style="dim")
    if answer.legs_failed:
        console.print(f"no answer from: {', '.join(answer.legs_failed)}", style="dim")
    if answer.reproduced is not None:
        console.print("the same as recorded" if answer.reproduced else "not the same as recorded", style="dim")


def _row(candidate: Considered) -> list[Text]:
    legs = " ".join(f"{name} {_said(leg.score)}{f'#{leg.rank}' if leg.rank else ''}" for name, leg in candidate.legs.items())
    numbers = (candidate.total, candidate.relevance, candidate.recency, candidate.importance, -candidate.mmr_penalty)
    place, line = str(candidate.place or ""), str(candidate.line or "")
    words = one_line(candidate.memory.text, _WORDS)
    fate = f"{candidate.fate.value} of {short_id(candidate.said_by)}" if candidate.said_by else candidate.fate.value
    outdated = f"outdated by {short_id(candidate.memory.outdated_by[0])}" if candidate.memory.outdated_by else ""
    told = (
        place,
        line,
        ", ".join(filter(None, [fate, "shortened" if candidate.excerpt else "", outdated])),
        *map(_said, numbers),
        legs,
        short_id(candidate.memory.memory_id),
        words,
    )
    return [Text(cell) for cell in told]


def _said(score: float | None) -> str:
    return "" if score is None else f"{score:z.2f}"
