"""`rebuild`: projections anew from the log."""

from collections.abc import Sequence
from typing import Annotated, Any

import typer
from rich.console import Console

from memstream.cli.locks import hold
from memstream.cli.progress import progress_bar
from memstream.cli.projections import rebuild
from memstream.cli.server import any_server, log_to_stderr
from memstream.cli.services import PROJECTIONS
from memstream.cli.session import CliSession, run, session_of

_MOST_PROBLEMS = 20


def rebuild_(
    ctx: typer.Context,
    *,
    everything: Annotated[bool, typer.Option("--all", help="Every projection.")] = False,
    names: Annotated[
        list[str] | None,
        typer.Option("--projection", help=f"One of: {', '.join(PROJECTIONS)}.", autocompletion=lambda: list(PROJECTIONS)),
    ] = None,
) -> None:
    """Build projections anew from the log, while their services are stopped. The old one stays until the new is complete."""
    session = session_of(ctx)
    log_to_stderr(session)
    if everything == bool(names):
        raise typer.BadParameter("say --all, or --projection with a name")
    if unknown := set(names or ()) - set(PROJECTIONS):
        raise typer.BadParameter(f"there is no projection {', '.join(sorted(unknown))}; there are {', '.join(PROJECTIONS)}")
    built = run(_rebuild(session, names or list(PROJECTIONS)))
    session.show({"digests": built}, lambda console: _print_digests(console, built))


async def _rebuild(session: CliSession, names: Sequence[str]) -> dict[str, str]:
    built = {}
    with hold(session.files, names):
        async with any_server(session.settings):
            with progress_bar("events") as progress:
                for name in names:
                    task = progress.add_task(name, total=None)

                    def advance(applied: int, left: int, task: Any = task) -> None:  # noqa: ANN401 - rich's TaskID
                        progress.update(task, completed=applied, total=applied + left)

                    built[name] = await rebuild(name, session.settings, advance)
    return built


def _print_digests(console: Console, built: dict[str, str]) -> None:
    for name, digest in built.items():
        console.print(f"{name:10} rebuilt, digest {digest}")
