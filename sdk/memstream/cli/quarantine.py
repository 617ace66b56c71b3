"""`quarantine list`, `show`, `retry`: events that a service has put aside because it could not apply them."""

import json
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.text import Text

from memstream.cli.admin import ask_service
from memstream.cli.session import CliSession, run, session_of
from memstream.cli.text import counted, harmless
from shared.contracts.errors import NotFound, Poison, Unavailable
from shared.runtime.connection import operator_connection
from shared.runtime.eventlog.read import message_at
from shared.runtime.topology import MEMORY

_SERVICES = ("retriever", "consolidator", "maintenance")
"""Those that put aside what they cannot apply. ingest stops there: it must not decide without it."""
_TIMEOUT_S = 600.0
_LISTING_S = 10.0

EventPosition = Annotated[int, typer.Argument(min=1, help="The event, as `quarantine list` names it.")]
EventPositions = Annotated[list[int] | None, typer.Argument(min=1, help="The events; without any, all.")]
OfService = Annotated[
    str | None, typer.Option("--service", help="Only what this service has put aside: " + ", ".join(_SERVICES))
]


def list_(ctx: typer.Context, *, service: OfService = None) -> None:
    """List the events that running services have put aside, with why; their words are not shown."""
    session = session_of(ctx)
    found = run(_of_each(session, _named(service), "quarantine", timeout_s=_LISTING_S))
    session.show(found, lambda console: _print(console, found))


def show(ctx: typer.Context, position: EventPosition) -> None:
    """Show an event of the log as it lies there, with what people said in it."""
    session = session_of(ctx)
    raw = run(_raw(session, position))
    try:
        document: dict[str, Any] = {"position": position, "event": json.loads(raw)}
    except ValueError:
        document = {"position": position, "bytes": raw.hex()}
    told = json.dumps(document, ensure_ascii=False, indent=2)
    session.show(document, lambda console: console.print(Text(harmless(told)), soft_wrap=True))


def retry(ctx: typer.Context, positions: EventPositions = None, *, service: OfService = None) -> None:
    """Try events again, as after an update; what can be applied now is, and leaves the quarantine."""
    session = session_of(ctx)
    request = json.dumps({"positions": positions or ()}).encode()
    found = run(_of_each(session, _named(service), "quarantine_retry", request, timeout_s=_TIMEOUT_S))
    session.show(found, lambda console: _print(console, found))
    if left := [each for each in found["events"] if not each["applied"]]:
        raise Poison(f"{counted(len(left), 'event')} cannot be applied; a newer memstream may be able to")


def _named(service: str | None) -> tuple[str, ...]:
    if service is None:
        return _SERVICES
    if service not in _SERVICES:
        raise typer.BadParameter(f"there is no such service; there are {', '.join(_SERVICES)}")
    return (service,)


async def _of_each(
    session: CliSession, services: tuple[str, ...], what: str, request: bytes = b"", *, timeout_s: float
) -> dict[str, Any]:
    """The events of each service, and the services that do not answer. Raises Unavailable where none does."""
    events: list[dict[str, Any]] = []
    silent: list[str] = []
    async with operator_connection(session.settings) as client:
        for service in services:
            try:
                answer = await ask_service(client, service, what, request, timeout_s=timeout_s)
            except Unavailable:
                silent.append(service)
            else:
                events += [{"service": service, **event} for event in answer["events"]]
    if len(silent) == len(services):
        raise Unavailable(f"{', '.join(silent)} did not answer; start memstream and try again")
    return {"events": events, "silent": silent}


async def _raw(session: CliSession, position: int) -> bytes:
    async with operator_connection(session.settings) as client:
        found = await message_at(client, MEMORY, position)
    if found is None:
        raise NotFound(f"there is no event at position {position}; it may have been erased")
    return found.data


def _print(console: Console, found: dict[str, Any]) -> None:
    for event in found["events"]:
        said = event["reason"]
        if "applied" in event:
            said = "applied" if event["applied"] else f"put aside: {said}"
        console.print(Text(f"{event['position']:>8}  {event['service']:12}  {said}"), soft_wrap=True)
    for service in found["silent"]:
        console.print(Text(f"{service} does not run, or does not answer", "yellow"))
    if not found["events"]:
        console.print("nothing is put aside")
