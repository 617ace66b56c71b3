"""`rebuild`: projections anew from the log. `verify`: the log and the digests of everything built from it."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any

import typer
from rich.console import Console

from memstream.cli.locks import hold
from memstream.cli.progress import progress_bar
from memstream.cli.projections import digests, rebuild
from memstream.cli.server import any_server, log_to_stderr
from memstream.cli.services import SERVICES
from memstream.cli.session import CliSession, run, session_of
from memstream.cli.text import counted
from shared.contracts.errors import EventsLost, Poison, outcome_of
from shared.contracts.event import EventData
from shared.contracts.events import decode
from shared.contracts.ids import Scope, Space, User
from shared.contracts.privacy import ForgettingCompleted, UserForgotten
from shared.domain.gaps import Range, explained, without
from shared.runtime.connection import operator_connection
from shared.runtime.eventlog.read import LogReader, Record
from shared.runtime.keys import Keys, load_keys

_MOST_PROBLEMS = 20


def rebuild_(
    ctx: typer.Context,
    *,
    everything: Annotated[bool, typer.Option("--all", help="Every projection.")] = False,
    names: Annotated[
        list[str] | None,
        typer.Option("--projection", help=f"One of: {', '.join(SERVICES)}.", autocompletion=lambda: list(SERVICES)),
    ] = None,
) -> None:
    """Build projections anew from the log, while their services are stopped. The old one stays until the new is complete."""
    session = session_of(ctx)
    log_to_stderr(session)
    if everything == bool(names):
        raise typer.BadParameter("say --all, or --projection with a name")
    if unknown := set(names or ()) - set(SERVICES):
        raise typer.BadParameter(f"there is no projection {', '.join(sorted(unknown))}; there are {', '.join(SERVICES)}")
    built = run(_rebuild(session, names or list(SERVICES)))
    session.show({"digests": built}, lambda console: _print_digests(console, built))


def verify(ctx: typer.Context) -> None:
    """Read the whole log and check every event; print the digests of what is built from it."""
    session = session_of(ctx)
    log_to_stderr(session)
    findings, found = run(_verify(session))
    document = findings.document() | {"digests": found}
    session.show(document, lambda console: _print_findings(console, findings, found))
    if findings.problems:
        raise typer.Exit(outcome_of(EventsLost()).exit_code)


async def _rebuild(session: CliSession, names: Sequence[str]) -> dict[str, str]:
    built = {}
    with hold(session.files, names):
        async with any_server(session.settings):
            with progress_bar("events") as progress:
                for name in names:
                    task = progress.add_task(name, total=None)

                    def advance(applied: int, left: int, task: Any = task) -> None:  # noqa: ANN401 - rich's TaskID
                        progress.update(task, completed=applied, total=applied + left)

                    built[name] = await rebuild(name, session.settings, advance)
    return built


@dataclass(slots=True)
class Findings:
    """The counts and the problems of a log that is read from its beginning."""

    keys: Keys = field(repr=False)
    events: Counter[str] = field(default_factory=Counter)
    numbers: dict[Scope, int] = field(default_factory=dict)
    event_ids: set[bytes] = field(default_factory=set)
    gaps: dict[Scope, list[Range]] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)
    forgotten: dict[str, Scope] = field(default_factory=dict)  # of people as a whole, by the id of the forgetting
    position: int = 0

    def check(self, record: Record) -> None:
        """Check the next event: it decodes, has the next number of its scope, and its id is its own."""
        self.position = record.position
        try:
            event = decode(record.data)
        except Poison as error:
            return self._note(record, error.message)
        self.events[event.type] += 1
        expected = self.numbers.get(record.scope, 0) + 1
        self.numbers[record.scope] = event.number
        event_id = bytes.fromhex(event.event_id)
        if event.number < expected:
            self._note(record, f"number {event.number} of scope {record.scope} follows {expected - 1}")
        gaps = self.gaps.get(record.scope, [])
        if event.number > expected:
            gaps = [*gaps, (expected, event.number - 1)]
        if gaps:  # what was forgotten left a gap that a later event explains
            self.gaps[record.scope] = without(gaps, explained(event.data))
        if record.headers.get("Nats-Msg-Id") != event.event_id:
            self._note(record, "Nats-Msg-Id is not the event_id")
        if event_id in self.event_ids:
            self._note(record, f"event_id {event.event_id} was there before")
        if record.scope != (self._of_nobody(event.data) or self.keys.scope_of(Space(event.space), User(event.user))):
            self._note(record, "the subject's scope is not that of the space and user")
        self.event_ids.add(event_id)
        return None

    def _of_nobody(self, data: EventData) -> Scope | None:
        """The scope of an event about somebody who was forgotten as a whole: it names no user."""
        if isinstance(data, UserForgotten):
            return self.forgotten.setdefault(data.forget_id, Scope(data.scope))
        return self.forgotten.get(data.forget_id) if isinstance(data, ForgettingCompleted) else None

    def close(self) -> None:
        """At the end of the log, note as lost what is missing without a forgetting that explains it."""
        for scope, gaps in self.gaps.items():
            self.problems += [f"events {first} to {last} of scope {scope} are missing" for first, last in gaps]

    def document(self) -> dict[str, Any]:
        """The findings as `--json` prints them."""
        return {
            "ok": not self.problems,
            "events": sum(self.events.values()),
            "types": dict(sorted(self.events.items())),
            "scopes": len(self.numbers),
            "position": self.position,
            "problems": self.problems[:_MOST_PROBLEMS],
            "problem_count": len(self.problems),
        }

    def _note(self, record: Record, problem: str) -> None:
        self.problems.append(f"position {record.position}: {problem}")


async def _verify(session: CliSession) -> tuple[Findings, dict[str, Any]]:
    findings = Findings(load_keys(session.files.keys))
    async with any_server(session.settings):
        async with operator_connection(session.settings) as client:
            async for batch in LogReader(client).to_end():
                for record in batch:
                    findings.check(record)
        findings.close()
        folders = [name for name in SERVICES if (session.files.root / name).exists()]
        found = {name: await digests(name, session.settings) for name in folders}
    return findings, found


def _print_digests(console: Console, built: dict[str, str]) -> None:
    for name, digest in built.items():
        console.print(f"{name:10} rebuilt, digest {digest}")


def _print_findings(console: Console, findings: Findings, found: dict[str, Any]) -> None:
    count = sum(findings.events.values())
    console.print(f"{counted(count, 'event')} of {counted(len(findings.numbers), 'scope')}, up to position {findings.position}")
    for name, number in sorted(findings.events.items()):
        console.print(f"  [dim]{number:>9}  {name}[/]")
    for name, digest in found.items():
        said = ", ".join(f"{kind} {value}" for kind, value in digest.items())
        console.print(f"{name}: {said}")
    for problem in findings.problems[:_MOST_PROBLEMS]:
        console.print(f"[red]{problem}[/]")
    console.print("[red]the log is damaged; restore it from a backup[/]" if findings.problems else "the log is whole")
