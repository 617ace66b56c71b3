"""`sessions`: what an operator does with everybody's conversations."""

import json
from typing import Annotated, Any

import typer

from memstream.cli.admin import ask_service
from memstream.cli.session import CliSession, run, session_of
from memstream.cli.text import counted
from shared.runtime.connection import operator_connection

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
    document = run(_sweep(session, idle))
    session.show(document, lambda console: console.print(f"{counted(document['sessions'], 'session')} being completed"))


async def _sweep(session: CliSession, idle: float) -> dict[str, Any]:
    request = json.dumps({"idle_minutes": idle}).encode()
    async with operator_connection(session.settings) as client:
        return await ask_service(client, "maintenance", "sweep", request, timeout_s=_TIMEOUT_S)


def retry(ctx: typer.Context) -> None:
    """Learn again from everybody's sessions that were set aside after too many failures; `status` says how many and why."""
    session = session_of(ctx)
    document = run(_retry(session))
    session.show(document, lambda console: console.print(f"{counted(document['sessions'], 'session')} being tried again"))


async def _retry(session: CliSession) -> dict[str, Any]:
    async with operator_connection(session.settings) as client:
        return await ask_service(client, "consolidator", "retry", timeout_s=_TIMEOUT_S)
