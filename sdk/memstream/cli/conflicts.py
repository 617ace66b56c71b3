"""`conflicts` and `answer`: facts that may contradict each other, and which of them holds."""

from collections.abc import Sequence
from typing import Annotated

import typer
from rich.console import Console
from rich.text import Text

from memstream.cli.options import about_person
from memstream.cli.sending import decided
from memstream.cli.session import CliSession
from memstream.cli.text import minute, one_line
from memstream.client import MemoryClient
from shared.contracts.conflicts import Holds
from shared.contracts.errors import Malformed
from shared.contracts.queries import OutcomeAnswer, PendingConflict, Verdict

_MOST = 200
_WIDE = 100


@about_person
def conflicts(
    session: CliSession, *, limit: Annotated[int, typer.Option("--limit", help="Most questions, the latest first.")] = 50
) -> None:
    """List the facts that may contradict each other, with what to ask; `memstream answer` takes the answer."""
    answer = session.ask(lambda memory: memory.conflicts(limit=limit))
    session.show(answer.model_dump(mode="json"), lambda console: _print(console, answer.conflicts))


@about_person
def answer(
    session: CliSession,
    *,
    conflict: Annotated[str, typer.Argument(help="The question, as `memstream conflicts` names it; the beginning is enough.")],
    holds: Annotated[Holds, typer.Argument(help="Which of the two facts holds.")],
) -> None:
    """Say which of two facts holds. What does not is superseded; with `neither` both are retired."""

    async def answered(memory: MemoryClient) -> OutcomeAnswer:
        pending = (await memory.conflicts(limit=_MOST)).conflicts
        found = [each.conflict_id for each in pending if each.conflict_id.startswith(conflict)]
        if len(found) > 1:
            raise Malformed(f"several questions begin with {conflict}; give more of the id")
        fields = {"conflict_id": found[0] if found else conflict, "holds": holds}
        return await decided(session, memory, "answer_conflict", fields)

    outcome = session.ask(answered)
    words = "unchanged: it was answered, or one of the two has ended" if outcome.verdict is Verdict.UNCHANGED else "answered"
    session.show(outcome.model_dump(mode="json"), lambda console: console.print(words))


def _print(console: Console, pending: Sequence[PendingConflict]) -> None:
    if not pending:
        console.print("nothing is in doubt")
    for each in pending:
        console.print(Text.assemble((each.conflict_id, "dim"), f"  {one_line(each.question, 2 * _WIDE)}"))
        for name, text in (("older", each.older_text), ("newer", each.newer_text)):
            console.print(Text(f"    {name}: {one_line(text, _WIDE)}"))
        console.print(Text(f"    asked since {minute(each.detected_at)} ({each.reason})", style="dim"))
