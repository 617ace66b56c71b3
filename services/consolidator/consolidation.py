"""Learns from pending sessions: several at once, of each person one, and none of them for ever."""

import asyncio
from collections.abc import Callable

from services.consolidator.domain.attempts import counts
from services.consolidator.schedule import Schedule
from services.consolidator.session_run import SessionLearner
from services.consolidator.set_aside import is_set_aside
from services.consolidator.settings import ConsolidatorSettings
from services.consolidator.store import ConsolidatorStore, PendingCompletion, session_of
from shared.contracts.commands import FailConsolidation
from shared.contracts.errors import ENDING, MemstreamError, Misconfigured, Unavailable
from shared.contracts.ids import MessageId
from shared.runtime.chat_models.errors import BudgetSpent, EndpointBusy, EndpointUnreachable
from shared.runtime.chat_models.ledger import TokenLedger
from shared.runtime.connection import Client
from shared.runtime.import_watch import IMPORTS
from shared.runtime.logs import log
from shared.runtime.metrics import CONSOLIDATIONS, SESSIONS_PENDING, SESSIONS_SET_ASIDE
from shared.runtime.retries import Backoff, pause_after
from shared.runtime.sending import send_work
from shared.runtime.tasks import end, in_thread, note_failure
from shared.runtime.worklist import keep_working

_LOOK_AGAIN_S = 1.0
_LONGEST_REST_S = 3_600.0


class RunUnrecorded(Unavailable):
    """What a session taught was sent, and no event came of it; it is learned from again."""


class ConsolidationJob:
    """Works through the pending sessions."""

    def __init__(
        self,
        client: Client,
        store: ConsolidatorStore,
        learner: SessionLearner,
        schedule: Schedule,
        settings: ConsolidatorSettings,
        *,
        backoff: Backoff,
        ledger: TokenLedger,
        moment: Callable[[], float],
    ) -> None:
        self._client = client
        self._store = store
        self._learner = learner
        self._schedule = schedule
        self._settings = settings
        self._backoff = backoff
        self._ledger = ledger
        self._moment = moment
        self._tasks: set[asyncio.Task[None]] = set()

    async def run(self) -> None:
        """Consolidate for ever."""
        try:
            await keep_working(self._store, self._work)
        finally:
            await end(self._tasks)

    async def _work(self) -> float | None:
        """Begin with the sessions that are due now, as many as may be learned from at once; look again while some wait."""
        for task in [task for task in self._tasks if task.done()]:
            self._tasks.discard(task)
            task.result()  # raises what no session may fail by
        pending = await in_thread(self._store.pending)
        to_learn = [session for session in pending if not is_set_aside(session, self._settings.most_attempts)]
        SESSIONS_PENDING.set(len(to_learn))
        SESSIONS_SET_ASIDE.set(len(pending) - len(to_learn))
        self._schedule.update(to_learn)
        self._learner.forget_all_but(pending)
        self._begin()
        return _LOOK_AGAIN_S if to_learn else None

    def _begin(self) -> None:
        for session in self._schedule.start(self._moment(), imports_in_turn=IMPORTS.is_under_way):
            self._tasks.add(asyncio.create_task(self._consolidate(session)))

    async def _consolidate(self, session: PendingCompletion) -> None:
        """Learn from a session; then begin with what was waiting for it."""
        try:
            began = self._moment()
            await self._try(session)
            if session.imported:
                await IMPORTS.rest(self._moment() - began)
        finally:
            self._schedule.ended(session)
        self._begin()

    async def _learn(self, session: PendingCompletion) -> None:
        if self._schedule.was_sent(session):
            raise RunUnrecorded
        await self._learner.learn(session)

    async def _try(self, session: PendingCompletion) -> None:
        try:
            await self._learn(session)
        except BudgetSpent as error:
            self._rest(error)
        except Misconfigured as error:
            CONSOLIDATIONS.labels("failed").inc()
            self._rest(error)
        except ENDING:
            raise
        except Unavailable as error:
            CONSOLIDATIONS.labels("failed").inc()
            if isinstance(error, EndpointUnreachable | EndpointBusy):
                self._rest(error)
            else:
                self._backoff.failed(error)
            await self._failed(session, error)
        except Exception as error:  # noqa: BLE001 - whatever it is, the other sessions are learned from
            CONSOLIDATIONS.labels("failed").inc()
            note_failure(error, what="consolidation", scope=session.scope)
            await self._failed(session, error if isinstance(error, MemstreamError) else MemstreamError())
        else:
            if self._backoff.failures:
                self._schedule.answered()
            self._backoff.succeeded()
            CONSOLIDATIONS.labels("sent").inc()
            self._schedule.sent(session, self._moment() + self._settings.resend_s)  # until then its events will have come

    def _rest(self, error: MemstreamError) -> None:
        """Begin with nothing for a while: every session would fail. What failed while it rests already changes nothing."""
        if self._schedule.rests(self._moment()):
            return
        pause_s = _LONGEST_REST_S if isinstance(error, BudgetSpent) else self._backoff.failed(error)
        pause_s = min(pause_s, self._ledger.seconds_to_midnight())
        self._schedule.rest(self._moment() + pause_s, error.code)
        log.error(
            "consolidation.waits", code=error.code, reason=error.message, failures=self._backoff.failures, pause_s=pause_s
        )

    async def _failed(self, session: PendingCompletion, error: MemstreamError) -> None:
        attempt = session.attempts + 1
        pause_s = pause_after(session.failures, first_s=self._settings.retry_s, longest_s=self._settings.longest_retry_s)
        self._schedule.postpone(session, self._moment() + pause_s, in_order=not counts(error.code))
        log.warning("consolidation.postponed", scope=session.scope, attempt=attempt, code=error.code, pause_s=pause_s)
        try:
            completion = await self._learner.completion(session)
            failed = FailConsolidation(
                message_id=MessageId(f"{completion.event_id}/failed/{attempt}"),
                session_id=session_of(completion),
                through_number=session.completed,
                attempt=attempt,
                code=error.code,
                tokens=self._learner.spent_in_vain(session),
            )
            await send_work(self._client, completion, failed)
            self._schedule.failed(session, attempt, self._moment() + self._settings.resend_s)
        except Unavailable:
            log.warning("consolidation.failure_unrecorded", scope=session.scope)
