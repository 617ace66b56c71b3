"""`export`, and `import --format export`: everything about a person, as one file."""

import sys
from collections.abc import AsyncIterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, TextIO

import typer
from rich.console import Console

from memstream.cli.options import about_person
from memstream.cli.session import CliSession, progress_console
from memstream.cli.text import counted
from memstream.client import ImportedExport, MemoryClient


@about_person
def export(
    session: CliSession,
    *,
    out: Annotated[Path | None, typer.Option("--out", help="The file to write. (default: standard output)")] = None,
) -> None:
    """Write everything that is remembered of a person, one JSON object a line. Nothing that was forgotten is in it."""
    count = session.ask(lambda memory: _exported(memory, out))
    if out is not None:
        session.show(
            {"file": str(out), "records": count}, lambda console: console.print(f"{counted(count, 'record')} in {out}")
        )
    else:
        progress_console().print(counted(count, "record"))


def import_export(session: CliSession, lines: Sequence[str]) -> None:
    """Take an export in, for this person, and say whether what is remembered now equals it."""
    done = session.ask(lambda memory: memory.import_export(lines))
    session.show({**asdict(done), "is_equal": done.is_equal}, lambda console: _print(console, done))


async def _exported(memory: MemoryClient, out: Path | None) -> int:
    """Write the export, a file as a whole or not at all; return the number of records."""
    if out is None:
        return await _write(memory.export(), sys.stdout)
    part = out.with_name(f"{out.name}.part")
    try:
        with part.open("w", encoding="utf-8") as file:
            part.chmod(0o600)
            count = await _write(memory.export(), file)
        part.replace(out)
    finally:
        part.unlink(missing_ok=True)
    return count


async def _write(lines: AsyncIterator[str], file: TextIO) -> int:
    """Write the lines of an export; return the number of records, which is one line less."""
    count = -1
    async for line in lines:
        file.write(f"{line}\n")
        count += 1
    return count


def _print(console: Console, done: ImportedExport) -> None:
    at = f"; position {done.position}" if done.position else ""
    known = " (all known already)" if done.pages["unchanged"] and not done.pages["recorded"] else ""
    console.print(f"{counted(done.records, 'record')}{known}{at}")
    if done.is_equal:
        console.print(f"what is remembered equals the export; content digest {done.content_digest}")
    else:
        console.print(f"content digest of the export {done.exported_digest}, of what is remembered now {done.content_digest}")
        console.print("[yellow]they differ: more was known here, or part of it was forgotten here[/]")
