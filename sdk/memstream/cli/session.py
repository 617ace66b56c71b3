"""What every command gets: the settings, and where its output goes."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError
from importlib.metadata import version as version_of
from typing import Any, cast

import typer
from pydantic_core import to_json
from rich.console import Console

from memstream.client import MemoryClient
from shared.contracts.errors import Misconfigured
from shared.runtime.connection import server_url
from shared.runtime.credentials import DEFAULT_BOT, load_credentials
from shared.runtime.datadir import DataDir
from shared.runtime.settings import RuntimeSettings

_PIPED_COLUMNS = 240


@dataclass(frozen=True, slots=True)
class Session:
    """One call of the command line."""

    settings: RuntimeSettings
    as_json: bool = False
    is_verbose: bool = False

    @property
    def files(self) -> DataDir:
        """The data folder."""
        return self.settings.files

    def client(self, *, space: str, user: str, bot: str = DEFAULT_BOT) -> MemoryClient:
        """A client as the data folder's own bot; not connected yet."""
        bots = load_credentials(self.files.credentials).bots
        if bot not in bots:
            raise Misconfigured(f"there is no bot named {bot}; make it with `memstream bot create {bot}`")
        url = server_url(self.settings)
        return MemoryClient(space=space, user=user, url=url, name=bot, password=bots[bot].password)

    def show(self, document: Mapping[str, Any] | list[Any], human: Callable[[Console], None]) -> None:
        """Print the answer: for people, or as one JSON document."""
        if self.as_json:
            print_json(document)
        else:
            human(answer_console())


def session_of(ctx: typer.Context) -> Session:
    """The session that the root command made."""
    return cast("Session", ctx.obj)


def answer_console() -> Console:
    """Where answers for people go. What is piped is not cut to the width of a terminal that nobody sees."""
    if sys.stdout.isatty():
        return Console(highlight=False)
    return Console(highlight=False, soft_wrap=True, width=_PIPED_COLUMNS)


def progress_console() -> Console:
    """Where progress and hints go: standard error, so that standard output holds the answer alone."""
    return Console(stderr=True, highlight=False)


def print_json(document: object) -> None:
    """One JSON document in one line."""
    typer.echo(to_json(document).decode())


def version() -> str:
    """The version that is installed."""
    try:
        return version_of("memstream")
    except PackageNotFoundError:
        return "0+unknown"
