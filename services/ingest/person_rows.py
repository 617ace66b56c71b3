"""Rebuilds the rows of a person in ingest.db from the log, and holds up the messages of whoever cannot be rebuilt."""

import sys
from collections.abc import Mapping, Sequence
from types import MappingProxyType

from services.ingest.projection import IngestProjection
from services.ingest.rejected import OF_THE_LANE
from services.ingest.sent_message import SentMessage
from services.ingest.store import Store
from shared.contracts.ids import Position, Scope, Slot
from shared.runtime.connection import Client
from shared.runtime.eventlog.append import MAX_BATCH
from shared.runtime.logs import log
from shared.runtime.projector import Recorded, read_scope, without_taken_back
from shared.runtime.tasks import note_failure


class PersonRows:
    """The rows of the people of a lane.

    A person is held when the log has an event of theirs that this memstream cannot apply: nothing may be decided without it.
    Their messages stay in SEND, and every start tries again, as after an upgrade.
    """

    def __init__(self, client: Client, store: Store, projection: IngestProjection, slots: Sequence[Slot]) -> None:
        self._client = client
        self._store = store
        self._projection = projection
        self._slots = slots
        self._held: dict[Scope, int] = {}  # with the sequence of the first message that waits

    @property
    def first_held(self) -> int | None:
        """The sequence of the first message that waits for the next start; None if none does."""
        return min((first for first in self._held.values() if first < sys.maxsize), default=None)

    def without_held(self, group: Sequence[SentMessage]) -> list[SentMessage]:
        """Return the messages that may be decided, and note those that wait."""
        for sent in group:
            if sent.scope in self._held:
                self._held[sent.scope] = min(self._held[sent.scope], sent.delivery.sequence)
        return [sent for sent in group if sent.scope not in self._held]

    async def rebuild(self, known: Mapping[Scope, Sequence[Recorded]] = MappingProxyType({})) -> None:
        """Rebuild the rows of scopes of which something was erased or taken back, from what is left in the log.

        One of which only more is to be erased waits. `known`: events of a scope, perhaps without the latest.
        """
        for scope, slot in self._store.scopes_to_rebuild_in(self._slots):
            if scope in self._held or (self._store.is_to_erase(scope) and not self._store.has_grown(scope)):
                continue
            try:
                await self._rebuild_one(scope, slot, known.get(scope, ()))
            except OF_THE_LANE:
                raise
            except Exception as error:  # noqa: BLE001 - whatever it is, the others go on
                note_failure(error, what="scope_rebuild", scope=scope)
                self._held[scope] = sys.maxsize

    async def _rebuild_one(self, scope: Scope, slot: Slot, known: Sequence[Recorded]) -> None:
        self._store.wipe(scope)
        events = [*known, *await read_scope(self._client, scope, slot=slot, after=known[-1].position if known else 0)]
        events = without_taken_back(events)
        for start in range(0, len(events), MAX_BATCH):
            self._projection.apply(events[start : start + MAX_BATCH], Position(0), is_rebuild=True)
        self._store.scope_rebuilt(scope)
        log.info("scope.rebuilt", scope=scope, events=len(events))
