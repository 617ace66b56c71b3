"""`undo` takes back what a run did, or the recording of one fact or roll-up; `redo` does it again."""

import re
from collections.abc import Sequence
from typing import Annotated, Any

import typer
from rich.console import Console

from memstream.cli.memory_ids import whole_id
from memstream.cli.options import about_person
from memstream.cli.sending import decided
from memstream.cli.session import CliSession
from memstream.cli.text import counted
from memstream.client import MemoryClient
from shared.contracts.queries import AuditEntry, OutcomeAnswer, Verdict

_MEMORY = re.compile(r"(?:fact|roll)_[0-9a-f]{4,24}")
_MOST = 500
_SAID = {
    "memory_retired": "retired",
    "memory_restored": "holds again",
    "repeat_undone": "told once less",
    "outdating_undone": "holds again in part",
    "conflict_answered": "not asked about any more",
    "conflict_detected": "asked about again",
    "fact_superseded": "superseded again",
    "memory_repeated": "told once more",
    "fact_outdated": "outdated in part again",
}


_WhatArgument = Annotated[str, typer.Argument(help="A run, as `memstream sessions list` names it, a fact or a roll-up.")]
_NumberOption = Annotated[
    int | None, typer.Option("--number", min=1, help="Of a fact, only the time it was told again by this event; see `show`.")
]


@about_person
def undo(session: CliSession, *, what: _WhatArgument, number: _NumberOption = None) -> None:
    """Take back what a run did, or the recording of one fact or roll-up. `memstream restore` brings single memories back."""
    _carry_out(session, "undo", what, number, nothing="nothing of it is left to take back", all_of_it="taken back")


@about_person
def redo(session: CliSession, *, what: _WhatArgument, number: _NumberOption = None) -> None:
    """Do again what `undo` has taken back of this last; what was decided about it since stays."""
    _carry_out(session, "redo", what, number, nothing="nothing of it is taken back", all_of_it="done again")


def _carry_out(session: CliSession, name: str, what: str, number: int | None, *, nothing: str, all_of_it: str) -> None:
    async def carried_out(memory: MemoryClient) -> tuple[OutcomeAnswer, list[AuditEntry]]:
        fields: dict[str, Any] = {"run_id": what}
        if _MEMORY.fullmatch(what):
            fields = {"memory_id": await whole_id(memory, what)} | ({} if number is None else {"number": number})
        first = outcome = await decided(session, memory, name, fields)
        done: list[AuditEntry] = []
        while outcome.verdict is Verdict.RECORDED:  # what a large run did takes several commands
            done += await _done(memory, outcome)
            if (name, *fields) != ("undo", "run_id"):
                break
            outcome = await decided(session, memory, name, fields)
        return first, done

    outcome, done = session.ask(carried_out)
    document = outcome.model_dump(mode="json") | {
        "done": [{"what": entry.type, "memory_ids": entry.memory_ids} for entry in done]
    }
    session.show(document, lambda console: _print(console, done, nothing, all_of_it))


async def _done(memory: MemoryClient, outcome: OutcomeAnswer) -> list[AuditEntry]:
    """The events of the command, in their order: all were recorded at the moment of its last."""
    page = await memory.audit(types=tuple(_SAID), limit=_MOST, before_number=(outcome.number or 0) + 1)
    return [entry for entry in reversed(page.entries) if entry.at == page.entries[0].at]


def _print(console: Console, done: Sequence[AuditEntry], nothing: str, all_of_it: str) -> None:
    if not done:
        console.print(f"unchanged: {nothing}")
        return
    for entry in done:
        console.print(f"{entry.memory_ids[0]}  {_SAID[entry.type]}", markup=False)
    console.print(f"{counted(len(done), 'change')} {all_of_it}")
