"""An installation that lives through weeks within seconds: all services in this process, on a clock that is moved by hand.

    async with living(tmp_path / "life", start=datetime(2026, 1, 5, 8, 0, tzinfo=UTC)) as life:
        await life.bot.said("anna", "I am vegetarian")       # tests.support.installations.Bot, space "home"
        await life.at_rest()                                 # learned, embedded, recorded, read by everybody
        await life.nights.to(life.clock.now() + timedelta(days=30))  # every job at each of its times, in order
        await life.nights.past(days=365)                     # as after a year without power: each job that was missed, once
        run = await life.nights.run("decay")                 # by hand, now: a FinishJob with `ended` and `counts`
        await life.restarted()                               # all services end and begin anew, on the same clock
        life.maintenance, life.consolidator, life.ingest, life.retriever        # the services
        events = await life.events("anna")                   # what the log holds of a person

Settings come from the environment, so a test sets them by `environment`: `{"MEMSTREAM_MAINTENANCE_SCHEDULES": "decay=off"}`.
The clock goes on as time does; with `is_still` it stands between moves. Jobs run by `nights` only: the server's own schedules
follow the real time, and are off here. What waits in real time is made short: sessions are swept every 0.1 s.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Collection, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from nats.aio.client import Client

from services.consolidator import app as consolidator
from services.consolidator.app import Consolidator
from services.consolidator.app import build as build_consolidator
from services.ingest import drain
from services.ingest.app import Ingest
from services.ingest.app import build as build_ingest
from services.maintenance.app import Maintenance
from services.maintenance.app import build as build_maintenance
from services.retriever.app import Retriever
from services.retriever.app import build as build_retriever
from shared.contracts.envelope import Envelope
from shared.contracts.ids import Space, User
from shared.contracts.jobs import FinishJob
from shared.domain.moments import microseconds
from shared.runtime.job_queue import DueJob
from tests.support.clocks import MovedClock, moved_clock
from tests.support.installations import PATIENCE_S, Bot, Installation, events_of, last_position, serving, until

START = datetime(2026, 1, 5, 8, 0, tzinfo=UTC)
"""A Monday morning."""

_QUICK = {
    "MEMSTREAM_EMBEDDER_KIND": "hashing",
    "MEMSTREAM_MAINTENANCE_SWEEP_EVERY_S": "0.1",
    "MEMSTREAM_MAINTENANCE_BATCH_AGE_S": "0",
    "MEMSTREAM_MAINTENANCE_CLOCK": "off",
}
_ROUND_S = 0.01
_QUIET_ROUNDS = 1


@dataclass
class Life:
    """Services in this process and what a test does with them."""

    installation: Installation
    clock: MovedClock
    bot: Bot
    operator: Client
    _stack: AsyncExitStack = field(repr=False)
    services: tuple[Ingest, Retriever, Consolidator, Maintenance] = field(repr=False, init=False)

    @property
    def ingest(self) -> Ingest:
        return self.services[0]

    @property
    def retriever(self) -> Retriever:
        return self.services[1]

    @property
    def consolidator(self) -> Consolidator:
        return self.services[2]

    @property
    def maintenance(self) -> Maintenance:
        return self.services[3]

    @property
    def nights(self) -> Nights:
        return Nights(self)

    async def begin(self) -> None:
        settings = self.installation.settings
        self.services = (
            build_ingest(settings),
            build_retriever(settings),
            build_consolidator(settings),
            build_maintenance(settings),
        )
        await self._stack.enter_async_context(serving(*self.services))

    async def end(self) -> None:
        await self._stack.aclose()

    async def restarted(self) -> None:
        """End all services in order, and begin anew."""
        await self.end()
        await self.begin()

    async def admin(self, subject: str, request: object = None) -> dict[str, Any]:
        """What a service answers to the operator."""
        payload = b"" if request is None else json.dumps(request).encode()
        answer: dict[str, Any] = json.loads((await self.operator.request(subject, payload, timeout=PATIENCE_S)).data)
        return answer

    async def events(self, user: str, space: str | None = None) -> list[Envelope]:
        """Everything that the log holds of a person."""
        scope = self.installation.keys.scope_of(Space(space or self.bot.space), User(user))
        return await events_of(self.operator, scope, user)

    async def at_rest(self) -> None:
        """Wait until nothing is in transit, to be learned, embedded, recorded, erased, rebuilt or unread."""
        quiet, end = 0, -1
        async with asyncio.timeout(PATIENCE_S):
            while quiet < _QUIET_ROUNDS:
                waiting = await self._waiting()
                before, end = end, await last_position(self.operator)
                waiting += (
                    end - self.retriever._projection._position
                )  # not by a question: what nobody waits for gives way to it
                waiting += end - self.maintenance.store.position
                waiting += end - self.consolidator.store.position
                quiet = quiet + 1 if before == end and not waiting else 0
                await asyncio.sleep(_ROUND_S)

    async def _waiting(self) -> int:
        retriever = await self.admin("admin.retriever.status")
        waiting = int(retriever["to_record"]) + int(bool(retriever["to_replay"]))
        waiting += (await self.operator.jetstream().stream_info("SEND")).state.messages
        waiting += int((await self.admin("admin.maintenance.status"))["backlog"])
        waiting += int((await self.admin("admin.consolidator.status"))["pending"])
        return waiting + int(bool((await self.admin("admin.ingest.status"))["erasing"]))


@dataclass
class Nights:
    """What maintenance does while the clock is moved. `only`: of these jobs alone."""

    life: Life

    async def to(self, moment: datetime, *, only: Collection[str] | None = None) -> list[FinishJob]:
        """Move the clock to a moment; on the way every job runs at each of its times, in order. How each run went."""
        runs = []
        await self.life.at_rest()
        for due in self.life.maintenance.timetable.due(after=self.life.clock.now(), until=moment):
            if only is None or due.job in only:
                self.life.clock.to(due.at)
                runs.append(await self._run(due.job))
        self.life.clock.to(moment)
        return runs

    async def through(self, *, only: Collection[str] | None = None, **span: float) -> list[FinishJob]:
        """Move the clock on: `through(days=7)`; see `to`."""
        return await self.to(self.life.clock.now() + timedelta(**span), only=only)

    async def past(self, *, only: Collection[str] | None = None, **span: float) -> list[FinishJob]:
        """Move the clock on at once, then run each job that was due meanwhile, once: as when no server ran."""
        began = self.life.clock.now()
        self.life.clock.to(began + timedelta(**span))
        due = self.life.maintenance.timetable.due(after=began, until=self.life.clock.now())
        last = sorted({each.job: each for each in due}.values())
        return [await self.run(each.job) for each in last if only is None or each.job in only]

    async def run(self, job: str) -> FinishJob:
        """Run a job now, when all is at rest, and wait until all is at rest again."""
        await self.life.at_rest()
        return await self._run(job)

    async def _run(self, job: str) -> FinishJob:
        now = self.life.clock.now()
        run = f"{job}/{microseconds(now)}"
        finished = await self.life.maintenance.desk.runner.run(DueJob(job, run, now, "schedule"))
        await until(lambda: bool(self.life.maintenance.store.job_runs(limit=1, run=run)), what=f"{run} is told of")
        await self.life.at_rest()
        return finished


@asynccontextmanager
async def living(
    root: Path,
    *,
    start: datetime = START,
    space: str = "home",
    environment: Mapping[str, str] | None = None,
    is_still: bool = False,
    is_there: bool = False,
) -> AsyncIterator[Life]:
    """All services in this process, on a clock that begins at `start`. `is_there`: the installation was made before."""
    with pytest.MonkeyPatch.context() as patched, moved_clock(start, is_still=is_still) as clock:
        patched.setattr(consolidator, "_LINGER_S", 0.0)
        patched.setattr(drain, "_PERIOD_S", _ROUND_S)
        for name, value in {**_QUICK, **(environment or {})}.items():
            patched.setenv(name, value)
        installation = await (Installation.opened(root) if is_there else Installation.create(root))
        try:
            async with installation.connected("bot") as bot, installation.connected("operator") as operator:
                life = Life(installation, clock, Bot(bot, Space(space)), operator, AsyncExitStack())
                await life.begin()
                try:
                    yield life
                finally:
                    await life.end()
        finally:
            await installation.server.stop()
