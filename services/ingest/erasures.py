"""Derives from events what is to be erased, and which scopes to rebuild."""

from collections.abc import Sequence

from services.ingest.store.changes import Erasures, Forgetting
from shared.contracts.ids import MemoryId, Scope, Slot
from shared.contracts.privacy import ForgettingCompleted, MemoryForgotten, UserForgotten
from shared.domain.moments import microseconds
from shared.runtime.projector import Recorded


def erasures_of(events: Sequence[Recorded], *, asks_rebuild: bool, is_rebuild: bool = False) -> Erasures:
    """The forgettings that begin or end with these events, the memories and scopes whose rows go, and the scopes to rebuild.

    A large forgetting is several events, each of which gives an entry. With `is_rebuild`, during a rebuild of a scope, no
    forgettings are returned, for their rows were kept.
    """
    begun: list[Forgetting] = []
    gone: dict[Scope, list[MemoryId]] = {}
    completed: list[tuple[Scope, int, ForgettingCompleted]] = []
    wiped: list[Scope] = []
    to_rebuild: dict[Scope, Slot] = {}
    for recorded in events:
        data, scope = recorded.event.data, recorded.scope
        if isinstance(data, MemoryForgotten | UserForgotten):
            if isinstance(data, UserForgotten) and data.through_number:  # the first of a large one
                wiped.append(scope)
                begun = [each for each in begun if each.scope != scope]
                completed = [each for each in completed if each[0] != scope]
            begun.append(_begun(recorded, data))
            if isinstance(data, MemoryForgotten):
                gone.setdefault(scope, []).extend(data.memory_ids)
        elif isinstance(data, ForgettingCompleted):
            completed.append((scope, microseconds(recorded.event.recorded_at), data))
            to_rebuild[scope] = recorded.slot_of_scope
    if is_rebuild:
        return Erasures(gone=gone, wiped=wiped)
    return Erasures(begun, gone, completed, wiped, to_rebuild if asks_rebuild else {}, restarted=tuple(wiped))


def _begun(recorded: Recorded, data: MemoryForgotten | UserForgotten) -> Forgetting:
    return Forgetting(
        scope=recorded.scope,
        forget_id=data.forget_id,
        slot=recorded.slot_of_scope,
        number=recorded.event.number,
        forgotten_at=microseconds(recorded.event.recorded_at),
        memories=len(data.memory_ids) if isinstance(data, MemoryForgotten) else data.memories,
        events=data.through_number if isinstance(data, UserForgotten) else len(data.numbers),
        completed_at=None,
        receipt=None,
    )
