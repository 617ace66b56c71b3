"""Asks every service for its numbers, now and then, for the operator's page."""

import asyncio
from collections.abc import Mapping
from contextlib import suppress

from pydantic_core import from_json

from services.gateway.reports import OperatorReports
from services.gateway.samples import Gathered, Ring
from shared.contracts.errors import MemstreamError
from shared.runtime.clock import Clock
from shared.runtime.measured import PROCESS, Measured, measured
from shared.runtime.tasks import in_thread

SERVICES = ("ingest", "retriever", "maintenance", "consolidator", "feed")


class Sampler:
    """Fills the ring. `answering` are the services that answered the last time."""

    def __init__(self, reports: OperatorReports, clock: Clock, *, every_s: float) -> None:
        self._reports = reports
        self._clock = clock
        self._every_s = every_s
        self.ring = Ring()
        self.answering: frozenset[str] = frozenset()

    async def run(self) -> None:
        """Sample for ever."""
        while True:
            await self.sample()
            await asyncio.sleep(self._every_s)

    async def sample(self) -> None:
        """Take one sample. A service that does not answer is missing in it."""
        told = dict(zip(SERVICES, await asyncio.gather(*map(self._of, SERVICES)), strict=True))
        self.answering = frozenset(service for service, processes in told.items() if processes)
        processes = {name: values for each in told.values() for name, values in each.items()}
        self.ring.add(Gathered(self._clock.now(), {**processes, PROCESS: await in_thread(measured)}))

    async def _of(self, service: str) -> Mapping[str, Measured]:
        with suppress(MemstreamError):
            answer = from_json(await self._reports.ask(f"admin.{service}.measured", {}))
            return {each["process"]: each["samples"] for each in answer["processes"]}
        return {}
