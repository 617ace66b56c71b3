"""`verify`: the log, and whether everything that is built from it holds what it says."""

import hashlib
from collections import Counter
from dataclasses import dataclass, field
from typing import Annotated, Any

import typer
from rich.console import Console

from memstream.cli.holding import Projections, look_at
from memstream.cli.server import any_server, log_to_stderr
from memstream.cli.services import PROJECTIONS
from memstream.cli.session import CliSession, run, session_of
from memstream.cli.text import counted
from shared.contracts.errors import EventsLost, Poison, outcome_of
from shared.contracts.event import EventData
from shared.contracts.events import decode
from shared.contracts.ids import Scope, Space, User
from shared.contracts.privacy import ForgettingCompleted, UserForgotten
from shared.domain.gaps import Range, explained, without
from shared.runtime.comparing import Comparison
from shared.runtime.connection import operator_connection
from shared.runtime.eventlog.new_event import ID_HEADER
from shared.runtime.eventlog.read import LogReader, Record
from shared.runtime.ids import new_token
from shared.runtime.keys import Keys, load_keys
from shared.runtime.topology import check_streams

_MOST_PROBLEMS = 20
_DAMAGED = "the log is damaged; restore it from a backup"
_BUT = "; what is damaged can be built anew from it"
_SAMPLE = 100


def verify(
    ctx: typer.Context,
    *,
    everybody: Annotated[
        bool, typer.Option("--all", help=f"Compare everybody's rows and files with the log, not those of {_SAMPLE} people.")
    ] = False,
) -> None:
    """Read the whole log and check every event; build rows and files anew from it, and compare them with what is there."""
    session = session_of(ctx)
    log_to_stderr(session)
    findings, found = run(_verify(session, most=None if everybody else _SAMPLE))
    document = findings.document() | found.document()
    document["ok"] = not (findings.problems or found.damaged)
    session.show(document, lambda console: _print(console, findings, found))
    if not document["ok"]:
        raise typer.Exit(outcome_of(EventsLost()).exit_code)


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
        if record.headers.get(ID_HEADER) != event.event_id:
            self._note(record, f"{ID_HEADER} is not the event_id")
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


async def _verify(session: CliSession, *, most: int | None) -> tuple[Findings, Projections]:
    findings, found = Findings(load_keys(session.files.keys)), Projections()
    async with any_server(session.settings):
        async with operator_connection(session.settings) as client:
            await check_streams(client, findings.keys)
            async for batch in LogReader(client).to_end():
                for record in batch:
                    findings.check(record)
        findings.close()
        salt = new_token()
        sample = sorted(findings.numbers, key=lambda scope: hashlib.blake2b(f"{salt}{scope}".encode()).digest())[:most]
        for name in PROJECTIONS:
            if session.files.projection(name).exists():
                await look_at(name, session.settings, sample, found)
    return findings, found


def _print(console: Console, findings: Findings, found: Projections) -> None:
    count = sum(findings.events.values())
    console.print(f"{counted(count, 'event')} of {counted(len(findings.numbers), 'scope')}, up to position {findings.position}")
    for name, number in sorted(findings.events.items()):
        console.print(f"  [dim]{number:>9}  {name}[/]")
    for name, digest in found.digests.items():
        said = ", ".join(f"{kind} {value}" for kind, value in digest.items())
        console.print(f"{name}: {said}")
    for name, comparison in found.compared.items():
        console.print(f"{name}: {_comparison(comparison)}")
    for problem in (*findings.problems[:_MOST_PROBLEMS], *found.damaged[:_MOST_PROBLEMS]):
        console.print(f"[red]{problem}[/]")
    console.print(f"[red]{_DAMAGED}[/]" if findings.problems else f"the log is whole{_BUT if found.damaged else ''}")


def _comparison(found: Comparison) -> str:
    untold = f"; of {counted(found.untold, 'scope')} it cannot be told now" if found.untold else ""
    held = f"[red]{counted(len(found.differing), 'file')} differ[/]" if found.differing else "it holds what the log says"
    return f"{counted(found.compared, 'scope')} built anew and compared: {held}{untold}"
