"""`audit`: who did what, when, by which channel, and what came of it."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated

import typer
from rich.console import Console
from rich.text import Text

from memstream.cli.options import DEFAULT_SPACE, DEFAULT_USER, Bot, Space, User
from memstream.cli.root import run
from memstream.cli.session import session_of
from memstream.cli.text import one_line
from shared.contracts.queries import AuditAnswer, AuditEntry
from shared.runtime.credentials import DEFAULT_BOT

_WIDE = 120


def audit(
    ctx: typer.Context,
    *,
    since: Annotated[datetime | None, typer.Option("--since", help="Only from this moment on, in UTC.")] = None,
    types: Annotated[list[str] | None, typer.Option("--type", help="Only events of this type; may be repeated.")] = None,
    everything: Annotated[bool, typer.Option("--all", help="Turns, vectors, enrichments and recalls as well.")] = False,
    limit: Annotated[int, typer.Option("--limit", min=1, max=500, help="Most entries.")] = 100,
    before_number: Annotated[int | None, typer.Option("--before", min=1, help="Only entries before this number.")] = None,
    space: Space = DEFAULT_SPACE,
    user: User = DEFAULT_USER,
    bot: Bot = DEFAULT_BOT,
) -> None:
    """Show what was done with a person's memories, newest first: ids, counts and codes, never what was said."""
    session = session_of(ctx)
    moment = since.replace(tzinfo=UTC) if since and since.tzinfo is None else since

    async def work() -> AuditAnswer:
        async with session.client(space=space, user=user, bot=bot) as memory:
            return await memory.audit(
                since=moment, types=types or (), everything=everything, limit=limit, before_number=before_number
            )

    answer = run(work())
    session.show(answer.model_dump(mode="json"), lambda console: _print(console, answer))


def _print(console: Console, answer: AuditAnswer) -> None:
    if not answer.entries:
        console.print("nothing was done")
    for entry in answer.entries:
        console.print(_line(entry))
    if answer.next_before_number is not None:
        console.print(f"[dim]older ones: --before {answer.next_before_number}[/]")


def _line(entry: AuditEntry) -> Text:
    who = f"{entry.actor.channel}:{one_line(entry.actor.name or '-', 20)}"
    details = [f"{name} {value}" for name, value in entry.details.items()]
    memories = [", ".join(entry.memory_ids)] if entry.memory_ids else []
    failed = [f"rejected: {entry.code}"] if entry.result == "rejected" else []
    return Text.assemble(
        (f"{entry.at:%Y-%m-%d %H:%M:%S}  ", "dim"),
        f"#{entry.number:<6} ",
        (f"{who:20} ", "green"),
        (f"{entry.type:21} ", "cyan"),
        one_line("; ".join([*failed, *memories, *details]), _WIDE),
    )
