"""The edges of the command line: options that may stand anywhere, one line for an error, documented exit codes."""

import sys
import traceback
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import typer

from memstream._home import OURS
from memstream.cli.lazy import LazyGroup, all_commands
from shared.contracts.errors import DiskFull, FilesExhausted, MemstreamError, Misconfigured, Unavailable, outcome_of

EPILOG = (
    "--json, --data-dir, --verbose, --space, --user and --bot may stand before or after the command. "
    "Exit codes: 0 done; 1 internal error; 2 wrong usage; 3 the input was rejected; 4 not found; "
    "5 unavailable, try again; 6 the log is damaged; 7 not set up."
)
_FLAGS = {"--json", "--verbose"}
_WITH_VALUE = "--data-dir"
_OF_A_PERSON = {"--space", "--user", "--bot"}
_USAGE = 2
_LACKING = dict.fromkeys(DiskFull.errnos, "make room on the disk") | dict.fromkeys(
    FilesExhausted.errnos, "raise the limit of open files (ulimit -n)"
)
"""What to do when the system has no more of something, by the number of its error."""
_EXTRAS = {"mcp": "mcp"}
"""The extra that brings a package, of those that the extra `server` does not bring."""


@dataclass(frozen=True, slots=True)
class GlobalOptions:
    """The options that every command has."""

    data_dir: Path | None
    as_json: bool
    is_verbose: bool


class Root(LazyGroup):
    """The command `memstream`: every error ends here, as one line on standard error."""

    def __init__(self, **attributes: Any) -> None:  # noqa: ANN401 - typer's own
        super().__init__(**attributes)
        self.commands.update(all_commands())

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


def version() -> str:
    """The version that is installed."""
    from importlib import metadata  # noqa: PLC0415 - few commands need it

    try:
        return metadata.version("memstream")
    except metadata.PackageNotFoundError:
        return "0+unknown"


def hoisted(args: Sequence[str]) -> list[str]:
    """Return the arguments with the global options first, and options of the command that stand before it behind it.

    What follows `--` stays.

    >>> hoisted(["--user", "ann", "search", "tea", "--json", "--data-dir", "x"])
    ['--json', '--data-dir', 'x', 'search', 'tea', '--user', 'ann']
    """
    front: list[str] = []
    rest: list[str] = []
    behind: list[str] = []
    left = iter(args)
    for arg in left:
        if arg == "--":
            return [*front, *rest, *behind, arg, *left]
        if arg in _FLAGS or arg.startswith(f"{_WITH_VALUE}="):
            front.append(arg)
        elif arg == _WITH_VALUE:
            front += [arg, *_next(left)]
        elif arg in _OF_A_PERSON and not rest:
            behind += [arg, *_next(left)]
        else:
            rest.append(arg)
    return front + rest + behind


def _next(left: Iterator[str]) -> list[str]:
    value = next(left, None)
    return [] if value is None else [value]


def _report(error: Exception, args: Sequence[str]) -> int:
    if type(error).__name__ == "NoArgsIsHelpError":
        error.show()  # type: ignore[attr-defined] # it holds the help, which is wanted here
        return _USAGE
    message, code = _explained(error)
    typer.echo(f"error: {_copyable(message, args) if isinstance(error, MemstreamError) else message}", err=True)
    if "--verbose" in args:
        typer.echo(_places(error), err=True)
    return code


def _copyable(message: str, args: Sequence[str]) -> str:
    """The message, its commands as they must be called here; in `args` the global options stand first."""
    from memstream.cli.copyable import copyable  # noqa: PLC0415 - it reads the settings, which takes a while
    from shared.runtime.settings import RuntimeSettings  # noqa: PLC0415

    given = [Path(arg.partition("=")[2] or value) for arg, value in pairwise([*args, ""]) if arg.startswith(_WITH_VALUE)]
    with suppress(Misconfigured):  # then that is the message
        return copyable(message, given[0] if given else RuntimeSettings().data_dir)
    return message


def _explained(error: Exception) -> tuple[str, int]:
    if message := _wrong_usage(error):
        return message, _USAGE
    if isinstance(error, MemstreamError):
        return error.message, outcome_of(error).exit_code
    if isinstance(error, TimeoutError) or type(error).__module__.startswith("nats."):
        return f"the NATS server did not answer ({type(error).__name__}); try again", outcome_of(Unavailable()).exit_code
    if isinstance(error, OSError) and error.errno in _LACKING:
        where = f" ({error.filename})" if error.filename else ""
        return f"{error.strerror}{where}; {_LACKING[error.errno]}, then run it again", outcome_of(DiskFull()).exit_code
    return f"{type(error).__name__} inside memstream; --verbose shows where", outcome_of(MemstreamError()).exit_code


def _wrong_usage(error: Exception) -> str | None:
    """The message for a mistake of the caller's, such as an unknown option; None for every other error."""
    if hasattr(error, "format_message"):  # typer's usage errors
        asked = getattr(getattr(error, "ctx", None), "command_path", "memstream")
        return f"{error.format_message()}; see `{asked} --help`".replace(".;", ";")
    if isinstance(error, typer.Abort):
        return "stopped before anything was done: nobody said yes; with --yes nobody is asked"
    if isinstance(error, OSError) and error.filename and error.errno not in _LACKING:
        return f"{error.filename}: {error.strerror}"
    if isinstance(error, ModuleNotFoundError) and (error.name or "").partition(".")[0] not in OURS:
        extra = _EXTRAS.get((error.name or "").partition(".")[0], "server")
        needed = f"memstream[{extra}] is needed for this command: pip install 'memstream[{extra}]'"
        return f"{needed} (no module named {error.name!r})"
    return None


def _places(error: BaseException) -> str:
    """The places of an error and its causes, without the messages of the exceptions: they may quote user text."""
    lines = [type(error).__name__, *traceback.format_tb(error.__traceback__)]
    if cause := error.__cause__ or error.__context__:
        lines += ["caused by ", _places(cause)]
    return "".join(lines[:1]) + "\n" + "".join(lines[1:])
