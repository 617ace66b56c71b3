"""Learns from pending sessions: reads their turns from the log, extracts facts page by page, sends them to be recorded.

A run is named after the completion that it answers to, and reads the turns since the completion before. However often it is
sent, ingest records each of its pages once, the first; so a crash at any point repeats nothing and loses nothing.
"""

import asyncio
from collections.abc import Sequence

from services.consolidator.domain.evidence import marked, said
from services.consolidator.domain.extraction import FactExtractor
from services.consolidator.settings import ConsolidatorSettings
from services.consolidator.store import ConsolidatorStore, PendingCompletion
from shared.contracts.commands import FailConsolidation, SaveFacts
from shared.contracts.envelope import Envelope
from shared.contracts.errors import MemstreamError, Misconfigured, Unavailable
from shared.contracts.ids import MessageId, Position
from shared.runtime.connection import Client
from shared.runtime.eventlog.read import read_at
from shared.runtime.logs import log
from shared.runtime.metrics import CONSOLIDATIONS, SESSIONS_PENDING
from shared.runtime.retries import Backoff, pause_after
from shared.runtime.sending import send_work
from shared.runtime.tasks import in_thread
from shared.runtime.worklist import keep_working

_IDLE_S = 1.0


class ConsolidationJob:
    """Works through the pending sessions, one at a time."""

    def __init__(
        self,
        client: Client,
        store: ConsolidatorStore,
        extractor: FactExtractor,
        settings: ConsolidatorSettings,
        backoff: Backoff,
    ) -> None:
        self._client = client
        self._store = store
        self._extractor = extractor
        self._settings = settings
        self._backoff = backoff
        self._not_before: dict[Position, float] = {}  # of a completion, to the loop's time

    async def run(self) -> None:
        """Consolidate for ever."""
        await keep_working(self._store, self._work, look_again_s=_IDLE_S)

    async def _work(self) -> bool:
        """Consolidate the sessions that are due now, one after the other."""
        pending = await in_thread(self._store.pending)
        SESSIONS_PENDING.set(len(pending))
        waiting = {session.position for session in pending}
        self._not_before = {position: due for position, due in self._not_before.items() if position in waiting}
        for session in pending:
            if self._is_due(session):
                await self._consolidate(session)
        return False

    def _is_due(self, session: PendingCompletion) -> bool:
        return asyncio.get_running_loop().time() >= self._not_before.get(session.position, 0.0)

    def _postpone(self, session: PendingCompletion, seconds: float) -> None:
        self._not_before[session.position] = asyncio.get_running_loop().time() + seconds

    async def _consolidate(self, session: PendingCompletion) -> None:
        try:
            await self._learn(session)
        except Misconfigured as error:
            CONSOLIDATIONS.labels("failed").inc()
            await self._wait(error)
        except Unavailable as error:
            CONSOLIDATIONS.labels("failed").inc()
            self._backoff.failed(error)
            await self._failed(session, error)
        else:
            self._backoff.succeeded()
            CONSOLIDATIONS.labels("sent").inc()
            self._postpone(session, self._settings.resend_s)  # until then its events will have come

    async def _learn(self, session: PendingCompletion) -> None:
        """Extract and send every page of a session; the last one also says that the session is consolidated."""
        completion = await self._completion(session)
        turns = await in_thread(self._store.turns, session)
        size = self._settings.page
        pages = [turns[start : start + size] for start in range(0, len(turns), size)] or [[]]
        saved = 0
        for number, page in enumerate(pages):
            events = await self._read([position for _, position in page])
            facts = tuple(await self._extractor.extract(said(events)))
            command = SaveFacts(
                message_id=MessageId(f"{completion.event_id}/{number}"),
                session_id=session.session_id,
                page=number,
                is_last=number == len(pages) - 1,
                through_number=session.completed,
                saved_before=saved,
                origin=marked(self._extractor.origin(completion.event_id), events),
                facts=facts,
            )
            await send_work(self._client, completion, command)
            saved += len(facts)
        log.info("session.learned", scope=session.scope, pages=len(pages), facts=saved)

    async def _wait(self, error: Misconfigured) -> None:
        """Pause after an error of the set-up: every session would fail, so none counts as failed, and nothing is recorded."""
        pause_s = self._backoff.failed(error)
        failures = self._backoff.failures
        log.error("consolidation.waits", code=error.code, reason=error.message, failures=failures, pause_s=pause_s)
        await asyncio.sleep(pause_s)

    async def _failed(self, session: PendingCompletion, error: MemstreamError) -> None:
        attempt = session.attempts + 1
        pause_s = pause_after(session.attempts, first_s=self._settings.retry_s, longest_s=self._settings.longest_retry_s)
        self._postpone(session, pause_s)
        log.warning("consolidation.postponed", scope=session.scope, attempt=attempt, code=error.code, pause_s=pause_s)
        try:
            completion = await self._completion(session)
            failed = FailConsolidation(
                message_id=MessageId(f"{completion.event_id}/failed/{attempt}"),
                session_id=session.session_id,
                through_number=session.completed,
                attempt=attempt,
                code=error.code,
            )
            await send_work(self._client, completion, failed)
        except Unavailable:
            log.warning("consolidation.failure_unrecorded", scope=session.scope)

    async def _completion(self, session: PendingCompletion) -> Envelope:
        """The event that completed the session: it names the person, and the id of the run is derived from its id."""
        [event] = await read_at(self._client, [session.position])
        if event is None:
            raise Unavailable("the session's completion is not in the log any more")
        return event

    async def _read(self, positions: Sequence[int]) -> list[Envelope]:
        return [event for event in await read_at(self._client, positions) if event is not None]
