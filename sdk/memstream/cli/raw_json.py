"""`send` and `ask`: commands and queries by their names, with their JSON, as any NATS client would."""

import re
import sys
from typing import Annotated, Any

import typer
from pydantic_core import from_json
from rich.console import Console

from memstream.cli.options import about_person
from memstream.cli.sending import raise_rejection, settled
from memstream.cli.session import CliSession
from memstream.client import MemoryClient
from shared.contracts.commands import bot_commands
from shared.contracts.errors import UnknownType
from shared.contracts.queries import QUERIES

_NAME = re.compile(r"[a-z][a-z0-9_]*")
Payload = Annotated[str, typer.Argument(metavar="JSON", help="A JSON object, or - to read it from standard input.")]


@about_person
def send(
    session: CliSession,
    *,
    what: Annotated[str, typer.Argument(help=f"One of: {', '.join(bot_commands())}.", autocompletion=bot_commands)],
    payload: Payload,
    wait: Annotated[bool, typer.Option("--wait/--no-wait", help="Wait for the outcome.")] = True,
) -> None:
    """Send a command as it is, and say what became of it."""

    async def sent(memory: MemoryClient) -> dict[str, Any]:
        receipt = await memory.send_raw(_name(what), _bytes(payload))
        if not wait:
            return {"sequence": receipt.sequence}
        outcome = await settled(memory, receipt)
        await raise_rejection(session, receipt, outcome)
        return {"sequence": receipt.sequence, **outcome.model_dump(mode="json")}

    answer = session.ask(sent)
    session.show(answer, lambda console: _print_fields(console, answer))


@about_person
def ask(
    session: CliSession,
    *,
    query: Annotated[str, typer.Argument(help=f"One of: {', '.join(QUERIES)}.", autocompletion=lambda: list(QUERIES))],
    payload: Payload = "{}",
) -> None:
    """Ask a query as it is, and print the answer."""
    name, document = _known(query), _bytes(payload)
    answer = from_json(session.ask(lambda memory: memory.ask_raw(name, document)))
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
