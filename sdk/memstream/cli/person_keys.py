"""`keys copy` and `keys restore`: the keys of people, apart from the log that they seal."""

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from memstream.cli.session import session_of
from memstream.cli.text import counted
from shared.contracts.errors import Misconfigured
from shared.runtime.datadir import write_private
from shared.runtime.person_keys import PersonKeys

_CONSEQUENCE = (
    "Whoever is forgotten from now on can be read with this copy in a backup of the log: keep it apart from backups, and make a"
    " new one in its place often."
)


def copy(ctx: typer.Context, file: Annotated[Path, typer.Argument(help="The file to make.")]) -> None:
    """Copy the keys of people into a new file, while memstream runs or not."""
    session = session_of(ctx)
    _copied(session.files.person_keys, file)
    people = PersonKeys(file).people

    def human(console: Console) -> None:
        console.print(f"{file}: the keys of {counted(people, 'scope')}. {_CONSEQUENCE}", markup=False, soft_wrap=True)

    session.show({"path": str(file), "scopes": people}, human)


def restore(ctx: typer.Context, file: Annotated[Path, typer.Argument(help="The copy.")]) -> None:
    """Put a copy of the keys where they were lost. Overwrites nothing."""
    session = session_of(ctx)
    _copied(file, session.files.person_keys)
    people = PersonKeys(session.files.person_keys).people

    def human(console: Console) -> None:
        console.print(f"the keys of {counted(people, 'scope')} are back", markup=False)

    session.show({"path": str(session.files.person_keys), "scopes": people}, human)


def _copied(source: Path, target: Path) -> None:
    """Copy a file of keys. Raises Misconfigured where there is none, or something in its place."""
    if target.exists():
        raise Misconfigured(f"{target} exists already, and nothing is overwritten")
    if not source.exists():
        raise Misconfigured(f"there is no {source}: nothing was sealed, or the keys are lost")
    PersonKeys(source).check()
    write_private(target, source.read_bytes())
