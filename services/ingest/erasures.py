"""Derives from events what is to be erased, and which scopes to rebuild."""

from collections.abc import Sequence

from services.ingest.store.changes import ChangedForgetting, Erasures, Forgetting
from shared.contracts.ids import MemoryId, Scope, Slot
from shared.contracts.privacy import (
    ForgettingCompleted,
    ForgettingTakenBack,
    GraceEnded,
    MemoryForgotten,
    UserForgotten,
)
from shared.domain.moments import microseconds
from shared.runtime.projector import Recorded


def erasures_of(events: Sequence[Recorded], *, asks_rebuild: bool, is_rebuild: bool = False) -> Erasures:
    """The forgettings that begin or end with these events, the memories and scopes whose rows go, and the scopes to rebuild.

    A large forgetting is several events, each of which gives an entry. With `is_rebuild`, during a rebuild of a scope, no
    forgettings are returned, for their rows were kept.
    """
    begun: list[Forgetting] = []
    gone: dict[Scope, list[MemoryId]] = {}
    changes: list[ChangedForgetting] = []
    wiped: list[Scope] = []
    to_rebuild: dict[Scope, Slot] = {}
    grown: set[Scope] = set()
    for recorded in events:
        data, scope = recorded.event.data, recorded.scope
        if isinstance(data, MemoryForgotten | UserForgotten):
            if isinstance(data, UserForgotten) and data.through_number:  # the first of a large one
                wiped.append(scope)
                begun = [each for each in begun if each.scope != scope]
                changes = [each for each in changes if each.scope != scope]
            begun.append(
                Forgetting(
                    scope=recorded.scope,
                    forget_id=data.forget_id,
                    slot=recorded.slot_of_scope,
                    number=recorded.event.number,
                    forgotten_at=microseconds(recorded.event.recorded_at),
                    memories=len(data.memory_ids) if isinstance(data, MemoryForgotten) else data.memories,
                    events=data.through_number if isinstance(data, UserForgotten) else len(data.numbers),
                    erase_at=microseconds(data.erase_at) if isinstance(data, MemoryForgotten) and data.erase_at else None,
                )
            )
            if isinstance(data, MemoryForgotten):
                gone.setdefault(scope, []).extend(data.memory_ids)
        elif isinstance(data, ForgettingCompleted | ForgettingTakenBack | GraceEnded):
            changes.append(_changed(recorded, data))
            if not isinstance(data, GraceEnded):
                to_rebuild[scope] = recorded.slot_of_scope
            if isinstance(data, ForgettingTakenBack):
                grown.add(scope)
    if is_rebuild:
        return Erasures(gone=gone, wiped=wiped)
    return Erasures(begun, gone, changes, wiped, to_rebuild if asks_rebuild else {}, grown, restarted=tuple(wiped))


def _changed(recorded: Recorded, data: ForgettingCompleted | ForgettingTakenBack | GraceEnded) -> ChangedForgetting:
    at = microseconds(recorded.event.recorded_at)
    match data:
        case GraceEnded():
            values: dict[str, object] = {"erase_at": None}
        case ForgettingCompleted():
            values = {"completed_at": at, "receipt": data.model_dump_json()}
        case ForgettingTakenBack():
            values = {"completed_at": at, "erase_at": None, "memories": 0, "events": 0}
    return ChangedForgetting(recorded.scope, data.forget_id, values)
