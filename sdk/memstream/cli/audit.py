"""`audit`: who did what, when, by which channel, and what came of it."""

from datetime import datetime
from typing import Annotated

import typer
from rich.console import Console
from rich.text import Text

from memstream.cli.options import about_person, in_utc
from memstream.cli.session import CliSession
from memstream.cli.text import one_line
from shared.contracts.queries import AuditAnswer

_WIDE = 120


@about_person
def audit(
    session: CliSession,
    *,
    since: Annotated[datetime | None, typer.Option("--since", help="Only from this moment on, in UTC.")] = None,
    types: Annotated[list[str] | None, typer.Option("--type", help="Only events of this type; may be repeated.")] = None,
    everything: Annotated[bool, typer.Option("--all", help="Turns, vectors, enrichments and recalls as well.")] = False,
    limit: Annotated[int, typer.Option("--limit", min=1, max=500, help="Most entries.")] = 100,
    before_number: Annotated[int | None, typer.Option("--before", min=1, help="Only entries before this number.")] = None,
) -> None:
    """Show what was done with a person's memories, newest first: ids, counts and codes, never what was said."""
    answer = session.ask(
        lambda memory: memory.audit(
            since=in_utc(since), types=types or (), everything=everything, limit=limit, before_number=before_number
        )
    )
    session.show(answer.model_dump(mode="json"), lambda console: _print(console, answer))


def _print(console: Console, answer: AuditAnswer) -> None:
    if not answer.entries:
        console.print("nothing was done")
    for entry in answer.entries:
        who = f"{entry.actor.channel}:{one_line(entry.actor.name or '-', 20)}"
        details = [f"{name} {value}" for name, value in entry.details.items()]
        memories = [", ".join(entry.memory_ids)] if entry.memory_ids else []
        failed = [f"rejected: {entry.code}"] if entry.result == "rejected" else []
        console.print(
            Text.assemble(
                (f"{entry.at:%Y-%m-%d %H:%M:%S}  ", "dim"),
                f"#{entry.number:<6} ",
                (f"{who:20} ", "green"),
                (f"{entry.type:21} ", "cyan"),
                one_line("; ".join([*failed, *memories, *details]), _WIDE),
            )
        )
    if answer.next_before_number is not None:
        console.print(f"[dim]older ones: --before {answer.next_before_number}[/]")
