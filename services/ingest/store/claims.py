"""The keys by which the claims of facts are found, as keyed hashes. The claims themselves are in the rows of the facts."""

from collections.abc import Collection
from functools import lru_cache
from typing import Any

from sqlalchemy import Connection

from services.ingest.domain.claims import Sought, keys_of
from services.ingest.domain.memories import Status
from services.ingest.domain.state import ScopeState
from services.ingest.store.schema import CLAIM, changed, upsert
from shared.contracts.ids import MemoryId, Scope
from shared.domain.moments import microseconds
from shared.runtime.sqlite import driver

_AT_ONCE = 500


def find_claiming(db: Connection, scope: Scope, sought: Collection[Sought]) -> set[MemoryId]:
    """The facts with a claim that has one of these keys: those that stand, or were told or gave way after the key's moment."""
    asked = [(one.key, microseconds(one.after)) for one in sought]
    found: set[MemoryId] = set()
    for start in range(0, len(asked), _AT_ONCE):
        portion = asked[start : start + _AT_ONCE]
        values = [value for pair in portion for value in pair]
        rows = driver(db).execute(_with_keys(len(portion)), (*values, bytes.fromhex(scope)))
        found.update(MemoryId(memory_id) for (memory_id,) in rows)
    return found


def save_claims(db: Connection, scope: Scope, before: ScopeState, after: ScopeState) -> None:
    """Write the keys of facts that are new, or were told again, superseded or restored. The keys of a fact never change."""
    differing = dict([*changed(before.memories, after.memories), *changed(before.facts, after.facts)])
    known, raw = dict(before.facts), bytes.fromhex(scope)
    rows: list[dict[str, Any]] = []
    for memory_id in differing.keys() & after.facts.keys():
        now = _row(memory_id, after)
        if after.facts[memory_id].claims and (memory_id not in known or now != _row(memory_id, before)):
            rows += [{"scope": raw, "key": key, **now} for key in keys_of(after.facts[memory_id].claims)]
    upsert(db, CLAIM, rows)


def _row(memory_id: MemoryId, state: ScopeState) -> dict[str, Any]:
    fact, is_ended = state.facts[memory_id], state.memories[memory_id].status is Status.SUPERSEDED
    until = max(fact.told_at, fact.gave_way_at or fact.told_at)
    return {"memory_id": memory_id, "until": microseconds(until) if is_ended else None}


@lru_cache(maxsize=64)
def _with_keys(count: int) -> str:
    asked = ", ".join(["(?, ?)"] * count)
    # A join in this order, as in `look_up`.
    return (
        f"SELECT DISTINCT memory_id FROM (VALUES {asked}) AS asked CROSS JOIN claim"
        " WHERE scope = ? AND key = asked.column1 AND (until IS NULL OR until > asked.column2)"
    )
