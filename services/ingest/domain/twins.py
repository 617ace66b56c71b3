"""Recognises a fact that is told again, by its wording, under another name of somebody, or by what it states.

A retired fact that is told again is brought back: it was true all the time, only unused. A superseded one is not: whoever
replaced it knew better, and whoever says the old words again says something new. So does one who says again what is outdated.

Whom a name means follows from the names that were mentioned before the command: `Anna likes tea` is about Anna Smith if she is
the only Anna known. Two facts by themselves never merge. The event keeps what was decided, whatever names come later.
Source: docs/adr/0012-entities-are-a-function-of-names.md.
"""

from collections.abc import Collection, Iterable
from typing import NamedTuple

from services.ingest.domain.claims import Claims, keys_of, keys_sought, sought_by, unpacked
from services.ingest.domain.lacks import Needs
from services.ingest.domain.likeness import Likeness, Match, match
from services.ingest.domain.memories import Status
from services.ingest.domain.names import Called, agree, called_in
from services.ingest.domain.recognising import likeness_of
from services.ingest.domain.ruling import Ruling
from services.ingest.domain.state import ScopeState
from services.ingest.domain.told_fact import ToldFact
from shared.contracts.ids import MemoryId


class Twin(NamedTuple):
    """A known fact that a text repeats."""

    memory_id: MemoryId
    match: Match
    by_alias: bool = False  # a name in it is another one of the same entity


def find_twin(told: ToldFact, ruling: Ruling, *, apart_from: Collection[MemoryId] = ()) -> Twin | None:
    """The fact that is told again: live before retired, then the most similar, then the oldest. Raises Lacks."""
    state, digester = ruling.state, ruling.given.digester
    new, called, claims = likeness_of(told.text, digester), called_in(told.text, digester), told.claims(digester)
    sought = sought_by(keys_sought(claims), told.told_at(ruling.given.now))
    state.require(Needs(told={new}, called={called} if called else set(), claims=sought))
    return (
        _worded_alike(new, state, apart_from)
        or (_namesake(called, ruling, apart_from) if called else None)
        or _of_the_same_claims(claims, state, apart_from)
    )


def _worded_alike(new: Likeness, state: ScopeState, apart_from: Collection[MemoryId]) -> Twin | None:
    found = [
        Twin(memory_id, same)
        for memory_id, known in state.likenesses.items()
        if memory_id not in apart_from
        and _counts(memory_id, state)
        and (known.digest == new.digest or known.key == new.key)  # as the index does; all others cannot match
        and (same := match(known, new))
    ]
    return _first(found, state)


def _namesake(new: Called, ruling: Ruling, apart_from: Collection[MemoryId]) -> Twin | None:
    """The fact that differs only in names of the same entities.

    The texts must agree with and without the names that the command itself brings: those can only forbid a match.
    """
    state = ruling.state
    found = {
        memory_id: same
        for memory_id, known in state.called.items()
        if memory_id not in apart_from
        and _counts(memory_id, state)
        and known.short.key == new.short.key  # as the index does
        and (same := match(known.short, new.short))
    }
    if not found:
        return None
    state.require(Needs(names={*new.names, *(name for memory_id in found for name in state.called[memory_id].names)}))
    twins = [
        Twin(memory_id, same, by_alias=True)
        for memory_id, same in found.items()
        if agree(state.called[memory_id].names, new.names, ruling.names_before)
        and agree(state.called[memory_id].names, new.names, state.names)
    ]
    return _first(twins, state)


def _of_the_same_claims(new: Claims, state: ScopeState, apart_from: Collection[MemoryId]) -> Twin | None:
    """The fact that states the same and nothing else, be it in the first person or the third."""
    identity = new.identity
    if identity is None:
        return None
    found = [
        Twin(memory_id, Match("slot", None, None))
        for memory_id, fact in state.facts.items()
        if memory_id not in apart_from and identity in keys_of(fact.claims) and _counts(memory_id, state)
    ]
    return _first(found, state)


def _counts(memory_id: MemoryId, state: ScopeState) -> bool:
    is_outdated = memory_id in state.facts and unpacked(state.facts[memory_id].claims).ended
    return state.memories[memory_id].status is not Status.SUPERSEDED and not is_outdated


def _first(twins: Iterable[Twin], state: ScopeState) -> Twin | None:
    def place(twin: Twin) -> tuple[bool, bool, float, int]:
        memory = state.memories[twin.memory_id]
        return memory.status is not Status.LIVE, twin.match.kind != "exact", -(twin.match.similarity or 0.0), memory.number

    return min(twins, key=place, default=None)
