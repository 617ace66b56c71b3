"""The settings, the client and the output of one call of the command line."""

import asyncio
import re
import signal
import sys
from collections.abc import Awaitable, Callable, Coroutine, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar, cast

import typer
from pydantic_core import to_json
from rich.console import Console
from rich.text import Text

from memstream.cli.root import GlobalOptions
from memstream.client import MemoryClient
from shared.contracts.errors import Misconfigured
from shared.runtime.connection import server_url
from shared.runtime.credentials import DEFAULT_BOT, load_credentials
from shared.runtime.datadir import DataDir
from shared.runtime.settings import RuntimeSettings

_PIPED_COLUMNS = 240
_RECONNECT_TIMEOUT_S = 30.0  # an import outlives a restart of the server

_T = TypeVar("_T")
_NO_STYLE = re.compile(r"(?<!\\)\[(?!/?\]|(?:bold |)(?:bold|dim|green|red|yellow)\])")


class PlainConsole(Console):
    """A console on which brackets are text, but for the few styles that the command line writes: `[ner]` is no style."""

    def render_str(self, text: str, **options: Any) -> Text:  # noqa: ANN401 - rich's own
        """The text with its styles."""
        return super().render_str(text if options.get("markup") is False else _NO_STYLE.sub(r"\\[", text), **options)


@dataclass(frozen=True, slots=True)
class CliSession:
    """One call of the command line, and whose memories it is about."""

    settings: RuntimeSettings
    as_json: bool = False
    is_verbose: bool = False
    space: str = ""
    user: str = ""
    bot: str = DEFAULT_BOT

    @property
    def files(self) -> DataDir:
        """The data folder."""
        return self.settings.files

    def client(self) -> MemoryClient:
        """A client as a bot of the data folder; not connected yet."""
        bots = load_credentials(self.files.credentials).bots
        if self.bot not in bots:
            raise Misconfigured(f"there is no bot named {self.bot}; make it with `memstream bot create {self.bot}`")
        url, password = server_url(self.settings), bots[self.bot].password
        return MemoryClient(
            space=self.space,
            user=self.user,
            url=url,
            name=self.bot,
            password=password,
            reconnect_timeout_s=_RECONNECT_TIMEOUT_S,
        )

    def ask(self, question: Callable[[MemoryClient], Awaitable[_T]]) -> _T:
        """The answer to a question that is put over a connection of its own."""

        async def connected() -> _T:
            async with self.client() as memory:
                return await question(memory)

        return run(connected())

    def show(self, document: Mapping[str, Any] | list[Any], human: Callable[[Console], None]) -> None:
        """Print the answer: for people, or as one JSON document."""
        if self.as_json:
            print_json(document)
        else:
            human(answer_console())


def session_of(ctx: typer.Context) -> CliSession:
    """The session of this call, as its global options and the environment say."""
    given = cast("GlobalOptions", ctx.obj)
    settings = RuntimeSettings(data_dir=given.data_dir) if given.data_dir else RuntimeSettings()
    return CliSession(settings, as_json=given.as_json, is_verbose=given.is_verbose)


def run(work: Coroutine[Any, Any, _T]) -> _T:
    """Run a command's asynchronous part to its end. SIGTERM, like Ctrl-C, lets it stop what it started."""
    try:
        return asyncio.run(_until_terminated(work))
    except asyncio.CancelledError as error:
        raise typer.Exit(128 + signal.SIGTERM) from error


async def _until_terminated(work: Coroutine[Any, Any, _T]) -> _T:
    task = asyncio.ensure_future(work)
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, task.cancel)
    return await task


def answer_console() -> Console:
    """The console for answers. What is piped is not cut to the width of a terminal that nobody sees."""
    if sys.stdout.isatty():
        return PlainConsole(highlight=False, emoji=False)
    return PlainConsole(emoji=False, highlight=False, soft_wrap=True, width=_PIPED_COLUMNS)


def progress_console() -> Console:
    """The console for progress and hints: standard error, so that standard output holds the answer alone."""
    return PlainConsole(stderr=True, highlight=False, emoji=False)


def print_json(document: object) -> None:
    """Print one JSON document in one line."""
    typer.echo(to_json(document).decode())
