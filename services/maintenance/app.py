"""The composition root of maintenance."""

from __future__ import annotations

from faststream.nats import NatsBroker

from services.maintenance.embedding import EmbeddingJob
from services.maintenance.embedding_failures import EmbeddingFailures
from services.maintenance.enrichment import EnrichmentJob
from services.maintenance.handlers import make_router
from services.maintenance.settings import MaintenanceSettings
from services.maintenance.store import MaintenanceStore
from services.maintenance.sweeping import SessionSweeper
from shared.runtime.broker import make_broker
from shared.runtime.clock import SystemClock
from shared.runtime.embedders.factory import EmbedderSettings, make_embedder
from shared.runtime.keys import load_keys
from shared.runtime.logs import log
from shared.runtime.projector import Present, Projector
from shared.runtime.rebuilding import remove_leftovers
from shared.runtime.retries import retry_while_unavailable
from shared.runtime.settings import RuntimeSettings
from shared.runtime.tasks import run_until_one_ends
from shared.runtime.topology import check_streams
from shared.runtime.worklist import keep_scopes_rebuilt


class Maintenance:
    """The service: a projector that keeps the backlog, and the jobs that work it off."""

    name = "maintenance"

    def __init__(self, runtime: RuntimeSettings, settings: MaintenanceSettings, embedding: EmbedderSettings) -> None:
        self._settings = settings
        self._keys = load_keys(runtime.files.keys)
        remove_leftovers(runtime.files.maintenance)
        self._store = MaintenanceStore(runtime.files.maintenance)
        self._embedder = make_embedder(embedding)
        self._sweeper = SessionSweeper(self._store, SystemClock(), settings.sweeping)
        self._is_ready = False
        self._present = Present()
        self.broker: NatsBroker = make_broker(runtime, self.name, "What is done for memories in the background.")
        self._failures = EmbeddingFailures(first_s=settings.retry_s, longest_s=settings.longest_retry_s)
        self.broker.include_router(make_router(self._store, self._embedder, self._failures, self._sweeper, self._present))

    @property
    def is_ready(self) -> bool:
        """True when the log's end was reached once."""
        return self._is_ready

    async def run(self) -> None:
        """Follow the log and work until cancelled."""
        client = self.broker.connection
        await retry_while_unavailable(lambda: check_streams(client, self._keys))
        projector = Projector(client, self._store)
        try:
            await retry_while_unavailable(projector.catch_up)
            self._is_ready = True
            self._present.open(client, projector)
            self._sweeper.open(client)
            if self._embedder is None:
                log.warning("embedding.switched_off")
                followed = projector.run(linger_s=self._settings.batch_age_s)
                await run_until_one_ends(followed, self._sweeper.run(), keep_scopes_rebuilt(client, self._store))
                return
            job = EmbeddingJob(client, self._store, self._embedder, SystemClock(), self._settings, failures=self._failures)
            enrichment = EnrichmentJob(client, self._store, self._embedder.model.fingerprint, self._settings)
            jobs = (job.run(), enrichment.run(), self._sweeper.run(), keep_scopes_rebuilt(client, self._store))
            await run_until_one_ends(projector.run(job.changed, linger_s=self._settings.batch_age_s), *jobs)
        finally:
            self._store.close()
            if self._embedder is not None:
                await self._embedder.close()


def build(runtime: RuntimeSettings) -> Maintenance:
    """Maintenance with its settings from the environment."""
    return Maintenance(runtime, MaintenanceSettings(), EmbedderSettings())
