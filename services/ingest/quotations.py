"""Makes the passages by which a turn that quotes a memory is recognised. ingest keeps no words: it reads them in the log."""

from collections import OrderedDict
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import NamedTuple

from services.ingest.domain.echoes import passages_of
from services.ingest.said_words import WordHashes, hashes_of
from services.ingest.store import Store
from shared.contracts.envelope import Envelope
from shared.contracts.ids import MemoryId, Scope
from shared.domain.digests import Digester
from shared.language.text.shingles import Shingler
from shared.runtime.connection import Client
from shared.runtime.eventlog.read import read_at
from shared.runtime.tasks import in_thread

_MOST_BYTES = 4_194_304
"""Of passages that are kept for the next turn: those of some 10,000 memories."""


_WORD_BYTES = 8


class _Made(NamedTuple):
    """What is kept of a memory."""

    passages: bytes
    words: WordHashes

    @property
    def size(self) -> int:
        return len(self.passages) + _WORD_BYTES * len(self.words)


class Quotations:
    """The passages of memories, as keyed hashes. Those that were needed last are kept in memory."""

    def __init__(self, client: Client, store: Store, digester: Digester) -> None:
        self._client = client
        self._store = store
        self._digester = digester
        self._made: OrderedDict[tuple[Scope, MemoryId], _Made] = OrderedDict()
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
            found |= {memory_id: each.passages for memory_id, each in made.items()}
        return found

    def words_of(self, scope: Scope, memory_ids: Iterable[MemoryId]) -> Iterator[WordHashes]:
        """The words of these memories, as far as they were needed lately."""
        for memory_id in memory_ids:
            if (made := self._made.get((scope, memory_id))) is not None:
                yield made.words

    def _kept(self, scope: Scope, memory_ids: Collection[MemoryId]) -> Iterator[tuple[MemoryId, bytes]]:
        for memory_id in memory_ids:
            if (made := self._made.get((scope, memory_id))) is not None:
                self._made.move_to_end((scope, memory_id))
                yield memory_id, made.passages

    def _keep(self, scope: Scope, made: Mapping[MemoryId, _Made]) -> None:
        for memory_id, each in made.items():
            self._made[scope, memory_id] = each
            self._bytes += each.size
        while self._bytes > _MOST_BYTES:
            _, dropped = self._made.popitem(last=False)
            self._bytes -= dropped.size


def _passages(told: Mapping[MemoryId, Envelope], shingler: Shingler) -> dict[MemoryId, _Made]:
    return {
        memory_id: _Made(passages_of(event.data.words, shingler), hashes_of(" ".join(event.data.words)))
        for memory_id, event in told.items()
    }
