"""The command line: one module a noun; this one lists the commands."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from memstream.cli import (
    answers,
    audit,
    bots,
    demo,
    doctor,
    evaluating,
    explaining,
    facts,
    foreign,
    importing,
    log,
    looking,
    memory,
    moving,
    outages,
    privacy,
    raw,
    rebuild,
    running,
    sessions,
    settings,
    status,
    sweep,
    tasks,
)
from memstream.cli.root import EPILOG, Root
from memstream.cli.session import Session, version
from shared.runtime.logs import configure_logs
from shared.runtime.settings import RuntimeSettings

app = typer.Typer(
    cls=Root, help="Long-term memory for bots.", epilog=EPILOG, no_args_is_help=True,
    add_completion=False, pretty_exceptions_enable=False,
)  # fmt: skip


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
    settings = RuntimeSettings(data_dir=data_dir) if data_dir else RuntimeSettings()
    configure_logs(level="debug" if is_verbose else "error", as_json=settings.log_json)
    ctx.obj = Session(settings, as_json=as_json, is_verbose=is_verbose)


app.command()(demo.demo)
app.command()(running.init)
app.command()(running.up)
app.command("run")(running.run_one)
app.command()(raw.send)
app.command()(raw.ask)
app.command("import")(importing.import_)
app.command()(moving.export)
app.command()(memory.search)
app.command()(memory.context)
app.command()(privacy.forget)
app.command("forget-user")(privacy.forget_user)
app.command()(privacy.receipt)
app.add_typer(privacy.incognito, name="incognito")
app.command()(explaining.explain)
app.command("list")(looking.list_)
app.command()(looking.show)
app.command()(looking.entity)
app.command()(looking.summary)
for command in (facts.remember, facts.correct, facts.confirm, facts.pin, facts.unpin, facts.restore):
    app.command()(command)
app.command()(log.log)
app.command()(audit.audit)
app.command("rebuild")(rebuild.rebuild_)
app.command()(rebuild.verify)
app.command()(status.status)
app.command()(doctor.doctor)
app.add_typer(settings.app, name="settings")
app.add_typer(bots.app, name="bot")
evaluating.app.command()(foreign.abstain)
evaluating.app.command()(tasks.tasks)
evaluating.app.command()(sweep.sweep)
evaluating.app.command()(outages.outages)
evaluating.app.command()(answers.answers)
app.add_typer(evaluating.app, name="eval")
app.add_typer(sessions.app, name="sessions")
