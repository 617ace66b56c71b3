"""The composition root of the consolidator."""

from __future__ import annotations

from faststream.nats import NatsBroker

from services.consolidator.consolidation import ConsolidationJob
from services.consolidator.domain.extraction import FactExtractor
from services.consolidator.domain.rules import RuleExtractor
from services.consolidator.handlers import make_router
from services.consolidator.llm import LlmExtractor
from services.consolidator.settings import ConsolidatorSettings, LlmSettings
from services.consolidator.store import ConsolidatorStore
from shared.runtime.broker import make_broker
from shared.runtime.keys import load_keys
from shared.runtime.projector import Present, Projector
from shared.runtime.rebuilding import remove_leftovers
from shared.runtime.retries import Backoff, retry_while_unavailable
from shared.runtime.settings import RuntimeSettings
from shared.runtime.tasks import run_until_one_ends
from shared.runtime.topology import check_streams
from shared.runtime.worklist import keep_scopes_rebuilt

_LINGER_S = 0.05
"""Nobody waits for what it follows: turns are learned from when their session is over."""


class Consolidator:
    """The service: a projector that knows the pending sessions, and the job that learns from them."""

    name = "consolidator"

    def __init__(self, runtime: RuntimeSettings, settings: ConsolidatorSettings, extractor: FactExtractor) -> None:
        self._settings = settings
        self._keys = load_keys(runtime.files.keys)
        remove_leftovers(runtime.files.consolidator)
        self._store = ConsolidatorStore(runtime.files.consolidator)
        self._extractor = extractor
        self._is_ready = False
        self._present = Present()
        self.broker: NatsBroker = make_broker(runtime, self.name, "Learns facts from finished conversations.")
        self._backoff = Backoff(first_s=settings.retry_s, longest_s=settings.longest_wait_s)
        self.broker.include_router(make_router(self._store, self._backoff, self._present))

    @property
    def is_ready(self) -> bool:
        """True when the log's end was reached once."""
        return self._is_ready

    async def run(self) -> None:
        """Follow the log and learn until cancelled."""
        client = self.broker.connection
        await retry_while_unavailable(lambda: check_streams(client, self._keys))
        projector = Projector(client, self._store)
        job = ConsolidationJob(client, self._store, self._extractor, self._settings, self._backoff)
        try:
            await retry_while_unavailable(projector.catch_up)  # before it learns: what was learned already stands in the log
            self._is_ready = True
            self._present.open(client, projector)
            followed = projector.run(job.changed, linger_s=_LINGER_S)
            await run_until_one_ends(followed, job.run(), keep_scopes_rebuilt(client, self._store))
        finally:
            self._store.close()
            await self._extractor.close()


def make_extractor(settings: LlmSettings) -> FactExtractor:
    """The model where one is named; else the embedded rules."""
    if settings.model is None:
        return RuleExtractor()
    return LlmExtractor(
        model=settings.model,
        base_url=settings.base_url,
        api_key=settings.api_key,
        timeout_s=settings.timeout_s,
        max_retries=settings.max_retries,
    )


def build(runtime: RuntimeSettings) -> Consolidator:
    """The consolidator with its settings from the environment."""
    return Consolidator(runtime, ConsolidatorSettings(), make_extractor(LlmSettings()))
