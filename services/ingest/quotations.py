"""Makes the passages by which a turn that quotes a memory is recognised. ingest keeps no words: it reads them in the log."""

from collections import OrderedDict
from collections.abc import Collection, Iterator, Mapping

from services.ingest.domain.echoes import passages_of
from services.ingest.store import Store
from shared.contracts.envelope import Envelope
from shared.contracts.ids import MemoryId, Scope
from shared.domain.digests import Digester
from shared.runtime.connection import Client
from shared.runtime.eventlog.read import read_at
from shared.runtime.tasks import in_thread
from shared.text.shingles import Shingler

_MOST_BYTES = 4_194_304
"""Of passages that are kept for the next turn: those of some 10,000 memories."""


class Quotations:
    """The passages of memories, as keyed hashes. Those that were needed last are kept in memory."""

    def __init__(self, client: Client, store: Store, digester: Digester) -> None:
        self._client = client
        self._store = store
        self._digester = digester
        self._made: OrderedDict[tuple[Scope, MemoryId], bytes] = OrderedDict()
        self._bytes = 0

    async def of(self, scope: Scope, memory_ids: Collection[MemoryId]) -> dict[MemoryId, bytes]:
        """The passages of these memories of a person, 8 bytes each; none of what the log does not hold. Raises Unavailable."""
        found = dict(self._kept(scope, memory_ids))
        positions = self._store.positions_of(scope, [each for each in memory_ids if each not in found])
        if positions:
            events = await read_at(self._client, list(positions.values()))
            told = {each: event for each, event in zip(positions, events, strict=True) if event is not None}
            made = await in_thread(_passages, told, Shingler(self._digester, scope))
            self._keep(scope, made)
            found |= made
        return found

    def _kept(self, scope: Scope, memory_ids: Collection[MemoryId]) -> Iterator[tuple[MemoryId, bytes]]:
        for memory_id in memory_ids:
            if (made := self._made.get((scope, memory_id))) is not None:
                self._made.move_to_end((scope, memory_id))
                yield memory_id, made

    def _keep(self, scope: Scope, made: Mapping[MemoryId, bytes]) -> None:
        for memory_id, passages in made.items():
            self._made[scope, memory_id] = passages
            self._bytes += len(passages)
        while self._bytes > _MOST_BYTES:
            _, dropped = self._made.popitem(last=False)
            self._bytes -= len(dropped)


def _passages(told: Mapping[MemoryId, Envelope], shingler: Shingler) -> dict[MemoryId, bytes]:
    return {memory_id: passages_of(event.data.words, shingler) for memory_id, event in told.items()}
