"""The rows of facts: hashes that recognise them, importance, sources."""

from collections.abc import Collection, Mapping

from sqlalchemy import Connection

from services.ingest.domain.likeness import NEAREST_BITS, Likeness, match
from services.ingest.domain.memories import Fact, KnownMemory, Status
from services.ingest.domain.simhash import distance
from services.ingest.domain.state import ScopeState
from services.ingest.store.schema import (
    FACT,
    FACTS,
    LIKENESS,
    LIKENESSES,
    RECALLS,
    SOURCE,
    Found,
    all_that_are,
    changed,
    look_up,
    of_scope,
    upsert,
)
from shared.contracts.ids import MemoryId, Scope
from shared.runtime.metrics import MERGES_REFUSED


def find_alike(db: Connection, scope: Scope, told: Collection[Likeness]) -> dict[MemoryId, Likeness]:
    """The facts of a scope that may match one of these: two index look-ups for each, however many facts there are."""
    by_words = look_up(db, LIKENESS, {one.digest for one in told}, column="digest", scope=bytes.fromhex(scope))
    by_guards = look_up(db, LIKENESS, {one.key for one in told}, column="key", scope=bytes.fromhex(scope))
    known = {MemoryId(row.memory_id): LIKENESSES.read(row) for row in (*by_words, *by_guards)}
    alike = {memory_id: one for memory_id, one in known.items() if any(match(one, new) for new in told)}
    if len(alike) < len(known):
        _count_refused([one for memory_id, one in known.items() if memory_id not in alike], told)
    return alike


def _count_refused(apart: Collection[Likeness], told: Collection[Likeness]) -> None:
    """Count those that SimHash would take for one with what is told."""
    MERGES_REFUSED.inc(sum(any(distance(one.simhash, new.simhash) <= NEAREST_BITS for new in told) for one in apart))


def load_facts(db: Connection, scope: Scope, ids: Collection[MemoryId]) -> dict[MemoryId, Fact]:
    """Load facts with their sources. Ids of other memories are ignored."""
    if not ids:
        return {}
    rows = look_up(db, FACT, ids, column="memory_id", scope=scope)
    sources = _sources(db, scope, [row.memory_id for row in rows]) if rows else {}
    return {MemoryId(row.memory_id): _fact(row, sources.get(row.memory_id, frozenset())) for row in rows}


def load_rivals(db: Connection, scope: Scope) -> dict[MemoryId, Fact]:
    """Load all facts that could be trimmed, without their sources."""
    rows = all_that_are(db, FACT, "is_rival", scope=scope)
    return {MemoryId(row.memory_id): _fact(row, frozenset()) for row in rows}


def save_facts(db: Connection, scope: Scope, before: ScopeState, after: ScopeState) -> None:
    """Write the rows of facts that differ. The hashes that recognise a fact never change."""
    differing = dict([*changed(before.memories, after.memories), *changed(before.facts, after.facts)])
    facts = {memory_id: after.facts[memory_id] for memory_id in differing.keys() & after.facts.keys()}
    upsert(db, FACT, [_fact_row(scope, memory_id, fact, after.memories[memory_id]) for memory_id, fact in facts.items()])
    new = [(each, one) for each, one in after.likenesses.items() if each not in before.likenesses]
    raw = bytes.fromhex(scope)
    upsert(db, LIKENESS, [LIKENESSES.row(one, scope=raw, memory_id=each, key=one.key) for each, one in new])
    _save_sources(db, scope, facts, before)


def _sources(db: Connection, scope: Scope, ids: Collection[MemoryId]) -> dict[str, frozenset[str]]:
    found: dict[str, set[str]] = {}
    for row in look_up(db, SOURCE, ids, column="memory_id", scope=scope):
        found.setdefault(row.memory_id, set()).add(row.source)
    return {memory_id: frozenset(sources) for memory_id, sources in found.items()}


def _save_sources(db: Connection, scope: Scope, facts: Mapping[MemoryId, Fact], before: ScopeState) -> None:
    known = dict(before.facts)
    added: list[dict[str, str]] = []
    for memory_id, fact in facts.items():
        had = known[memory_id].sources if memory_id in known else frozenset()
        added += ({"scope": scope, "memory_id": memory_id, "source": source} for source in fact.sources - had)
        if gone := had - fact.sources:  # a repeat was undone
            of_fact = of_scope(SOURCE, scope) & (SOURCE.c.memory_id == memory_id)
            db.execute(SOURCE.delete().where(of_fact, SOURCE.c.source.in_(gone)))
    upsert(db, SOURCE, added)


def _fact(row: Found, sources: frozenset[str]) -> Fact:
    return FACTS.read(row, sources=sources, recalled=None if row.computed_at is None else RECALLS.read(row))


def _fact_row(scope: Scope, memory_id: MemoryId, fact: Fact, memory: KnownMemory) -> dict[str, object]:
    is_rival = int(memory.status is Status.LIVE and not memory.pinned and not fact.manually_saved)
    return FACTS.row(fact, scope=scope, memory_id=memory_id, is_rival=is_rival) | RECALLS.row(fact.recalled)
