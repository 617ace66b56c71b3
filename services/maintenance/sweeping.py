"""Completes sessions in which nothing was said for a while.

Which sessions are silent follows from the log and the clock. ingest decides whether they still are: a sweep names the last turn
that was seen, and completes nothing in which somebody has spoken since. However many replicas send it, and however often, it
counts once.
"""

import asyncio
from datetime import timedelta
from typing import Literal

from services.maintenance.settings import MaintenanceSettings
from services.maintenance.store import IdleSession, MaintenanceStore
from shared.contracts.commands import SweepSessions
from shared.contracts.errors import Unavailable
from shared.contracts.ids import MessageId, SessionId
from shared.domain.moments import microseconds, moment
from shared.runtime.clock import Clock
from shared.runtime.connection import Client
from shared.runtime.eventlog.read import read_at
from shared.runtime.logs import log
from shared.runtime.metrics import SESSIONS_SWEPT
from shared.runtime.sending import send_work
from shared.runtime.tasks import in_thread

_PAGE = 500

Reason = Literal["idle", "swept"]


class SessionSweeper:
    """Sweeps sessions, for ever by the settings, and on request."""

    def __init__(self, store: MaintenanceStore, clock: Clock, settings: MaintenanceSettings) -> None:
        self._store = store
        self._clock = clock
        self._settings = settings
        self._client: Client | None = None
        self._sent: dict[IdleSession, float] = {}  # the loop's time when its sweep was sent

    def open(self, client: Client) -> None:
        """Send sweeps on this connection from now on."""
        self._client = client

    async def run(self) -> None:
        """Sweep idle sessions, for ever."""
        while True:
            try:
                await self.sweep_idle()
            except Unavailable as error:
                log.warning("sweep.postponed", reason=error.message)
            await asyncio.sleep(self._settings.sweep_every_s)

    async def sweep_idle(self) -> int:
        """Send a sweep for each idle session; return their number. Raises Unavailable."""
        now = asyncio.get_running_loop().time()
        self._sent = {session: sent for session, sent in self._sent.items() if now - sent < self._settings.resend_s}
        idle = await in_thread(
            self._store.idle_sessions,
            now=microseconds(self._clock.now()),
            default_minutes=self._settings.session_idle_minutes or None,
            settle_minutes=self._settings.session_settle_minutes,
            limit=_PAGE + len(self._sent),
        )
        fresh = [session for session in idle if session not in self._sent]
        await self._send(fresh, reason="idle")
        self._sent |= dict.fromkeys(fresh, now)
        return len(fresh)

    async def sweep(self, idle: timedelta, *, limit: int | None = None) -> int:
        """Send a sweep for each open session without a turn recorded for `idle`, at most so many; return their number.

        Raises Unavailable.
        """
        before, after, swept = microseconds(self._clock.now() - idle), 0, 0
        while page := await in_thread(self._store.silent_sessions, before=before, after=after, limit=_page(limit, swept)):
            await self._send(page, reason="swept")
            after, swept = page[-1].position, swept + len(page)
        return swept

    async def _send(self, sessions: list[IdleSession], *, reason: Reason) -> None:
        if self._client is None:
            raise Unavailable("maintenance is starting; ask again")
        events = await read_at(self._client, [session.position for session in sessions])
        for session, event in zip(sessions, events, strict=True):
            if event is not None:  # else it was forgotten since
                await send_work(self._client, event, sweep_of(session, event.data.sessions, reason))
                SESSIONS_SWEPT.labels(reason).inc()


def _page(limit: int | None, swept: int) -> int:
    return _PAGE if limit is None else max(0, min(_PAGE, limit - swept))


def sweep_of(session: IdleSession, session_ids: tuple[SessionId, ...], reason: Reason) -> SweepSessions:
    """The command that completes a session unless something was said after its last turn that was seen, which has its id."""
    return SweepSessions(
        message_id=MessageId(f"{reason}/{session.number}"),
        before=moment(session.recorded_at + 1),
        reason=reason,
        session_ids=session_ids,
    )
