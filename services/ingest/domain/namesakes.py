"""Recognises a fact that is told again under another name of somebody: `Anna likes tea`, of the only Anna Smith that is known.

Whom a name means follows from the names that were mentioned before the command that is decided: two facts by themselves never
merge. What was decided rests in its event, whatever names come later.
Source: docs/adr/0012-entities-are-a-function-of-names.md.
"""

from __future__ import annotations

from collections.abc import Set as AbstractSet

from services.ingest.domain.likeness import match
from services.ingest.domain.memories import Status
from services.ingest.domain.names import Called, agree, called_in
from services.ingest.domain.repeats import Twin, in_order
from services.ingest.domain.state import ScopeState
from shared.contracts.ids import MemoryId
from shared.domain.aliases import TypedName
from shared.domain.digests import Digester


def find_namesake(
    text: str, state: ScopeState, digester: Digester, *, before: AbstractSet[TypedName], apart_from: MemoryId | None = None
) -> Twin | None:
    """The fact that says the same but for names of the same entities; which one, as of twins.

    `before` are the names known before the command. Those that the command itself brings can only raise a doubt.
    """
    if not state.called or not state.knows_names or (new := called_in(text, digester)) is None:
        return None
    twins = [
        twin
        for memory_id, known in state.called.items()
        if memory_id != apart_from
        and state.memories[memory_id].status is not Status.SUPERSEDED
        and (twin := _namesake(memory_id, known, new))
        and agree(known.names, new.names, before)
        and agree(known.names, new.names, state.names)
    ]
    return min(twins, key=lambda twin: in_order(twin, state), default=None)


def _namesake(memory_id: MemoryId, known: Called, new: Called) -> Twin | None:
    found = match(known.short, new.short) if known.short.key == new.short.key else None  # as the index does
    return Twin(memory_id, found, by_alias=True) if found else None
