"""Compares the rows of a person in ingest.db with those that the log gives now."""

from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

from services.ingest.domain.lacks import Needs
from services.ingest.erasures import erasures_of
from services.ingest.projection import IngestProjection
from services.ingest.store import Store
from shared.contracts.ids import Position, Scope
from shared.domain.digests import Digester
from shared.runtime.comparing import CompareRequest, Comparison, compare, folder_within, is_settled
from shared.runtime.connection import Client
from shared.runtime.projector import Recorded, read_scope
from shared.runtime.tasks import in_thread
from shared.runtime.topology import SEND, identify_log

_FILE = "ingest/ingest.db"
_AT_ONCE = 1_000


async def require_sent(client: Client, store: Store) -> None:
    """Raises ProjectionDamaged where messages are noted as decided that were never sent: those to come would be left out."""
    decided = max((sequence for _, sequence in store.slots().values()), default=0)
    if decided > (await identify_log(client, SEND, at_least=decided)).last_position:
        raise store.damaged("it says of messages that are still to come that they are decided")


class StoreComparison:
    """Compares ingest.db; the rows of each person are made again in a folder of its own, which is deleted."""

    def __init__(self, client: Client, store: Store, digester: Digester, scratch: Path) -> None:
        self._client = client
        self._store = store
        self._digester = digester
        self._scratch = scratch

    async def of(self, request: CompareRequest, *, patience_s: float = 0.0) -> Comparison:
        """Compare the rows of these people. Raises ProjectionDamaged where somebody else changed what the log does not tell."""
        await in_thread(self._store.require_tallied)
        await require_sent(self._client, self._store)
        return await compare(request.scopes, self._differs, lambda _: _FILE, patience_s=patience_s)

    async def _differs(self, scope: Scope) -> bool | None:
        applied = self._store.slots()
        number, digest = await in_thread(self._now, scope)
        events = await read_scope(self._client, scope)
        if any(each.event.number > number and each.position <= applied.get(each.slot_of_scope, (0, 0))[0] for each in events):
            return True
        seen = [recorded for recorded in events if recorded.event.number <= number]
        if not seen or scope in self._store.scopes_to_rebuild() or not is_settled(events, number):
            return None
        return await in_thread(self._rebuilt, scope, seen) != digest

    def _now(self, scope: Scope) -> tuple[int, str]:
        return self._store.load({scope: Needs()})[scope].number, self._store.scope_digest(scope)

    def _rebuilt(self, scope: Scope, events: Sequence[Recorded]) -> str:
        with folder_within(self._scratch) as folder, closing(Store(folder, self._digester)) as store:
            projection = IngestProjection(store, self._digester, slots=[events[0].slot_of_scope], send_id="", live=False)
            for start in range(0, len(events), _AT_ONCE):
                projection.apply(events[start : start + _AT_ONCE], Position(0), is_rebuild=True)
            store.note_forgettings(erasures_of(events, asks_rebuild=False))
            return store.scope_digest(scope)
