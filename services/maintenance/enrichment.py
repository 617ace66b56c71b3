"""Proposes topics for facts that have few, from those of their nearest neighbours, and sends them to be recorded."""

import asyncio
from collections.abc import Sequence

from services.maintenance.domain.proposals import METHOD, NEAREST, Proposal, proposal
from services.maintenance.settings import MaintenanceSettings
from services.maintenance.store import MaintenanceStore, Sparse
from shared.contracts.commands import AttachEntities
from shared.contracts.envelope import Envelope
from shared.contracts.errors import ENDING, NotFound, Unavailable
from shared.contracts.ids import MessageId, Space, User
from shared.contracts.parts import Kind
from shared.contracts.queries import SimilarAnswer, SimilarMemory, SimilarQuery
from shared.contracts.subjects import ask_subject
from shared.runtime.asking import PATIENT_S, ask
from shared.runtime.connection import Client
from shared.runtime.eventlog.read import read_at
from shared.runtime.logs import log
from shared.runtime.sending import send_work
from shared.runtime.tasks import in_thread, note_failure

_BATCH = 16
_REST = 3.0
"""Pause after a batch, as a multiple of the time that it took: whoever waits for an answer comes first.

After an import of many facts the job runs for minutes. Without pauses, questions of others took twice as long.
"""


class EnrichmentJob:
    """Looks at each fact with few topics once, and again when its scope has twice as many facts."""

    def __init__(self, client: Client, store: MaintenanceStore, model: str, settings: MaintenanceSettings) -> None:
        self._client = client
        self._store = store
        self._model = model
        self._settings = settings

    async def run(self) -> None:
        """Enrich for ever."""
        clock, due = asyncio.get_running_loop().time, self._store.due
        while True:
            began, seen = clock(), due.news.count
            try:
                if await self.next_batch():
                    await asyncio.sleep(_REST * (clock() - began))
                    continue
                await due.news.beyond(seen)
            except Unavailable as error:
                log.warning("enrichment.postponed", reason=error.message)
            await asyncio.sleep(self._settings.enrich_every_s)

    async def next_batch(self, limit: int = _BATCH) -> int:
        """Look at the next facts, at most so many; return how many. Raises Unavailable."""
        scopes, is_done = self._store.due.take(), False
        try:
            facts = await in_thread(self._store.sparse, self._model, min(limit, _BATCH), scopes)
            events = await read_at(self._client, [fact.position for fact in facts])
            for fact, event in zip(facts, events, strict=True):
                try:
                    await self._enrich(fact, event)
                except (*ENDING, Unavailable):
                    raise
                except Exception as error:  # noqa: BLE001 - one fact must not keep all others from being enriched
                    note_failure(error, what="enrichment", memory_id=fact.memory_id)
                    await in_thread(self._store.looked_at, fact)
            is_done = not facts
        finally:
            if not is_done:  # they may have more
                self._store.due.note(scopes)
        return len(facts)

    async def _enrich(self, fact: Sparse, event: Envelope | None) -> None:
        """Ask the neighbours of a fact, send what they propose, then remember that they were asked.

        A crash between the two sends it again, with the same message_id.
        """
        found = None if event is None else proposal(await self._neighbours(fact, event))
        if event is not None and found is not None:
            await send_work(self._client, event, _command(fact, found))
        await in_thread(self._store.looked_at, fact)

    async def _neighbours(self, fact: Sparse, event: Envelope) -> Sequence[SimilarMemory]:
        """The facts most similar to a fact. The retriever must have applied as much of the log as the worklist."""
        query = SimilarQuery(
            memory_id=fact.memory_id,
            kinds=(Kind.FACT,),
            limit=NEAREST,
            min_position=self._store.checkpoint().position,
            timeout_s=PATIENT_S,
        )
        try:
            answer = await ask(self._client, ask_subject(Space(event.space), User(event.user), query.query_name), query)
        except NotFound:  # its memory ended in a way that this list does not know
            return ()
        return SimilarAnswer.model_validate(answer).items


def _command(fact: Sparse, found: Proposal) -> AttachEntities:
    return AttachEntities(
        message_id=MessageId(f"{fact.memory_id}/{METHOD}"),
        memory_id=fact.memory_id,
        method=METHOD,
        tags=found.tags,
        metadata_confidence=found.confidence,
    )
