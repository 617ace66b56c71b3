"""The composition root of the consolidator."""

from collections.abc import Sequence

from services.consolidator.consolidation import ConsolidationJob
from services.consolidator.domain.extraction import FactExtractor
from services.consolidator.domain.rules import RuleExtractor
from services.consolidator.handlers import make_router
from services.consolidator.settings import ConsolidatorSettings, LlmSettings
from services.consolidator.store import ConsolidatorStore
from shared.runtime.background_service import BackgroundService
from shared.runtime.connection import Client
from shared.runtime.retries import Backoff
from shared.runtime.settings import RuntimeSettings
from shared.runtime.tasks import Work

_LINGER_S = 0.05
"""Seconds by which it follows the log late: nobody waits, for turns are learned from when their session is over."""


class Consolidator(BackgroundService[ConsolidatorStore]):
    """The service: follows which sessions are pending, and learns from them."""

    name = "consolidator"
    description = "Learns facts from finished conversations."

    def __init__(self, runtime: RuntimeSettings, settings: ConsolidatorSettings, extractor: FactExtractor) -> None:
        super().__init__(runtime, ConsolidatorStore, linger_s=_LINGER_S)
        self._settings = settings
        self._extractor = extractor
        self._backoff = Backoff(first_s=settings.retry_s, longest_s=settings.longest_wait_s)
        self.broker.include_router(make_router(self.store, self._backoff, self.follow_to_end))

    def jobs(self, client: Client) -> Sequence[Work]:
        """Learn from sessions that are over."""
        return [ConsolidationJob(client, self.store, self._extractor, self._settings, self._backoff).run()]

    async def release(self) -> None:
        """Close the extractor."""
        await self._extractor.close()


def make_extractor(settings: LlmSettings) -> FactExtractor:
    """The extractor of these settings: a model if one is named, else the embedded rules."""
    if settings.model is None:
        return RuleExtractor()
    from services.consolidator.llm import LlmExtractor  # noqa: PLC0415 - few have one

    return LlmExtractor(**settings.model_dump())


def build(runtime: RuntimeSettings) -> Consolidator:
    """The consolidator with its settings from the environment."""
    return Consolidator(runtime, ConsolidatorSettings(), make_extractor(LlmSettings()))
