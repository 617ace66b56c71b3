"""`entities list`, `entities merge` and `entities unmerge`: who and what is mentioned, and which of them are one."""

from collections.abc import Sequence
from typing import Annotated

import typer
from rich.console import Console
from rich.text import Text

from memstream.cli.options import about_person
from memstream.cli.sending import show_decision
from memstream.cli.session import CliSession
from memstream.cli.text import counted, one_line
from shared.contracts.queries import ListedEntity

EntityArgument = Annotated[str, typer.Argument(help="A name, an alias or an id, as `memstream entities list` shows them.")]


@about_person
def list_(
    session: CliSession,
    *,
    name: Annotated[str | None, typer.Option("--name", help="Only those that this name, alias or id may mean.")] = None,
    types: Annotated[list[str] | None, typer.Option("--type", help="Only this type; may be repeated.")] = None,
    limit: Annotated[int, typer.Option("--limit", help="Most entities.")] = 50,
    offset: Annotated[int, typer.Option("--offset", help="Leave out so many.")] = 0,
) -> None:
    """List who and what is mentioned, most first, with all of their names."""
    answer = session.ask(lambda memory: memory.entities(name=name, types=types or (), limit=limit, offset=offset))
    session.show(answer.model_dump(mode="json"), lambda console: _print(console, answer.entities, answer.next_offset))


@about_person
def merge(session: CliSession, *, entity: EntityArgument, into: EntityArgument) -> None:
    """Say that two entities are one: whatever mentions the first mentions the second."""
    decision = session.ask(lambda memory: memory.merge_entities(entity, into))
    show_decision(session, decision, "merged", "unchanged: they are one already")


@about_person
def unmerge(session: CliSession, *, entity: EntityArgument) -> None:
    """Make one of the names of an entity an entity of its own again."""
    decision = session.ask(lambda memory: memory.unmerge_entities(entity))
    show_decision(session, decision, "an entity of its own", "unchanged: it is an entity of its own")


def _print(console: Console, found: Sequence[ListedEntity], following: int | None) -> None:
    if not found:
        console.print("nobody and nothing is mentioned")
    for each in found:
        mentioned = f"{each.type}, mentioned {counted(each.mention_count, 'time')}"
        console.print(Text.assemble((each.entity_id, "dim"), f"  {one_line(each.name)}", (f"  {mentioned}", "dim")))
        for name in each.names:
            if name.counted != "itself":
                console.print(Text(f"    {name.entity_id}  {one_line(name.name)} ({name.counted})", style="dim"))
    if following is not None:
        console.print(Text(f"more with --offset {following}", style="dim"))
