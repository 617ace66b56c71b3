"""`rebuild`: projections anew from the log, while their services are stopped or beside the running one."""

from collections.abc import Sequence
from typing import Annotated, Any

import typer
from rich.console import Console

from memstream.cli.locks import hold, is_held
from memstream.cli.progress import progress_bar
from memstream.cli.projections import rebuild, rebuild_live, rebuild_person
from memstream.cli.server import any_server, log_to_stderr
from memstream.cli.services import PROJECTIONS
from memstream.cli.session import CliSession, run, session_of
from memstream.cli.text import counted
from shared.contracts.errors import Misconfigured, ProjectionDamaged, outcome_of
from shared.runtime.processes import be_patient

_RETRIEVER = "retriever"
_MOST_SHOWN = 20


def rebuild_(
    ctx: typer.Context,
    *,
    everything: Annotated[bool, typer.Option("--all", help="Every projection.")] = False,
    names: Annotated[
        list[str] | None,
        typer.Option("--projection", help=f"One of: {', '.join(PROJECTIONS)}.", autocompletion=lambda: list(PROJECTIONS)),
    ] = None,
    live: Annotated[
        bool,
        typer.Option("--live", help="The retriever's files, one after the other, while it answers."),
    ] = False,
    space: Annotated[str | None, typer.Option("--space", help="With --live: of one person only.")] = None,
    user: Annotated[str | None, typer.Option("--user", help="With --live: of this person only.")] = None,
    anyway: Annotated[
        bool, typer.Option("--anyway", help="With --live: replace also files that differ from the new ones.")
    ] = False,
) -> None:
    """Build projections anew from the log. The old one stays until the new is complete; without --live, stop the service."""
    session = session_of(ctx)
    log_to_stderr(session)
    _require_one_of(everything, bool(names), live)
    if (space is None) != (user is None) or (space is not None and not live):
        raise typer.BadParameter("name a person by --space and --user, with --live")
    if unknown := set(names or ()) - set(PROJECTIONS):
        raise typer.BadParameter(f"there is no projection {', '.join(sorted(unknown))}; there are {', '.join(PROJECTIONS)}")
    if live and not is_held(session.files, _RETRIEVER):
        raise Misconfigured("the retriever does not run; build its files anew with: memstream rebuild --projection retriever")
    if live and space is not None and user is not None:
        _show_person(session, run(rebuild_person(session.settings, space, user)))
    elif live:
        found = run(_rebuild_live(session, anyway=anyway))
        session.show(found, lambda console: _print_live(console, found))
        if found["differing"] and not anyway:
            raise typer.Exit(outcome_of(ProjectionDamaged()).exit_code)
    else:
        built = run(_rebuild(session, names or list(PROJECTIONS)))
        session.show({"digests": built}, lambda console: _print_digests(console, built))


def _require_one_of(*said: bool) -> None:
    if sum(said) != 1:
        raise typer.BadParameter("say --all, --projection with a name, or --live")


async def _rebuild_live(session: CliSession, *, anyway: bool) -> dict[str, Any]:
    async with any_server(session.settings):
        with progress_bar("people") as progress:
            task = progress.add_task(_RETRIEVER, total=None)

            def advance(built: int, left: int) -> None:
                progress.update(task, completed=built, total=built + left)

            return await rebuild_live(session.settings, in_any_case=anyway, on_progress=advance)


async def _rebuild(session: CliSession, names: Sequence[str]) -> dict[str, str]:
    built = {}
    if is_held(session.files, _RETRIEVER):
        be_patient()  # somebody may ask meanwhile
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


def _show_person(session: CliSession, found: dict[str, Any]) -> None:
    was = "it did not hold what the log says" if found["differing"] else "it held what the log says"
    said = f"made anew; {was}" if found["rebuilt"] else "nothing is known of them"
    session.show(found, lambda console: console.print(said))


def _print_live(console: Console, found: dict[str, Any]) -> None:
    untold = f", of {counted(found['untold'], 'person', 'people')} it could not be told" if found["untold"] else ""
    console.print(f"{counted(found['compared'], 'person', 'people')} compared, {len(found['differing'])} differ{untold}")
    for scope in found["differing"][:_MOST_SHOWN]:
        console.print(f"  [red]differs:[/] {scope}")
    if found["rebuilt"] < found["compared"] + found["untold"]:
        console.print("files that differ stay; look at them with `memstream verify`, or: memstream rebuild --live --anyway")
