"""`sessions relearn`: learns anew, by today's rules, from sessions that were learned from before."""

import json
from collections.abc import Sequence
from contextlib import aclosing
from dataclasses import replace
from typing import Annotated, Any

import typer
from rich.console import Console

from memstream.cli.admin import ask_service
from memstream.cli.options import about_person
from memstream.cli.progress import progress_bar
from memstream.cli.session import CliSession, run
from memstream.cli.text import counted, one_line
from shared.contracts.events import SessionConsolidated
from shared.contracts.ids import Scope, Space, User
from shared.contracts.parts import RULES
from shared.runtime.connection import Client, operator_connection
from shared.runtime.ids import new_token
from shared.runtime.keys import load_keys
from shared.runtime.projector import scope_batches

_TIMEOUT_S = 600.0  # a model may read long sessions
_MARKS = {
    "fact_remembered": "+",
    "memory_repeated": "+ again:",
    "fact_superseded": "- ended by another:",
    "memory_retired": "-",
    "memory_restored": "+ holds again:",
    "repeat_undone": "- once less:",
    "fact_outdated": "- in part:",
    "outdating_undone": "+ in part again:",
    "conflict_detected": "? in doubt:",
    "conflict_answered": "! not in doubt:",
}


@about_person
def relearn(
    session: CliSession,
    *,
    sessions: Annotated[list[str] | None, typer.Argument(metavar="[SESSION]...", help="As `sessions list` names them.")] = None,
    all_of: Annotated[str | None, typer.Option("--all-of", metavar="USER", help="All sessions of this person.")] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only show what would change.")] = False,
) -> None:
    """Learn anew from sessions by today's rules: what differs takes the place of what rules had learned, until `undo`."""
    if bool(sessions) == bool(all_of):
        raise typer.BadParameter("name sessions, or --all-of USER")
    session = replace(session, user=all_of) if all_of else session
    run_id = f"relearn-{new_token()[:12]}"
    found = run(_relearn(session, sessions, {"run_id": run_id, "is_dry": dry_run}))
    recorded = None if dry_run or not any(found.values()) else run_id
    session.show({"run_id": recorded, "sessions": found}, lambda console: _print(console, session, found, recorded))


async def _relearn(session: CliSession, named: Sequence[str] | None, terms: dict[str, Any]) -> dict[str, list[dict[str, Any]]]:
    """What changes, by session: those first that were learned from last, for they may repeat what others told."""
    scope = load_keys(session.files.keys).scope_of(Space(session.space), User(session.user))
    found = {}
    async with operator_connection(session.settings) as client:
        with progress_bar("sessions") as progress:
            for each in progress.track(named or await _learned_by_rules(client, scope), description="learning"):
                request = json.dumps({"scope": scope, "session_id": each, **terms}).encode()
                found[each] = (await ask_service(client, "consolidator", "relearn", request, timeout_s=_TIMEOUT_S))["changes"]
    return found


async def _learned_by_rules(client: Client, scope: Scope) -> list[str]:
    by_rules: dict[str, bool] = {}
    async with aclosing(scope_batches(client, scope, types=(SessionConsolidated,))) as batches:
        async for batch in batches:
            for data in (recorded.event.data for recorded in batch):
                if isinstance(data, SessionConsolidated):
                    is_so = data.origin.extractor.startswith(RULES) and by_rules.pop(data.session_id, True)
                    by_rules[data.session_id] = is_so
    return [session_id for session_id, is_so in reversed(by_rules.items()) if is_so]


def _print(console: Console, session: CliSession, found: dict[str, list[dict[str, Any]]], run_id: str | None) -> None:
    for session_id, changes in found.items():
        console.print(f"{one_line(session_id)}: {counted(len(changes), 'change')}", markup=False)
        texts = {change["memory_id"]: change["text"] for change in changes}
        for change in changes:
            slots = ", ".join(f"{slot['attribute']}: {slot.get('value')}" for slot in change["slots"])
            by = f"  -> {one_line(texts[change['by']])}" if change["by"] in texts else ""
            said = f"  {_MARKS[change['type']]} {one_line(change['text'])}" + (f"  [{one_line(slots)}]" if slots else "") + by
            console.print(said, markup=False, soft_wrap=True)
    if run_id:
        console.print(f"`memstream undo {run_id} --space {session.space} --user {session.user}` takes all of it back")
    else:
        console.print("nothing was recorded")
