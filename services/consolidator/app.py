"""The composition root of the consolidator."""

import asyncio
from collections.abc import Callable, Mapping
from typing import Any

from services.consolidator.consolidation import ConsolidationJob
from services.consolidator.domain.extraction import FactExtractor
from services.consolidator.domain.rules import RuleExtractor
from services.consolidator.handlers import RelearnRequest, make_router
from services.consolidator.relearning import relearn
from services.consolidator.schedule import Schedule
from services.consolidator.session_run import SessionLearner
from services.consolidator.set_aside import retry_all
from services.consolidator.settings import ConsolidatorSettings
from services.consolidator.store import ConsolidatorStore
from shared.runtime.background import BACKGROUND
from shared.runtime.background_service import BackgroundService
from shared.runtime.chat_models.ledger import TokenLedger
from shared.runtime.chat_models.settings import LlmSettings
from shared.runtime.clock import SystemClock
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

    def __init__(
        self,
        runtime: RuntimeSettings,
        settings: ConsolidatorSettings,
        extractor: FactExtractor,
        budget: LlmSettings | None = None,
        moment: Callable[[], float] | None = None,
    ) -> None:
        """`moment`: seconds of the clock by which pauses end; none: those of the event loop."""
        super().__init__(runtime, ConsolidatorStore, linger_s=_LINGER_S)
        budget = budget or LlmSettings()
        self._settings = settings
        self._extractor = extractor
        self._moment = moment or _loop_time
        self._backoff = Backoff(first_s=settings.retry_s, longest_s=settings.longest_wait_s)
        self._schedule = Schedule(parallel=settings.parallel, in_order=extractor.reads_known)
        self._ledger = TokenLedger(
            self.store,
            SystemClock(),
            per_day=budget.tokens_per_day,
            names_persons=budget.metrics_by_person,
            model=budget.model or "",
        )
        router = make_router(
            self.store,
            self._schedule,
            self._ledger,
            self._backoff,
            most_attempts=settings.most_attempts,
            moment=self._moment,
            retry=self._retry,
            relearn=self._relearn,
            follow_to_end=self.follow_to_end,
        )
        self.broker.include_router(router)

    def jobs(self, client: Client) -> Mapping[str, Callable[[], Work]]:
        """Learn from sessions that are over, unless an agent does."""
        if self._settings.by == "agent":
            return {}
        learner = SessionLearner(client, self.store, self._extractor, self._settings, self._ledger)
        job = ConsolidationJob(
            client,
            self.store,
            learner,
            self._schedule,
            self._settings,
            backoff=self._backoff,
            ledger=self._ledger,
            moment=self._moment,
        )
        return {"consolidation": job.run}

    async def _retry(self, *, by_itself: bool) -> int:
        return await retry_all(self.broker.connection, self.store, self._settings.most_attempts, by_itself=by_itself)

    async def _relearn(self, request: RelearnRequest) -> dict[str, Any]:
        return await relearn(request, self.broker.connection, self._extractor, self._ledger, page=self._settings.page)

    async def release(self) -> None:
        """Close the extractor."""
        await self._extractor.close()


def _loop_time() -> float:
    return asyncio.get_running_loop().time()


def make_extractor(settings: LlmSettings) -> FactExtractor:
    """The extractor of these settings: a model if one is named, else the embedded rules."""
    if settings.model is None:
        return RuleExtractor.run_by(BACKGROUND.run)
    from services.consolidator.llm.extractor import LlmExtractor  # noqa: PLC0415 - few have a model
    from shared.runtime.chat_models.dialect import AnswerFormat  # noqa: PLC0415 - see above

    of_model = settings.model_dump(exclude={"answer_format", "tokens_per_day", "metrics_by_person"})
    return LlmExtractor(**of_model, answer_format=AnswerFormat(settings.answer_format))


def build(runtime: RuntimeSettings) -> Consolidator:
    """The consolidator with its settings from the environment."""
    model = LlmSettings()
    return Consolidator(runtime, ConsolidatorSettings(), make_extractor(model), model)
