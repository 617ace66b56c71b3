"""Appends what was decided, and traces it."""

from collections.abc import Mapping, Sequence

from services.ingest.command_group import EventToAppend, new_events
from services.ingest.domain.state import ScopeState
from shared.contracts.errors import VersionConflict
from shared.contracts.ids import Position, Scope
from shared.runtime.connection import Client
from shared.runtime.erasing import erase_unreadable
from shared.runtime.eventlog.append import append
from shared.runtime.person_keys import keys_of
from shared.runtime.tracing import is_tracing, moment_ns, note


async def append_batch(client: Client, batch: Sequence[EventToAppend], states: Mapping[Scope, ScopeState]) -> list[Position]:
    """Append a batch, all or nothing; `states` are those that it was decided on. Raises as `append`."""
    began_ns = moment_ns()
    try:
        positions = await append(client, list(new_events(batch, states)))
    except VersionConflict:
        if keys_of(client).is_used:  # what nobody can read stands in the way of whoever begins anew
            for scope, slot in {sent.scope: sent.slot for sent, _, _ in batch}.items():
                await erase_unreadable(client, scope, slot=slot, after=states[scope].position)
        raise
    if is_tracing():
        for sent, event, is_last in batch:
            if is_last:
                note(f"append {event.type}", sent.delivery.headers, began_ns=began_ns, verdict="recorded")
    return positions
