"""`share`, `unshare` and `shares`: which tags of a space other spaces of the same person read."""

from collections.abc import Sequence
from typing import Annotated

import typer
from rich.console import Console
from rich.text import Text

from memstream.cli.options import about_person
from memstream.cli.sending import show_decision
from memstream.cli.session import CliSession
from memstream.cli.text import counted, one_line
from shared.contracts.queries import TagShare

TagArgument = Annotated[str, typer.Argument(help="The tag, in any case.")]
WithOption = Annotated[str, typer.Option("--with", help="The other space.")]


@about_person
def share(session: CliSession, *, tag: TagArgument, with_space: WithOption) -> None:
    """Let contexts of this person in another space hold what has this tag here, now and later."""
    decision = session.ask(lambda memory: memory.share_tag(tag, with_space))
    show_decision(session, decision, "shared", "unchanged: it is shared already")


@about_person
def unshare(session: CliSession, *, tag: TagArgument, with_space: WithOption) -> None:
    """Give the other space nothing by this tag any more."""
    decision = session.ask(lambda memory: memory.unshare_tag(tag, with_space))
    show_decision(session, decision, "not shared any more", "unchanged: it is not shared")


@about_person
def shares(session: CliSession) -> None:
    """List what this space shares with which other space."""
    answer = session.ask(lambda memory: memory.shares())
    session.show(answer.model_dump(mode="json"), lambda console: _print(console, answer.shares))


def _print(console: Console, found: Sequence[TagShare]) -> None:
    if not found:
        console.print("nothing is shared")
    for each in found:
        held = f"{counted(each.memories, 'memory', 'memories')}, since {each.since:%Y-%m-%d}"
        console.print(Text.assemble(one_line(each.tag), f" with {one_line(each.with_space)}", (f"  {held}", "dim")))
