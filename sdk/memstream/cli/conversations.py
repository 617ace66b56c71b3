"""`sessions list`: a person's conversations, and the runs that learned from them."""

from collections.abc import Sequence
from typing import Annotated

import typer
from rich.console import Console
from rich.text import Text

from memstream.cli.options import about_person
from memstream.cli.session import CliSession
from memstream.cli.text import counted, minute, one_line
from shared.contracts.queries import Conversation


@about_person
def list_(
    session: CliSession, *, limit: Annotated[int, typer.Option("--limit", help="Most sessions, the latest first.")] = 50
) -> None:
    """List a person's conversations with the runs that learned from them; `memstream undo` takes a run back."""
    answer = session.ask(lambda memory: memory.sessions(limit=limit))
    session.show(answer.model_dump(mode="json"), lambda console: _print(console, answer.sessions))


def _print(console: Console, sessions: Sequence[Conversation]) -> None:
    if not sessions:
        console.print("nothing was said yet")
    for each in sessions:
        turns = counted(each.turns, "turn") + (f", {each.new_turns} not learned from" if each.new_turns else "")
        began = minute(each.first_seen_at)
        console.print(Text.assemble(one_line(each.session_id), (f"  {began}  {each.state.value}, {turns}", "dim")))
        for run in each.runs:
            by = f"{run.extractor} {run.model}" if run.model else run.extractor
            undone = f", undone {minute(run.undone_at)}" if run.undone_at else ""
            console.print(Text(f"    run {run.run_id}  {minute(run.at)}  {counted(run.facts, 'fact')} by {by}{undone}"))
