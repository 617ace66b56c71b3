"""`backup create`, `backup list` and `backup restore`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console

from memstream.cli.backup_folder import Manifest, backups_in, described, size_of
from memstream.cli.copyable import command
from memstream.cli.session import run, session_of
from memstream.cli.text import counted, size
from shared.runtime.topology import MEMORY

if TYPE_CHECKING:
    from memstream.cli.forgetting_again import ForgottenAgain

_FORGOTTEN_SINCE = "what was forgotten after this backup was made is there again: no list of it was offered (--forgotten)"
_WITHOUT_KEYS = (
    "what it holds of people is sealed, and their keys are not in it: copy them elsewhere with `memstream keys copy FILE`"
)


def create(
    ctx: typer.Context,
    *,
    folder: Annotated[
        Path | None, typer.Argument(help="The folder to make. (default: backups/<time> in the data folder)", show_default=False)
    ] = None,
    keep: Annotated[
        int | None, typer.Option("--keep", min=1, help="Afterwards keep so many of the backups beside it, the newest ones.")
    ] = None,
) -> None:
    """Back up log, keys, passwords and ranking into a new folder, while memstream runs or not."""
    from memstream.cli.backing_up import back_up, prune  # noqa: PLC0415 - it takes a while, and --help does without

    session = session_of(ctx)
    made, manifest = run(back_up(session, folder))
    gone = prune(made, manifest, keep=keep) if keep else []
    document = described(made, manifest) | {"removed": [str(path) for path in gone]}

    def human(console: Console) -> None:
        _print(console, made, manifest)
        if session.files.person_keys.exists():
            console.print(_WITHOUT_KEYS, markup=False, soft_wrap=True)
        if gone:
            console.print(f"{counted(len(gone), 'older backup')} removed", markup=False)

    session.show(document, human)


def list_(
    ctx: typer.Context,
    *,
    folder: Annotated[
        Path | None, typer.Argument(help="Where they lie. (default: backups in the data folder)", show_default=False)
    ] = None,
) -> None:
    """List the backups in a folder, oldest first."""
    session = session_of(ctx)
    found = backups_in(folder or session.files.backups)

    def human(console: Console) -> None:
        for path, manifest in found:
            _print(console, path, manifest)

    session.show([described(path, manifest) for path, manifest in found], human)


def forgotten(
    ctx: typer.Context, file: Annotated[Path, typer.Argument(help="The file to make, or to bring up to date.")]
) -> None:
    """Write a list of what was forgotten, to be offered at a restore: ids and keyed hashes, no name and no word."""
    from memstream.cli.keeping_forgettings import keep  # noqa: PLC0415

    session = session_of(ctx)
    count = run(keep(session, file))
    session.show(
        {"path": str(file), "forgettings": count},
        lambda console: console.print(f"{file}: {counted(count, 'forgetting')}", markup=False, soft_wrap=True),
    )


def restore(
    ctx: typer.Context,
    folder: Annotated[Path, typer.Argument(help="The backup.")],
    *,
    forgotten: Annotated[
        Path | None,
        typer.Option(
            "--forgotten", exists=True, dir_okay=False, help="The newest list of `backup forgotten`: all of it goes again."
        ),
    ] = None,
) -> None:
    """Restore a backup into an empty data folder, and its streams on a server without any. Overwrites nothing."""
    from memstream.cli.restoring import restore as restored  # noqa: PLC0415

    session = session_of(ctx)
    manifest, again = run(restored(session, folder, forgotten))
    start = command("up", session.files.root)

    def human(console: Console) -> None:
        _print(console, folder, manifest)
        console.print(_FORGOTTEN_SINCE if again is None else _again(again), markup=False, soft_wrap=True)
        told = f"restored to {session.files.root}; start it with `{start}`, which builds everything else from the log"
        console.print(told, markup=False, soft_wrap=True)

    document = described(folder, manifest) | {"data_dir": str(session.files.root)}
    session.show(document | ({"forgotten_again": again._asdict()} if again else {}), human)


def _again(again: ForgottenAgain) -> str:
    unknown = f"; of people of whom the backup knows nothing: {again.unknown}" if again.unknown else ""
    return f"{counted(again.forgotten, 'forgetting')} that came after the backup carried out again, and erased{unknown}"


def _print(console: Console, path: Path, manifest: Manifest) -> None:
    log = f"log up to {manifest.last_positions[MEMORY]}"
    console.print(f"{path}  {manifest.made_at}, {size(size_of(path))}, {log}", markup=False, soft_wrap=True)
