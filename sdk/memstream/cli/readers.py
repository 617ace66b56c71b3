"""`reader create`, `list`, `show`, `remove`: the accounts of services that read the events of a space."""

from contextlib import suppress
from typing import Annotated

import typer
from rich.console import Console

from memstream.cli.admin import ask_once
from memstream.cli.bots import reload_accounts, show_account
from memstream.cli.session import CliSession, run, session_of
from shared.contracts.errors import Malformed, NotFound, Unavailable
from shared.contracts.ids import Space
from shared.contracts.subjects import encode_token
from shared.runtime.credentials import Credentials, is_name, load_credentials, save_credentials

ReaderName = Annotated[str, typer.Argument(help="The reader's name.")]
_TOLD_WITHIN_S = 2.0


def create(
    ctx: typer.Context,
    name: Annotated[str | None, typer.Argument(help="The reader's name; without it `<space>-reader`.")] = None,
    *,
    spaces: Annotated[list[str], typer.Option("--space", help="May read this space; may be repeated.")],
) -> None:
    """Make an account for a service that reads the events of a space. A running embedded server lets it in at once."""
    session = session_of(ctx)
    for space in spaces:
        encode_token(space, "space")  # raises InvalidToken
    chosen = name or _name_for(spaces[0])
    credentials = load_credentials(session.files.credentials).with_reader(chosen, tuple(map(Space, spaces)))
    save_credentials(session.files.credentials, credentials)
    reload_accounts(session.files, credentials)
    with suppress(Unavailable):  # a running feed follows the log from now on; one that starts later finds the reader itself
        run(ask_once(session.settings, "feed", "begin", timeout_s=_TOLD_WITHIN_S))
    _show(session, chosen, credentials)


def list_(ctx: typer.Context) -> None:
    """List the readers, and the spaces that each may read."""
    session = session_of(ctx)
    readers = load_credentials(session.files.credentials).readers

    def human(console: Console) -> None:
        for name, reader in readers.items():
            console.print(f"{name:20} {', '.join(reader.spaces)}", markup=False)

    session.show([{"name": name, "spaces": reader.spaces} for name, reader in readers.items()], human)


def show(
    ctx: typer.Context,
    name: ReaderName,
    *,
    env: Annotated[bool, typer.Option("--env", help="As shell exports, for `eval`.")] = False,
) -> None:
    """Show what a reader needs to connect; with its password."""
    session = session_of(ctx)
    _show(session, name, load_credentials(session.files.credentials), env=env)


def remove(ctx: typer.Context, name: ReaderName) -> None:
    """Remove a reader. A running embedded server ends its connections at once."""
    session = session_of(ctx)
    credentials = load_credentials(session.files.credentials)
    _require_known(name, credentials)
    left = credentials.without_reader(name)
    save_credentials(session.files.credentials, left)
    reload_accounts(session.files, left)
    session.show({"removed": name}, lambda console: console.print(f"{name} may not read any more", markup=False))


def _name_for(space: str) -> str:
    name = f"{space}-reader"
    if not is_name(name):
        raise Malformed(f"no name can be made of this space; give one: `memstream reader create NAME --space {space}`")
    return name


def _require_known(name: str, credentials: Credentials) -> None:
    if name not in credentials.readers:
        raise NotFound(f"there is no reader named {name}; known: {', '.join(credentials.readers) or 'none'}")


def _show(session: CliSession, name: str, credentials: Credentials, *, env: bool = False) -> None:
    _require_known(name, credentials)
    reader = credentials.readers[name]
    told = {"spaces": reader.spaces, "subjects": [f"events.{encode_token(space)}.>" for space in reader.spaces]}
    show_account(session, name, reader.password, told, names=("READER", "READER_"), env=env)
