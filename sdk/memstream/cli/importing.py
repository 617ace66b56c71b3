"""`import`: conversations of the past, and memories of other programs, from a file. The same file twice changes nothing."""

import asyncio
import sys
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Annotated, Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import typer
from pydantic_core import to_json
from rich.console import Console

from memstream.cli.exporting import import_export
from memstream.cli.import_aftermath import NOTHING_WAITS, Aftermath, look_after, wait_for_it
from memstream.cli.options import about_person
from memstream.cli.progress import progress_bar
from memstream.cli.sending import ImportReport, end_sessions, import_all
from memstream.cli.session import CliSession
from memstream.cli.text import counted, minute
from memstream.client import ImportedTurn, MemoryClient
from memstream.importers.formats import Format, detected, parse, text_in
from memstream.importers.turns import Assumed, BadRecord, Owner, Parsed, by_owner, dated
from shared.contracts.errors import Malformed, Rejected, error_classes
from shared.runtime.clock import SystemClock

_MOST_NAMED = 10
_MOST_REASONS = 3
_NO_TIME = "nobody says when it was said; give times, or a file in place of a pipe: then the file's time counts"
_AT_ONCE = 16
_SILENCE = timedelta(minutes=30)
"""A conversation this long before the import is over: the usual end of a visit."""


@about_person
def import_(
    session: CliSession,
    *,
    file: Annotated[Path, typer.Argument(help="The file, or - for standard input.", allow_dash=True)],
    form: Annotated[Format, typer.Option("--format", help="The form of the file; auto: by what it holds.")] = Format.AUTO,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Say what would be imported, and send nothing.")] = False,
    strict: Annotated[bool, typer.Option("--strict", help="Import nothing if any record is bad.")] = False,
    rejected: Annotated[
        Path | None,
        typer.Option("--rejected", help="Where to write bad records. (default: FILE.rejected.jsonl)"),
    ] = None,
    session_id: Annotated[str | None, typer.Option("--session", help="The session of turns that name none.")] = None,
    time_zone: Annotated[
        str | None, typer.Option("--time-zone", help="The zone of times that name none: UTC, Europe/Berlin.")
    ] = None,
    wait: Annotated[bool, typer.Option("--wait", help="Wait until all is learned from and embedded.")] = False,
    skip_bad: Annotated[bool, typer.Option("--skip-bad", hidden=True)] = False,  # noqa: ARG001 - the default by now
) -> None:
    """Import conversations of other programs and files, or a person's export. The file is checked before anything is sent."""
    text = text_in(sys.stdin.buffer.read() if str(file) == "-" else file.read_bytes())
    form = detected(text) if form is Format.AUTO else form
    if form is Format.EXPORT:
        import_export(session, text.split("\n"))
        return
    assumed = Assumed(Owner(session.space, session.user), session_id, _zone(time_zone))
    parsed = _dated(parse(text, form, assumed), _time_of(file))
    if parsed.bad and strict:
        raise Malformed(f"nothing was imported: {_named(parsed.bad)}. Correct the file, or leave --strict out")
    if dry_run:
        session.show(_outlook(parsed, form), lambda console: _print_outlook(console, parsed, form))
        return
    written = _write_rejected(parsed.bad, rejected or _beside(file))
    report, after = session.ask(lambda memory: _imported(session, memory, parsed, wait=wait))
    document = {"format": form.value, **asdict(report), **_left_out(parsed, written), "still_to_do": after._asdict()}
    session.show(
        document, lambda console: _print(console, report, parsed.bad, left_out=parsed.left_out, written=written, after=after)
    )
    if report.codes:
        kind = error_classes().get(report.codes[0], Rejected)
        refused = [counted(report.rejected_turns, "turn")] if report.rejected_turns or not report.rejected_facts else []
        refused += [counted(report.rejected_facts, "fact")] if report.rejected_facts else []
        raise kind(f"{' and '.join(refused)} rejected ({', '.join(report.codes)}): {kind().message}")
    _raise_for_less(parsed)


async def _imported(session: CliSession, client: MemoryClient, parsed: Parsed, *, wait: bool) -> tuple[ImportReport, Aftermath]:
    turns, facts = by_owner(parsed.turns), by_owner(parsed.facts)
    with progress_bar("turns") as progress:
        task = progress.add_task("importing", total=len(parsed.turns) + len(parsed.facts))
        report = await import_all(client, turns, lambda count: progress.advance(task, count), facts=facts)
    await _end_what_is_over(client, turns, report.position)
    after = await (wait_for_it(session.settings) if wait else look_after(session.settings))
    return report, after


async def _end_what_is_over(client: MemoryClient, turns: Mapping[Owner, Sequence[ImportedTurn]], position: int) -> None:
    """End the sessions that ended in the past: of each person the last one would be open until half an hour from now."""
    now, places = SystemClock().now(), asyncio.Semaphore(_AT_ONCE)

    async def end(owner: Owner, over: Collection[str]) -> None:
        async with places:
            await end_sessions(client.for_user(owner.user, space=owner.space), position, over)

    last = {owner: {turn.session_id: turn.occurred_at or now for turn in of} for owner, of in turns.items()}
    over = {owner: {session for session, at in of.items() if at < now - _SILENCE} for owner, of in last.items()}
    await asyncio.gather(*(end(owner, sessions) for owner, sessions in over.items() if sessions))


