"""The command line: one module a noun; `commands` lists them."""

from pathlib import Path
from typing import Annotated

import typer

from memstream.cli.root import EPILOG, GlobalOptions, Root, version

app = typer.Typer(
    cls=Root, help="Long-term memory for bots.", epilog=EPILOG, no_args_is_help=True, pretty_exceptions_enable=False
)


def _print_version(is_wanted: bool) -> None:  # noqa: FBT001 - typer calls it so
    if is_wanted:
        typer.echo(version())
        raise typer.Exit


@app.callback()
def root(
    ctx: typer.Context,
    *,
    data_dir: Annotated[
        Path | None, typer.Option("--data-dir", help="The data folder. (default: the platform's usual place)")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
    is_verbose: Annotated[bool, typer.Option("--verbose", help="Log more, and show where an error arose.")] = False,
    _version: Annotated[bool, typer.Option("--version", callback=_print_version, is_eager=True)] = False,
) -> None:
    """Long-term memory for bots: what they send is remembered, what they ask is answered."""
    ctx.obj = GlobalOptions(data_dir, as_json=as_json, is_verbose=is_verbose)
