"""`search` and `context`: what a bot would find, from the command line."""

from collections.abc import Sequence
from typing import Annotated

import typer
from rich.console import Console
from rich.text import Text

from memstream.cli.options import (
    DEFAULT_PRESET,
    AsOfOption,
    EntitiesOption,
    KindsOption,
    PresetOption,
    SinceOption,
    UntilOption,
    WhereOption,
    WithTagsOption,
    about_person,
    in_utc,
    narrowing,
)
from memstream.cli.session import CliSession
from memstream.cli.text import harmless, minute, one_line, short_id
from memstream.client.asking import USUAL_KINDS
from shared.contracts.queries import DEFAULT_BUDGET_TOKENS, DEFAULT_CONTEXT_ITEMS, ScoredMemory

_WIDE, _NARROW = 140, 60
"""Characters of a line: where the output is no terminal, and where the terminal is tiny."""

AnyText = Annotated[str, typer.Argument(help="Any text.")]


@about_person
def search(
    session: CliSession,
    *,
    query: AnyText,
    limit: Annotated[int, typer.Option("--limit", help="Most memories.")] = 10,
    kinds: KindsOption = None,
    tags: WithTagsOption = None,
    entities: EntitiesOption = None,
    where: WhereOption = None,
    since: SinceOption = None,
    until: UntilOption = None,
    preset: PresetOption = DEFAULT_PRESET,
    rolled_up: Annotated[
        bool, typer.Option("--rolled-up", help="Also old memories for which a roll-up stands, word for word.")
    ] = False,
    as_of: AsOfOption = None,
) -> None:
    """Find memories by their words, best first."""
    answer = session.ask(
        lambda memory: memory.search(
            query,
            limit=limit,
            kinds=kinds or USUAL_KINDS,
            preset=preset,
            rolled_up=rolled_up,
            **narrowing(tags=tags, entities=entities, where=where, since=since, until=until),
            as_of=in_utc(as_of),
        )
    )
    session.show(answer.model_dump(mode="json"), lambda console: print_items(console, answer.items))


@about_person
def context(
    session: CliSession,
    *,
    query: AnyText,
    session_id: Annotated[str | None, typer.Option("--session", help="The current session; left out.")] = None,
    limit: Annotated[int, typer.Option("--limit", help="Most memories.")] = DEFAULT_CONTEXT_ITEMS,
    budget_tokens: Annotated[
        int, typer.Option("--budget", help="Most tokens of the block; 0: no budget.")
    ] = DEFAULT_BUDGET_TOKENS,
    kinds: KindsOption = None,
    tags: WithTagsOption = None,
    entities: EntitiesOption = None,
    where: WhereOption = None,
    since: SinceOption = None,
    until: UntilOption = None,
    preset: PresetOption = DEFAULT_PRESET,
    as_of: AsOfOption = None,
    record: Annotated[
        bool, typer.Option("--record", help="Record it as a recall, which `memstream explain --recall` can look at later.")
    ] = False,
    block: Annotated[bool, typer.Option("--block", help="Print only the block for the prompt.")] = False,
) -> None:
    """Show the memories that matter for some words, as a bot would get them. Unless asked, no recall is recorded."""
    answer = session.ask(
        lambda memory: memory.context(
            query,
            session_id=session_id,
            limit=limit,
            budget_tokens=budget_tokens or None,
            kinds=kinds or USUAL_KINDS,
            preset=preset,
            **narrowing(tags=tags, entities=entities, where=where, since=since, until=until),
            record=record,
            as_of=in_utc(as_of),
        )
    )

    def human(console: Console) -> None:
        if block:
            console.print(Text(harmless(answer.markdown)), soft_wrap=True)
            return
        print_items(console, answer.items)
        recall = f"; recall {answer.recall_id}" if record and as_of is None and answer.items else ""
        console.print(f"[dim]{answer.tokens} tokens; position {answer.position}{recall}[/]")

    session.show(answer.model_dump(mode="json"), human)


def print_items(console: Console, items: Sequence[ScoredMemory], *, indent: str = "", ids: bool = True) -> None:
    """One line a memory: score, the beginning of its id, time, who, words."""
    most = console.width - len(indent) if console.is_terminal else _WIDE
    for item in items:
        who, origin = item.speaker or item.role or item.kind, f"from {one_line(item.origin, 20)}, " if item.origin else ""
        line = Text.assemble(
            indent,
            (f"{item.score.total:5.2f}  ", "bold"),
            (f"{short_id(item.memory_id):13}  " if ids else "", "dim"),
            (f"{minute(item.occurred_at)}  ", "dim"),
            (f"{origin}{one_line(who, 20)}: ", "cyan"),
            one_line(item.text, _WIDE),
        )
        line.truncate(max(most, _NARROW), overflow="ellipsis")
        console.print(line, soft_wrap=True)
    if not items:
        console.print(f"{indent}nothing found")
