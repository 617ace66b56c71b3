"""`incognito start` and `incognito end`: a session that is kept out of memory."""

from dataclasses import asdict
from typing import Annotated

import typer

from memstream.cli.options import about_person
from memstream.cli.session import CliSession
from memstream.client import Decision, Verdict

SessionArgument = Annotated[str, typer.Argument(help="The session.")]


@about_person
def start(session: CliSession, *, session_id: SessionArgument) -> None:
    """From now on nothing of this session is kept or recalled."""
    decided = session.ask(lambda memory: memory.start_incognito(session_id))
    _show(session, decided, "nothing of this session is kept from now on")


@about_person
def end(session: CliSession, *, session_id: SessionArgument) -> None:
    """From now on this session is kept again."""
    decided = session.ask(lambda memory: memory.end_incognito(session_id))
    _show(session, decided, "this session is kept again")


def _show(session: CliSession, decided: Decision, said: str) -> None:
    known = " (it was so already)" if decided.verdict is Verdict.UNCHANGED else ""
    session.show(asdict(decided), lambda console: console.print(f"{said}{known}; position {decided.position}"))
