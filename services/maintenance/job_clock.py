"""The clock of the jobs: the server's schedules, and maintenance's own timer for what the server does not follow."""

import asyncio
from collections.abc import Collection
from datetime import datetime
from typing import Literal

from services.maintenance.domain.timetable import Timetable
from services.maintenance.store import MaintenanceStore
from shared.contracts.errors import NotInitialised, Unavailable
from shared.domain.moments import moment
from shared.runtime.clock import Clock
from shared.runtime.connection import Client
from shared.runtime.job_queue import Schedules, tell_due
from shared.runtime.logs import log

_LOOK_S = 5.0


class JobClock:
    """Has each job told of when its time comes.

    maintenance's own timer goes by the last run that the log tells of: a time that passed while nothing ran is made up for,
    once. A job that never ran is due at its next time. Of several replicas each tells of a job, which counts once.
    """

    def __init__(
        self, client: Client, store: MaintenanceStore, timetable: Timetable, clock: Clock, *, may_use_server: bool
    ) -> None:
        self._client = client
        self._store = store
        self._timetable = timetable
        self._clock = clock
        self._may_use_server = may_use_server
        self._began = clock.now()
        self._told: dict[str, datetime] = {}
        self.followed: Collection[str] | None = None
        """The jobs whose schedules the server follows; None: not known yet."""

    async def run(self) -> None:
        """Tell of what is due, for ever."""
        while True:
            try:
                if self.followed is None:
                    self.followed = await self.place()
                await self.tell_due()
            except (Unavailable, NotInitialised) as error:
                log.info("schedules.postponed", reason=error.message)
            await asyncio.sleep(_LOOK_S)

    def is_placed(self) -> bool:
        """True once it is known which schedules the server follows."""
        return self.followed is not None

    def teller(self, job: str) -> Literal["server", "maintenance"] | None:
        """Who tells of a job when it is due; None: nobody, or it is not known yet."""
        if self.followed is None or job not in self._timetable.crons:
            return None
        return "server" if job in self.followed else "maintenance"

    async def place(self) -> Collection[str]:
        """Have the server follow the schedules, if it can and may; return the jobs of which it will tell."""
        schedules = Schedules(self._client)
        can = await schedules.can_be_followed()
        followed = await schedules.place(
            self._timetable.crons if can and self._may_use_server else {}, self._timetable.time_zone
        )
        log.info("schedules.placed", by_server=sorted(followed), by_own=sorted(self._timetable.crons.keys() - followed))
        return followed

    async def tell_due(self) -> None:
        """Tell of the jobs whose time has come since their last run, of those that the server does not follow."""
        last, now = self._store.last_job_runs(), self._clock.now()
        for job in self._timetable.crons.keys() - set(self.followed or ()):
            since = moment(last[job].due_at) if job in last else self._began
            since = max(since, self._told.get(job, since))
            if due_at := self._timetable.last(job, after=since, until=now):
                await tell_due(self._client, job, due_at)
                self._told[job] = due_at
