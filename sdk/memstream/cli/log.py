"""`log`: the events, as they were recorded."""

from collections import deque
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.text import Text

from memstream.cli.session import CliSession, print_json, run, session_of
from memstream.cli.text import memories, one_line
from shared.contracts.envelope import Envelope
from shared.contracts.errors import Poison
from shared.contracts.events import EVENTS, decode
from shared.contracts.ids import Space, User
from shared.contracts.subjects import scope_filter, slot_of
from shared.runtime.connection import operator_connection
from shared.runtime.eventlog.read import LogReader, Record
from shared.runtime.keys import load_keys


@dataclass(frozen=True, slots=True)
class Wanted:
    """The events to print, by type, space, user and session."""

    event_type: str | None
    space: str | None
    user: str | None
    session_id: str | None

    def subjects(self, session: CliSession) -> list[str]:
        """The subjects that the server filters by; none: all."""
        if self.space is not None and self.user is not None:
            scope = load_keys(session.files.keys).scope_of(Space(self.space), User(self.user))
            return [scope_filter(slot_of(User(self.user)), scope, self.event_type or ">")]
        return [f"memory.*.*.{self.event_type}"] if self.event_type else []

    def fits(self, event: Envelope) -> bool:
        """True if an event is wanted, by the fields that no subject tells."""
        return (
            self.space in {None, event.space}
            and self.user in {None, event.user}
            and self.session_id in {None, getattr(event.data, "session_id", None)}
        )


def log(
    ctx: typer.Context,
    *,
    follow: Annotated[bool, typer.Option("--follow", "-f", help="Go on with what is recorded next.")] = False,
    event_type: Annotated[str | None, typer.Option("--type", help="Only events of this type.")] = None,
    space: Annotated[str | None, typer.Option("--space", help="Only this space.")] = None,
    user: Annotated[str | None, typer.Option("--user", help="Only this user.")] = None,
    session_id: Annotated[str | None, typer.Option("--session", help="Only this session.")] = None,
    from_position: Annotated[int | None, typer.Option("--from-position", min=1, help="Begin here.")] = None,
    limit: Annotated[
        int | None, typer.Option("--limit", min=1, help="At most so many: the newest, or the first from the position.")
    ] = None,
) -> None:
    """Print the events of the log; with --json one object a line."""
    session = session_of(ctx)
    if event_type is not None and event_type not in EVENTS:
        raise typer.BadParameter(f"there is no event {event_type}; known are {', '.join(EVENTS)}")
    wanted = Wanted(event_type, space, user, session_id)
    run(_print_all(session, wanted, after=(from_position or 1) - 1, limit=limit, newest=from_position is None, follow=follow))


async def _print_all(session: CliSession, wanted: Wanted, *, after: int, limit: int | None, newest: bool, follow: bool) -> None:
    async with operator_connection(session.settings) as client:
        reader = LogReader(client, after=after, subjects=wanted.subjects(session))
        tail: deque[Record] = deque(maxlen=limit if newest else None)
        printed, last = 0, after
        async for record in _present(reader.to_end(), wanted):
            if newest and limit:
                tail.append(record)
            elif limit is None or printed < limit:
                _print(session, record)
                printed += 1
            last = record.position
        for record in tail:
            _print(session, record)
        if follow:
            async for record in _present(LogReader(client, after=last, subjects=wanted.subjects(session)).batches(), wanted):
                _print(session, record)


async def _present(batches: AsyncIterator[Sequence[Record]], wanted: Wanted) -> AsyncIterator[Record]:
    async for batch in batches:
        for record in batch:
            if _fits(record, wanted):
                yield record


def _fits(record: Record, wanted: Wanted) -> bool:
    try:
        return wanted.fits(decode(record.data))
    except Poison:
        return True  # what cannot be read is shown, not hidden


def _print(session: CliSession, record: Record) -> None:
    try:
        event = decode(record.data)
    except Poison as error:
        if session.as_json:
            print_json({"position": record.position, "problem": error.message})
        else:
            Console(highlight=False).print(Text(f"{record.position:>8}  cannot be read: {error.message}", "red"))
        return
    if session.as_json:
        print_json({"position": record.position, **event.model_dump(mode="json")})
    else:
        Console(highlight=False).print(
            Text.assemble(
                (f"{event.recorded_at:%Y-%m-%d %H:%M:%S}  ", "dim"),
                f"{record.position:>8}  ",
                (f"{event.type:18} ", "cyan"),
                (f"{one_line(event.space, 20)}/{one_line(event.user, 20)} #{event.number}  ", "dim"),
                _summary(event.data.model_dump(mode="json")),
            ),
            soft_wrap=True,
        )


def _summary(data: dict[str, Any]) -> str:
    if text := data.get("text"):
        who = data.get("speaker") or data.get("role")
        return one_line(f"{who}: {text}" if who else str(text))
    if items := data.get("items"):
        return memories(len(items))
    known = ("session_id", "reason", "resumed", "turns", "what", "code")
    return one_line(", ".join(f"{key} {data[key]}" for key in known if data.get(key)))
