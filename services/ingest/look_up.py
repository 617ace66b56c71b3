"""Looks up what rules need to know of people: in ingest.db, and where they need words, in the log."""

from collections.abc import Mapping
from dataclasses import replace

from services.ingest.domain.lacks import Aspect, Needs
from services.ingest.domain.recollection import recollect
from services.ingest.domain.state import ScopeState
from services.ingest.quotations import Quotations
from services.ingest.store import Store
from shared.contracts.ids import Scope, Slot
from shared.runtime.background import BACKGROUND
from shared.runtime.connection import Client
from shared.runtime.eventlog.read import read_at
from shared.runtime.projector import read_scope


class LookUp:
    """Looks up states of scopes. Text is read from the log for one decision, and kept nowhere."""

    def __init__(self, client: Client, store: Store, quotations: Quotations) -> None:
        self._client = client
        self._store = store
        self._quotations = quotations

    async def __call__(self, needs: Mapping[Scope, Needs], slots: Mapping[Scope, Slot]) -> dict[Scope, ScopeState]:
        """Return the states of these scopes with what is needed of each. Raises Unavailable or Poison."""
        states = await self._with_open_sessions(needs)
        for scope, need in needs.items():
            if Aspect.WORDS in need.aspects:
                events = await read_scope(self._client, scope, slot=slots[scope])
                known = states[scope].position
                words = await BACKGROUND.run(recollect, [each.event for each in events if each.position <= known])
                states[scope] = replace(states[scope], recollection=words)
            if need.passages:
                states[scope] = replace(states[scope], passages=await self._quotations.of(scope, need.passages))
        return states

    async def _with_open_sessions(self, needs: Mapping[Scope, Needs]) -> dict[Scope, ScopeState]:
        """Load these scopes. After a start the log must say which sessions are open: ingest.db has only hashes of their ids."""
        states = self._store.load(needs)
        if unnamed := [position for state in states.values() for position in state.unnamed]:
            events = await read_at(self._client, unnamed)
            self._store.learn_sessions(session for event in events if event for session in event.data.sessions)
            states = self._store.load(needs)
        return states
