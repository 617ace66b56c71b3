"""`sessions`: what an operator does with everybody's conversations."""

import json
from typing import Annotated

import typer

from memstream.cli.admin import ask_once
from memstream.cli.session import run, session_of
from memstream.cli.text import counted

_TIMEOUT_S = 60.0


def sweep(
    ctx: typer.Context,
    *,
    idle: Annotated[
        float, typer.Option("--idle", min=0, help="Only sessions in which nothing came for so many minutes.")
    ] = 0.0,
) -> None:
    """Complete everybody's open sessions, so that what they taught is learned; a later turn resumes them."""
    session = session_of(ctx)
    request = json.dumps({"idle_minutes": idle}).encode()
    document = run(ask_once(session.settings, "maintenance", "sweep", request, timeout_s=_TIMEOUT_S))
    session.show(document, lambda console: console.print(f"{counted(document['sessions'], 'session')} being completed"))


def retry(ctx: typer.Context) -> None:
    """Learn again from everybody's sessions that were set aside after too many failures; `status` says how many and why."""
    session = session_of(ctx)
    document = run(ask_once(session.settings, "consolidator", "retry", timeout_s=_TIMEOUT_S))
    session.show(document, lambda console: console.print(f"{counted(document['sessions'], 'session')} being tried again"))
