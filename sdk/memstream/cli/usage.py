"""`usage`: what learning with a model cost, by day."""

import json
from datetime import timedelta
from typing import Annotated, Any

import typer
from rich.console import Console

from memstream.cli.admin import ask_once
from memstream.cli.options import DEFAULT_SPACE, SpaceOption
from memstream.cli.session import run, session_of
from shared.contracts.ids import Space, User
from shared.runtime.clock import SystemClock
from shared.runtime.keys import load_keys

_TIMEOUT_S = 10.0


def usage(
    ctx: typer.Context,
    *,
    days: Annotated[int, typer.Option("--days", min=1, max=366, help="How many days, today included.")] = 30,
    user: Annotated[str | None, typer.Option("--user", help="Only of this person in the space; else of everybody.")] = None,
    space: SpaceOption = DEFAULT_SPACE,
) -> None:
    """Show the tokens that learning with a model cost on each day, UTC: of everybody, or of one person."""
    session = session_of(ctx)
    scope = load_keys(session.files.keys).scope_of(Space(space), User(user)) if user else None
    today = SystemClock().now().date()
    wanted = {"since": (today - timedelta(days=days - 1)).isoformat(), "until": today.isoformat(), "scope": scope}
    request = json.dumps(wanted).encode()
    document = run(ask_once(session.settings, "consolidator", "usage", request, timeout_s=_TIMEOUT_S))
    session.show(document, lambda console: _print(console, document["days"]))


def _print(console: Console, days: list[dict[str, Any]]) -> None:
    if not days:
        console.print("no tokens were spent")
    for day in days:
        total = day["prompt"] + day["completion"]
        console.print(f"{day['day']}  {total:>12,} tokens: {day['prompt']:,} read, {day['completion']:,} written")