def _raise_for_less(parsed: Parsed) -> None:
    """Raise Malformed where something of the file could not be imported, or nothing was in it."""
    if parsed.bad:
        why = Counter(f"{each.field}: {each.reason}" if each.field else each.reason for each in parsed.bad)
        told = "; ".join(f"{reason} ({count})" for reason, count in why.most_common(_MOST_REASONS))
        raise Malformed(f"{counted(len(parsed.bad), 'record')} could not be imported: {told}")
    if not parsed.turns and not parsed.facts:
        raise Malformed("the file holds no turns")


def _time_of(file: Path) -> datetime | None:
    """When a file was last written; None of standard input."""
    return None if str(file) == "-" else datetime.fromtimestamp(file.stat().st_mtime, UTC)


def _dated(parsed: Parsed, file_time: datetime | None) -> Parsed:
    """Return the parsed file with a time for every turn. Turns whose time cannot be found are left out, never dated now."""
    turns = dated(parsed.turns, file_time)
    late = [
        BadRecord(f"turn {place}", "occurred_at", _NO_TIME, turn)
        for place, (_, turn) in enumerate(turns, start=1)
        if not turn.occurred_at
    ]
    return replace(parsed, turns=[each for each in turns if each.turn.occurred_at], bad=[*parsed.bad, *late])


def _left_out(parsed: Parsed, written: Path | None) -> dict[str, Any]:
    bad = [_row(each) for each in parsed.bad]
    return {"left_out": parsed.left_out, "bad_records": bad, "rejected_file": None if written is None else str(written)}


def _zone(name: str | None) -> ZoneInfo | None:
    try:
        return ZoneInfo(name) if name else None
    except (ZoneInfoNotFoundError, ValueError) as error:
        raise typer.BadParameter(f"there is no time zone {name!r}; write UTC, or one such as Europe/Berlin") from error


def _beside(file: Path) -> Path | None:
    return None if str(file) == "-" else file.with_name(f"{file.name}.rejected.jsonl")


def _write_rejected(bad: Sequence[BadRecord], file: Path | None) -> Path | None:
    """Write bad records, one JSON object a line, for nobody else to read; return the file."""
    if not bad or file is None:
        return None
    file.touch(mode=0o600)
    file.write_bytes(b"".join(to_json({**_row(each), "record": each.record}) + b"\n" for each in bad))
    return file


def _row(bad: BadRecord) -> dict[str, Any]:
    return {"place": bad.place, "field": bad.field, "reason": bad.reason}


def _outlook(parsed: Parsed, form: Format) -> dict[str, Any]:
    """What an import would send."""
    said = [turn.occurred_at for _, turn in parsed.turns if turn.occurred_at]
    return {
        "dry_run": True,
        "format": form.value,
        "turns": len(parsed.turns),
        "facts": len(parsed.facts),
        "users": len({owner for owner, _ in [*parsed.turns, *parsed.facts]}),
        "sessions": len({(owner, turn.session_id) for owner, turn in parsed.turns}),
        "first": min(said, default=None),
        "last": max(said, default=None),
        **_left_out(parsed, None),
    }


def _print_outlook(console: Console, parsed: Parsed, form: Format) -> None:
    found = _outlook(parsed, form)
    when = f", said from {minute(found['first'])} to {minute(found['last'])}" if found["first"] else ""
    console.print(
        f"{form.value}: {counted(found['turns'], 'turn')} in {counted(found['sessions'], 'session')} and"
        f" {counted(found['facts'], 'fact')} of {counted(found['users'], 'user')}{when}"
    )
    _print_left_out(console, parsed.bad, parsed.left_out)
    console.print("nothing was sent: this was a dry run")


def _named(bad: Sequence[BadRecord]) -> str:
    more = len(bad) - _MOST_NAMED
    named = "; ".join(each.told for each in bad[:_MOST_NAMED])
    return f"{named}; and {more} more" if more > 0 else named


def _print(
    console: Console,
    report: ImportReport,
    bad: Sequence[BadRecord],
    *,
    left_out: int = 0,
    written: Path | None = None,
    after: Aftermath = NOTHING_WAITS,
) -> None:
    known = " (all known already)" if not report.batches["recorded"] and report.batches["unchanged"] else ""
    at = f"; position {report.position}" if report.position else ""
    facts = f" and {counted(report.facts - report.rejected_facts, 'fact')}" if report.facts else ""
    if not report.turns and not report.facts:
        console.print("the file holds no turns")
    else:
        taken = counted(report.turns - report.rejected_turns, "turn")
        console.print(f"{taken}{facts} of {counted(report.users, 'user')}{known}{at}")
    _print_left_out(console, bad, left_out, written)
    if after.told:
        console.print(after.told)


def _print_left_out(console: Console, bad: Sequence[BadRecord], left_out: int, written: Path | None = None) -> None:
    if left_out:
        console.print(f"{counted(left_out, 'message')} of tools or without words left out")
    if bad:
        where = f"; all of them, with what they say, are in {written}" if written else ""
        console.print(f"left out: {_named(bad)}{where}")
