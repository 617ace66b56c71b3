"""Has memories that mention little read by every provider that there is, and sends what was found to be recorded.

A run that is interrupted goes on with what has no finding in the log. Two at once find the same memories: the first counts.
"""

from services.maintenance.store import MaintenanceStore, Unread
from shared.contracts.commands import AttachEntities
from shared.contracts.ids import MessageId
from shared.contracts.learning import TokensSpent
from shared.runtime.chat_models.ledger import TokenLedger
from shared.runtime.connection import Client
from shared.runtime.eventlog.read import read_at
from shared.runtime.ner.port import Strategy
from shared.runtime.ner.recogniser import Recogniser
from shared.runtime.sending import send_work
from shared.runtime.tasks import in_thread


class EntityNaming:
    """The reader of memories. Tokens are counted and bounded by the ledger."""

    def __init__(self, client: Client, store: MaintenanceStore, recogniser: Recogniser, ledger: TokenLedger) -> None:
        self._client = client
        self._store = store
        self._recogniser = recogniser
        self._ledger = ledger

    @property
    def is_accurate(self) -> bool:
        """True if a provider is there that finds more than patterns do."""
        return self._recogniser.is_accurate

    async def due(self, limit: int) -> list[Unread]:
        """The memories to read next."""
        return await in_thread(self._store.unread, limit)

    async def read(self, memory: Unread) -> int | None:
        """Have a memory read; how many entities it mentions, None if it is forgotten. Raises Unavailable and Misconfigured."""
        [event] = await read_at(self._client, [memory.position])
        if event is None:
            return None
        meter = self._ledger.meter(memory.scope)
        found = await self._recogniser.find("\n".join(event.data.words), Strategy.ACCURATE, meter)
        command = AttachEntities(
            message_id=MessageId(f"{memory.memory_id}/{found.method}"),
            memory_id=memory.memory_id,
            method=found.method,
            entities=found.entities,
            metadata_confidence=found.confidence,
            tokens=TokensSpent(**meter.used._asdict()) if meter.used.total else None,
        )
        await send_work(self._client, event, command)
        return len(found.entities)
