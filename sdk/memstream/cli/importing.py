"""`import`: conversations of the past from a file. The same file twice changes nothing."""

import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer
from pydantic_core import from_json
from rich.console import Console

from memstream.cli.exporting import import_export
from memstream.cli.options import about_person
from memstream.cli.progress import progress_bar
from memstream.cli.sending import ImportReport, import_all
from memstream.cli.session import CliSession
from memstream.cli.text import counted
from memstream.client import MemoryClient
from memstream.importers import jsonl, locomo
from memstream.importers.turns import OwnedTurn, Owner, by_owner
from shared.contracts.commands import ImportedTurn
from shared.contracts.errors import Malformed, Rejected, error_classes

_MOST_NAMED = 10


class Format(StrEnum):
    """The forms of files that are understood."""

    AUTO = "auto"
    JSONL = "jsonl"
    LOCOMO = "locomo"
    EXPORT = "export"


@about_person
def import_(
    session: CliSession,
    *,
    file: Annotated[Path, typer.Argument(help="The file, or - for standard input.", allow_dash=True)],
    form: Annotated[Format, typer.Option("--format", help="The form of the file; auto: by its first character.")] = Format.AUTO,
    skip_bad: Annotated[bool, typer.Option("--skip-bad", help="Leave bad lines out and report them.")] = False,
) -> None:
    """Import conversations, or a person's export. The file is checked as a whole before anything is sent."""
    if form is Format.EXPORT:
        import_export(session, _text(file).split("\n"))
        return
    turns, bad_lines = read(_text(file), form, owner=Owner(session.space, session.user))
    if bad_lines and not skip_bad:
        raise Malformed(f"nothing was imported: {_named(bad_lines)}. Correct the file, or leave such lines out with --skip-bad")
    report = session.ask(lambda memory: _imported(memory, by_owner(turns)))
    document = {**asdict(report), "bad_lines": [line._asdict() for line in bad_lines]}
    session.show(document, lambda console: _print(console, report, bad_lines))
    if report.codes:
        kind = error_classes().get(report.codes[0], Rejected)
        raise kind(f"{counted(report.rejected_turns, 'turn')} rejected ({', '.join(report.codes)}): {kind().message}")


def read(text: str, form: Format, *, owner: Owner) -> jsonl.Parsed:
    """The turns of a file, and its bad lines. Raises Malformed if the whole is not of this form."""
    if form is Format.AUTO:
        form = Format.LOCOMO if text.lstrip().startswith("[") else Format.JSONL
    if form is Format.JSONL:
        return jsonl.parse(text.split("\n"), owner=owner)  # not splitlines: U+2028 may stand inside a JSON string
    try:
        document = from_json(text)
    except ValueError as error:
        raise Malformed("this is no LoCoMo file: it is not JSON") from error
    conversations = locomo.parse(document)
    turns = [OwnedTurn(Owner(owner.space, each.sample_id), turn) for each in conversations for turn in each.turns]
    return jsonl.Parsed(turns, [])


async def _imported(client: MemoryClient, turns: Mapping[Owner, Sequence[ImportedTurn]]) -> ImportReport:
    with progress_bar("turns") as progress:
        task = progress.add_task("importing", total=sum(map(len, turns.values())))
        return await import_all(client, turns, lambda count: progress.advance(task, count))


def _text(file: Path) -> str:
    raw = sys.stdin.buffer.read() if str(file) == "-" else file.read_bytes()
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise Malformed(f"the file is not UTF-8 (byte {error.start}); convert it first") from error


def _named(bad_lines: Sequence[jsonl.BadLine]) -> str:
    more = len(bad_lines) - _MOST_NAMED
    named = "; ".join(f"line {line.number}: {line.problem}" for line in bad_lines[:_MOST_NAMED])
    return f"{named}; and {more} more lines" if more > 0 else named


def _print(console: Console, report: ImportReport, bad_lines: Sequence[jsonl.BadLine]) -> None:
    known = " (all known already)" if not report.batches["recorded"] and report.batches["unchanged"] else ""
    at = f"; position {report.position}" if report.position else ""
    taken = report.turns - report.rejected_turns
    if not report.turns:
        console.print("the file holds no turns")
    else:
        console.print(f"{counted(taken, 'turn')} of {counted(report.users, 'user')}{known}{at}")
    if bad_lines:
        console.print(f"left out: {_named(bad_lines)}")
