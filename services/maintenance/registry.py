"""The jobs of maintenance: one line for each."""

from collections.abc import Sequence
from datetime import timedelta
from typing import NamedTuple

from services.maintenance.domain.summarising import Summariser
from services.maintenance.enrichment import EnrichmentJob
from services.maintenance.jobs.ageing import Ageing
from services.maintenance.jobs.consolidation import ConsolidationSweep
from services.maintenance.jobs.decay import Decay
from services.maintenance.jobs.enrichment import NightlyEnrichment
from services.maintenance.jobs.job import Job
from services.maintenance.jobs.reflection import ReflectionRenewal, WeeklyReflection
from services.maintenance.jobs.retention import Retention
from services.maintenance.naming import EntityNaming
from services.maintenance.reflecting import Reflector
from services.maintenance.sessions_set_aside import SessionsSetAside
from services.maintenance.settings import MaintenanceSettings
from services.maintenance.store import MaintenanceStore
from services.maintenance.sweeping import SessionSweeper
from shared.runtime.chat_models.ledger import TokenLedger
from shared.runtime.chat_models.settings import LlmSettings
from shared.runtime.clock import Clock
from shared.runtime.connection import Client
from shared.runtime.embedders.port import Embedder
from shared.runtime.ner.recogniser import Recogniser

_SILENT = timedelta(minutes=30)


class JobParts(NamedTuple):
    """What jobs may be made of."""

    client: Client
    store: MaintenanceStore
    clock: Clock
    settings: MaintenanceSettings
    embedder: Embedder | None
    sweeper: SessionSweeper
    summariser: Summariser
    llm: LlmSettings
    recogniser: Recogniser
    ledger: TokenLedger


def make_jobs(given: JobParts) -> Sequence[Job]:
    """Every job that can run here, in the order of the night."""
    jobs: list[Job] = []
    naming = EntityNaming(given.client, given.store, given.recogniser, given.ledger)
    jobs.append(NightlyEnrichment(naming, _neighbours(given)))
    jobs.append(ConsolidationSweep(given.sweeper, SessionsSetAside(given.client), idle=_SILENT))
    reflector = Reflector(given.client, given.store, given.clock, given.summariser, given.llm)
    jobs.append(WeeklyReflection(reflector, given.store, given.clock))
    jobs.append(ReflectionRenewal(reflector, given.store))
    jobs.append(Decay(given.client, given.store, given.clock, below=given.settings.decay_below))
    if given.embedder is not None:
        model = given.embedder.model.fingerprint
        jobs.append(Ageing(given.client, given.store, given.clock, given.settings, model=model, summariser=given.summariser))
    jobs.append(Retention(given.client, given.store, given.clock, given.settings))
    return jobs


def _neighbours(given: JobParts) -> EnrichmentJob | None:
    if given.embedder is None:
        return None
    return EnrichmentJob(given.client, given.store, given.embedder.model.fingerprint, given.settings)
