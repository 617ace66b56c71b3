"""`diff`: what is otherwise in a person's memory at the later of two moments."""

from datetime import datetime
from typing import Annotated

import typer
from rich.console import Console
from rich.text import Text

from memstream.cli.options import KindsOption, about_person, in_utc
from memstream.cli.session import CliSession
from memstream.cli.text import counted, one_line
from shared.contracts.parts import Kind
from shared.contracts.queries import ChangeOfMemory, DiffAnswer

_MARKS = {
    ChangeOfMemory.LEARNED: ("+", "green"),
    ChangeOfMemory.RESTORED: ("+", "green"),
    ChangeOfMemory.SUPERSEDED: ("-", "red"),
    ChangeOfMemory.RETIRED: ("-", "red"),
}
_OTHERWISE = ("~", "yellow")


@about_person
def diff(
    session: CliSession,
    *,
    since: Annotated[datetime | None, typer.Option("--from", help="The earlier moment, in UTC.")] = None,
    until: Annotated[datetime | None, typer.Option("--to", help="The later moment, in UTC. (default: now)")] = None,
    since_number: Annotated[int | None, typer.Option("--from-number", min=0, help="Or after this event of theirs.")] = None,
    at_number: Annotated[int | None, typer.Option("--to-number", min=0, help="Or up to this event of theirs.")] = None,
    kinds: KindsOption = None,
    limit: Annotated[int, typer.Option("--limit", min=1, max=500, help="Most changes.")] = 200,
) -> None:
    """Show what was learned, superseded, retired, restored and forgotten between two moments."""
    if (since is None) == (since_number is None):
        raise typer.BadParameter("say from when: --from, or --from-number")
    answer = session.ask(
        lambda memory: memory.diff(
            since=in_utc(since),
            as_of=in_utc(until),
            since_number=since_number,
            at_number=at_number,
            kinds=kinds or (Kind.FACT, Kind.ROLLUP),
            limit=limit,
        )
    )
    session.show(answer.model_dump(mode="json"), lambda console: _print(console, answer))


def _print(console: Console, answer: DiffAnswer) -> None:
    for changed in answer.changes:
        mark, colour = _MARKS.get(changed.change, _OTHERWISE)
        console.print(
            Text.assemble(
                (f"{mark} {changed.change:10} ", colour),
                one_line(changed.memory.text),
                (f"  {changed.memory.memory_id}", "dim"),
            ),
            soft_wrap=True,
        )
    if answer.left_out:
        console.print(f"[dim]{counted(answer.left_out, 'more change')}: --limit[/]")
    if answer.forgotten:
        console.print(f"[red]{counted(answer.forgotten, 'memory', 'memories')} forgotten[/]")
    if not (answer.changes or answer.forgotten):
        console.print("nothing has changed")
