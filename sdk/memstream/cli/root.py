"""The edges of the command line: options that may stand anywhere, one line for an error, documented exit codes."""

from __future__ import annotations

import asyncio
import signal
import sys
import traceback
from collections.abc import Coroutine, Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any, TypeVar

import typer
from typer.core import TyperGroup

from memstream.cli.hints import copyable
from shared.contracts.errors import MemstreamError, Unavailable, outcome_of
from shared.runtime.settings import RuntimeSettings

EPILOG = (
    "--json, --data-dir and --verbose may stand before or after the command. "
    "Exit codes: 0 done; 1 internal error; 2 wrong usage; 3 the input was rejected; 4 not found; "
    "5 unavailable, try again; 6 the log is damaged; 7 not set up."
)
_FLAGS = {"--json", "--verbose"}
_WITH_VALUE = "--data-dir"
_USAGE = 2

_T = TypeVar("_T")


class Root(TyperGroup):
    """The command `memstream`: every error ends here, as one line on standard error."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:  # noqa: ANN401 - typer keeps its context's base private
        """Take the global options from wherever they stand."""
        return super().parse_args(ctx, hoisted(args))

    def main(self, args: Any = None, *, standalone_mode: bool = True, **options: Any) -> Any:  # type: ignore[override] # noqa: ANN401
        """Run; then leave with the exit code, where this is the whole program."""
        try:
            code = super().main(args, standalone_mode=False, **options)
        except Exception as error:  # noqa: BLE001 - the edge of the process
            code = _report(error, hoisted(sys.argv[1:] if args is None else args))
        if standalone_mode:
            sys.exit(code or 0)
        return code


def hoisted(args: Sequence[str]) -> list[str]:
    """The same with the global options first. What follows `--` stays.

    >>> hoisted(["search", "tea", "--json", "--data-dir", "x"])
    ['--json', '--data-dir', 'x', 'search', 'tea']
    """
    front: list[str] = []
    rest: list[str] = []
    left = iter(args)
    for arg in left:
        if arg == "--":
            return [*front, *rest, arg, *left]
        if arg in _FLAGS or arg.startswith(f"{_WITH_VALUE}="):
            front.append(arg)
        elif arg == _WITH_VALUE:
            front += [arg, *_next(left)]
        else:
            rest.append(arg)
    return front + rest


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


def _next(left: Iterator[str]) -> list[str]:
    value = next(left, None)
    return [] if value is None else [value]


def _report(error: Exception, args: Sequence[str]) -> int:
    if type(error).__name__ == "NoArgsIsHelpError":
        error.show()  # type: ignore[attr-defined] # it holds the help, which is wanted here
        return _USAGE
    message, code = _explained(error)
    typer.echo(f"error: {copyable(message, _data_dir(args)) if isinstance(error, MemstreamError) else message}", err=True)
    if "--verbose" in args:
        typer.echo(_places(error), err=True)
    return code


def _data_dir(args: Sequence[str]) -> Path:
    """The folder that was asked for, in arguments whose global options stand first."""
    for arg, following in pairwise([*args, ""]):
        if arg == _WITH_VALUE or arg.startswith(f"{_WITH_VALUE}="):
            return Path(arg.partition("=")[2] or following)
    return RuntimeSettings().data_dir


def _explained(error: Exception) -> tuple[str, int]:
    if hasattr(error, "format_message"):  # typer's usage errors
        asked = getattr(getattr(error, "ctx", None), "command_path", "memstream")
        return f"{error.format_message()}; see `{asked} --help`".replace(".;", ";"), _USAGE
    if isinstance(error, typer.Abort):
        return "stopped before anything was done", _USAGE
    if isinstance(error, MemstreamError):
        return error.message, outcome_of(error).exit_code
    if isinstance(error, FileNotFoundError | IsADirectoryError | NotADirectoryError | PermissionError) and error.filename:
        return f"{error.filename}: {error.strerror}", _USAGE
    if isinstance(error, TimeoutError) or type(error).__module__.startswith("nats."):
        return f"the NATS server did not answer ({type(error).__name__}); try again", outcome_of(Unavailable()).exit_code
    return f"{type(error).__name__} inside memstream; --verbose shows where", outcome_of(MemstreamError()).exit_code


def _places(error: BaseException) -> str:
    """Where it happened, without the messages of the exceptions: they may quote user text."""
    lines = [type(error).__name__, *traceback.format_tb(error.__traceback__)]
    if cause := error.__cause__ or error.__context__:
        lines += ["caused by ", _places(cause)]
    return "".join(lines[:1]) + "\n" + "".join(lines[1:])
