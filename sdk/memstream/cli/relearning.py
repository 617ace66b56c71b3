"""`sessions relearn`: learns from old sessions again with the rules of the installed version."""

import json
from dataclasses import replace
from typing import Annotated, Any

import typer
from rich.console import Console

from memstream.cli.admin import ask_once
from memstream.cli.options import about_person
from memstream.cli.session import CliSession, run
from memstream.cli.text import counted, one_line
from memstream.client import MemoryClient
from shared.contracts.ids import Space, User
from shared.contracts.parts import RULES
from shared.runtime.ids import new_token
from shared.runtime.keys import load_keys

_MOST_SESSIONS = 500
_TIMEOUT_S = 600.0  # a model may read long sessions
_MARKS = {"fact_remembered": "+", "memory_retired": "-"}
_Changes = dict[str, list[dict[str, Any]]]


@about_person
def relearn(
    session: CliSession,
    *,
    sessions: Annotated[list[str] | None, typer.Argument(metavar="[SESSION]...", help="As `sessions list` names them.")] = None,
    all_of: Annotated[str | None, typer.Option("--all-of", metavar="USER", help="All sessions of this person.")] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only show what would change.")] = False,
) -> None:
    """Learn from old sessions again with the rules of this version; facts that differ are replaced. `undo` takes it back."""
    if bool(sessions) == bool(all_of):
        raise typer.BadParameter("name sessions, or --all-of USER")
    session = replace(session, user=all_of or session.user)
    scope = load_keys(session.files.keys).scope_of(Space(session.space), User(session.user))
    request: dict[str, Any] = {"scope": scope, "run_id": f"relearn-{new_token()[:12]}", "is_dry": dry_run}
    found: _Changes = {}
    for each in sessions or session.ask(_learned_by_rules):
        asked = json.dumps(request | {"session_id": each}).encode()
        found[each] = run(ask_once(session.settings, "consolidator", "relearn", asked, timeout_s=_TIMEOUT_S))["changes"]
    recorded = None if dry_run or not any(found.values()) else request["run_id"]
    session.show({"run_id": recorded, "sessions": found}, lambda console: _print(console, session, found, recorded))


async def _learned_by_rules(memory: MemoryClient) -> list[str]:
    """Return the ids of the sessions that rules learned from, the latest first: a later session may repeat an earlier one."""
    known = (await memory.sessions(limit=_MOST_SESSIONS)).sessions
    return [each.session_id for each in known if any(run.extractor.startswith(RULES) for run in each.runs)]


def _print(console: Console, session: CliSession, found: _Changes, run_id: str | None) -> None:
    for session_id, changes in found.items():
        console.print(f"{one_line(session_id)}: {counted(len(changes), 'change')}", markup=False)
        new = [change for change in changes if change["type"] == "fact_remembered"]
        for change in changes:
            by = next((each for each in new if {*each["source_ids"]}.intersection(change["source_ids"])), None)
            mark = _MARKS.get(change["type"]) or change["type"].replace("_", " ") + ":"
            instead = f"  ->  {_told(by)}" if by and mark == "-" else ""
            console.print(f"  {mark} {_told(change)}{instead}", markup=False, soft_wrap=True)
    undo = f"`memstream undo {run_id} --space {session.space} --user {session.user}` takes all of it back"
    console.print(undo if run_id else "nothing was recorded")


def _told(fact: dict[str, Any]) -> str:
    slots = ", ".join(f"{slot['attribute']}: {slot.get('value')}" for slot in fact["slots"])
    return one_line(fact["text"]) + (f"  [{one_line(slots)}]" if slots else "")
