"""`send` and `ask`: commands and queries by their names, with their JSON, as any NATS client would."""

from __future__ import annotations

import re
import sys
from typing import Annotated, Any

import typer
from pydantic_core import from_json
from rich.console import Console

from memstream.cli.options import DEFAULT_SPACE, DEFAULT_USER, Bot, Space, User
from memstream.cli.root import run
from memstream.cli.sending import raise_rejection, settled
from memstream.cli.session import session_of
from shared.contracts.commands import bot_commands
from shared.contracts.errors import UnknownType
from shared.contracts.queries import QUERIES
from shared.runtime.credentials import DEFAULT_BOT

_NAME = re.compile(r"[a-z][a-z0-9_]*")
Payload = Annotated[str, typer.Argument(metavar="JSON", help="A JSON object, or - to read it from standard input.")]


def send(
    ctx: typer.Context,
    *,
    what: Annotated[str, typer.Argument(help=f"One of: {', '.join(bot_commands())}.")],
    payload: Payload,
    wait: Annotated[bool, typer.Option("--wait/--no-wait", help="Wait for the outcome.")] = True,
    space: Space = DEFAULT_SPACE,
    user: User = DEFAULT_USER,
    bot: Bot = DEFAULT_BOT,
) -> None:
    """Send a command as it is, and say what became of it."""
    session = session_of(ctx)

    async def work() -> dict[str, Any]:
        async with session.client(space=space, user=user, bot=bot) as memory:
            receipt = await memory.send_raw(_name(what), _bytes(payload))
            if not wait:
                return {"sequence": receipt.sequence}
            outcome = await settled(memory, receipt)
            await raise_rejection(session, receipt, outcome, space=space, user=user)
            return {"sequence": receipt.sequence, **outcome.model_dump(mode="json")}

    answer = run(work())
    session.show(answer, lambda console: _print_fields(console, answer))


def ask(
    ctx: typer.Context,
    *,
    query: Annotated[str, typer.Argument(help=f"One of: {', '.join(QUERIES)}.")],
    payload: Payload = "{}",
    space: Space = DEFAULT_SPACE,
    user: User = DEFAULT_USER,
    bot: Bot = DEFAULT_BOT,
) -> None:
    """Ask a query as it is, and print the answer."""
    session = session_of(ctx)

    async def work() -> bytes:
        async with session.client(space=space, user=user, bot=bot) as memory:
            return await memory.ask_raw(_known(query), _bytes(payload))

    answer = from_json(run(work()))
    session.show(answer, lambda console: console.print_json(data=answer))


def _name(name: str) -> str:
    if not _NAME.fullmatch(name):
        raise typer.BadParameter("a name has only a-z, 0-9 and _")
    return name


def _known(query: str) -> str:
    if query not in QUERIES:  # nobody would answer, as if no service ran
        raise UnknownType(f"no query has this name; known are {', '.join(sorted(QUERIES))}")
    return query


def _bytes(payload: str) -> bytes:
    return sys.stdin.buffer.read() if payload == "-" else payload.encode(errors="surrogateescape")


def _print_fields(console: Console, fields: dict[str, Any]) -> None:
    said = [f"{name} {value}" for name, value in fields.items() if value is not None and name != "verdict"]
    console.print(", ".join([*filter(None, [fields.get("verdict")]), *said]))
