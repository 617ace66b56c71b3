"""The composition root of maintenance."""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from services.maintenance.domain.summarising import SentenceChooser, Summariser
from services.maintenance.domain.timetable import Timetable
from services.maintenance.embedding import EmbeddingJob
from services.maintenance.embedding_failures import EmbeddingFailures
from services.maintenance.embedding_progress import EmbeddingProgress
from services.maintenance.enrichment import EnrichmentJob
from services.maintenance.handlers import make_router
from services.maintenance.job_clock import JobClock
from services.maintenance.job_desk import JobDesk
from services.maintenance.job_handlers import make_job_router
from services.maintenance.job_measures import JobMeasures
from services.maintenance.job_runner import JobRunner
from services.maintenance.job_work import JobWork
from services.maintenance.jobs.job import Limits
from services.maintenance.registry import JobParts, make_jobs
from services.maintenance.settings import MaintenanceSettings
from services.maintenance.store import MaintenanceStore
from services.maintenance.sweeping import SessionSweeper
from shared.runtime.background import BACKGROUND
from shared.runtime.background_service import BackgroundService
from shared.runtime.chat_models.ledger import TokenLedger
from shared.runtime.chat_models.settings import LlmSettings
from shared.runtime.clock import Clock, SystemClock
from shared.runtime.connection import Client
from shared.runtime.embedders.factory import EmbedderSettings, make_embedder
from shared.runtime.job_queue import JobQueue
from shared.runtime.logs import log
from shared.runtime.ner.factory import NerSettings, make_recogniser
from shared.runtime.ner.patterns import PatternFinder
from shared.runtime.ner.recogniser import Recogniser
from shared.runtime.settings import RuntimeSettings
from shared.runtime.tasks import Work

if TYPE_CHECKING:
    from shared.runtime.chat_models.chat_model import ChatModel


class Maintenance(BackgroundService[MaintenanceStore]):
    """The service: follows which memories, facts and sessions need work, and does it."""

    name = "maintenance"
    description = "What is done for memories in the background."

    def __init__(
        self,
        runtime: RuntimeSettings,
        settings: MaintenanceSettings,
        embedding: EmbedderSettings,
        clock: Clock | None = None,
        llm: LlmSettings | None = None,
        *,
        recogniser: Recogniser | None = None,
    ) -> None:
        super().__init__(runtime, MaintenanceStore, linger_s=settings.batch_age_s)
        self._settings = settings
        self._clock = clock or SystemClock()
        self._recogniser = recogniser or Recogniser([PatternFinder()])
        self._ledger = _ledger(self.store, self._clock, llm or LlmSettings())
        self._embedder = make_embedder(embedding, models=runtime.files.models)
        self._mixes_people = embedding.may_mix_people
        self._sweeper = SessionSweeper(self.store, self._clock, settings)
        self._llm = llm or LlmSettings()
        self._summariser = make_summariser(self._llm)
        self._failures = EmbeddingFailures(self._clock, first_s=settings.retry_s, longest_s=settings.longest_retry_s)
        model = self._embedder.model.fingerprint if self._embedder else None
        self._progress = EmbeddingProgress(self.store, model, self._failures)
        self.desk = JobDesk(self.store, self._clock)
        router = make_router(self.store, self._progress, self._sweeper.sweep, self.follow_to_end)
        self.broker.include_router(router)
        self.broker.include_router(make_job_router(self.desk, self.follow_to_end))

    def jobs(self, client: Client) -> Mapping[str, Callable[[], Work]]:
        """Jobs that sweep sessions and, if there is an embedder, embed memories and enrich facts."""
        self._sweeper.open(client)
        parts = JobParts(
            *(client, self.store, self._clock, self._settings, self._embedder, self._sweeper, self._summariser, self._llm),
            *(self._recogniser, self._ledger),
        )
        limits = Limits(seconds=60 * self._settings.job_minutes, items=self._settings.job_items)
        jobs = make_jobs(parts)
        times = {job.name: job.schedule for job in jobs}
        self.timetable = Timetable.of(times, wanted=self._settings.schedules, time_zone=self._settings.time_zone)
        measures = JobMeasures(self.timetable)
        measures.begin(self.store.last_job_successes(), now=self._clock.now())
        runner = JobRunner(client, jobs, self._clock, limits, measures)
        clock = JobClock(client, self.store, self.timetable, SystemClock(), may_use_server=self._settings.clock == "server")
        self.desk.open(runner, self.timetable, clock)
        due = JobWork(JobQueue(client, ack_wait_s=self._settings.job_ack_s), runner)
        works: dict[str, Callable[[], Work]] = {"sweeping": self._sweeper.run, "jobs": due.run}
        if self._settings.clock != "off":
            works["schedules"] = clock.run
        if self._embedder is None:
            log.warning("embedding.switched_off")
            return works
        embedding = EmbeddingJob(
            client,
            self.store,
            self._embedder,
            self._clock,
            self._settings,
            failures=self._failures,
            pace=self._progress.pace,
            mixes_people=self._mixes_people,
        )
        enrichment = EnrichmentJob(client, self.store, self._embedder.model.fingerprint, self._settings)
        return works | {"embedding": embedding.run, "enrichment": enrichment.run}

    async def release(self) -> None:
        """Close the embedder, the summariser and the providers of names."""
        await self._summariser.close()
        await self._recogniser.close()
        if self._embedder is not None:
            await self._embedder.close()


def make_summariser(settings: LlmSettings) -> Summariser:
    """The summariser of these settings: a model if one is named, else one that chooses sentences."""
    if (model := _chat_model(settings)) is None:
        return SentenceChooser(BACKGROUND.run)
    from services.maintenance.llm.summariser import ModelSummariser  # noqa: PLC0415 - few have a model

    return ModelSummariser(model)


def _chat_model(settings: LlmSettings) -> "ChatModel | None":
    if settings.model is None:
        return None
    from shared.runtime.chat_models.factory import make_chat_model  # noqa: PLC0415 - few have a model

    return make_chat_model(settings)


def build(runtime: RuntimeSettings) -> Maintenance:
    """Maintenance with its settings from the environment."""
    llm = LlmSettings()
    recogniser = make_recogniser(NerSettings(), _chat_model(llm))
    return Maintenance(runtime, MaintenanceSettings(), EmbedderSettings(), llm=llm, recogniser=recogniser)


def _ledger(store: MaintenanceStore, clock: Clock, llm: LlmSettings) -> TokenLedger:
    who = llm.metrics_by_person
    return TokenLedger(store, clock, per_day=llm.tokens_per_day, names_persons=who, purpose="names", model=llm.model or "")
