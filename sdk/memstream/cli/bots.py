"""`bot create`, `bot list`, `bot show`: the accounts of bots, and what a bot needs to connect."""

import json
import os
import shlex
import signal
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Annotated

import typer
from rich.console import Console

from memstream.cli.copyable import command
from memstream.cli.locks import SERVER, is_held
from memstream.cli.session import CliSession, session_of
from shared.contracts.errors import NotFound, Unavailable
from shared.contracts.ids import Space
from shared.contracts.subjects import encode_token, inbox_prefix
from shared.runtime.connection import server_url
from shared.runtime.credentials import DEFAULT_BOT, Credentials, load_credentials, save_credentials
from shared.runtime.datadir import DataDir, write_private
from shared.runtime.embedded.accounts import render_config

BotName = Annotated[str, typer.Argument(help="The bot's name.")]


def create(
    ctx: typer.Context,
    name: BotName,
    *,
    spaces: Annotated[list[str] | None, typer.Option("--space", help="Only this space; may be repeated.")] = None,
) -> None:
    """Make an account for a bot. A running embedded server lets it in at once."""
    session = session_of(ctx)
    chosen = tuple(Space(space) for space in spaces or ())
    for space in chosen:
        encode_token(space, "space")  # raises InvalidToken
    credentials = load_credentials(session.files.credentials).with_bot(name, chosen)
    save_credentials(session.files.credentials, credentials)
    reload_accounts(session.files, credentials)
    _show(session, name, credentials)


def list_(ctx: typer.Context) -> None:
    """List the bots, and the spaces that each is limited to."""
    session = session_of(ctx)
    bots = load_credentials(session.files.credentials).bots

    def human(console: Console) -> None:
        for name, bot in bots.items():
            console.print(f"{name:20} {', '.join(bot.spaces) or 'all spaces'}", markup=False)

    session.show([{"name": name, "spaces": bot.spaces} for name, bot in bots.items()], human)


def show(
    ctx: typer.Context,
    name: BotName = DEFAULT_BOT,
    *,
    env: Annotated[bool, typer.Option("--env", help="As shell exports, for `eval`.")] = False,
) -> None:
    """Show what a bot needs to connect; with its password."""
    session = session_of(ctx)
    _show(session, name, load_credentials(session.files.credentials), env=env)


def _show(session: CliSession, name: str, credentials: Credentials, *, env: bool = False) -> None:
    if name not in credentials.bots:
        raise NotFound(f"there is no bot named {name}; known: {', '.join(credentials.bots)}")
    bot = credentials.bots[name]
    show_account(session, name, bot.password, {"spaces": bot.spaces}, names=("BOT", ""), env=env)


def show_account(
    session: CliSession, name: str, password: str, more: Mapping[str, Sequence[str]], *, names: tuple[str, str], env: bool
) -> None:
    """Show what an account needs to connect. `names`: of its variable, and what its password's and inbox's begin with."""
    url = None
    with suppress(Unavailable):
        url = server_url(session.settings)
    inbox = inbox_prefix(name, password)
    document = {"url": url, "user": name, "password": password, "inbox_prefix": inbox, **more}

    def human(console: Console) -> None:
        variable, begin = names
        exports = {"URL": url, variable: name, f"{begin}PASSWORD": password, f"{begin}INBOX_PREFIX": inbox}
        lines = (
            [f"export MEMSTREAM_{key}={shlex.quote(value)}" for key, value in exports.items() if value]
            if env
            else [f"{key:13} {_said(value, command('up', session.files.root))}" for key, value in document.items()]
        )
        console.print("\n".join(lines), markup=False)

    session.show(document, human)


def _said(value: str | Sequence[str] | None, start: str) -> str:
    if value is None:
        return f"(not running; start it with `{start}`)"
    return value if isinstance(value, str) else ", ".join(value) or "all"


def reload_accounts(files: DataDir, credentials: Credentials) -> None:
    """Have a running embedded server read its accounts anew."""
    if not is_held(files, SERVER):
        return
    running = json.loads(files.running.read_text(encoding="utf-8"))
    config = render_config(credentials=credentials, listen=running["listen"], store=files.nats_store, log_file=files.nats_log)
    write_private(files.nats_conf, config)
    os.kill(int(running["pid"]), signal.SIGHUP)
