"""Asks a model to summarise, and takes of its answer what rests on its sources; where nothing does, sentences are chosen."""

from __future__ import annotations

from collections.abc import Sequence

from services.maintenance.domain.grounded_lines import grounded_lines
from services.maintenance.domain.summarising import (
    MOST_LINES,
    SentenceChooser,
    SourceText,
    Summary,
    SummaryAim,
    SummaryLine,
)
from services.maintenance.prompts import summarise_v1
from shared.contracts.errors import Misconfigured, Unavailable
from shared.contracts.parts import Origin
from shared.domain.model_tokens import TokenMeter, Unmetered
from shared.runtime.chat_models.chat_model import ChatModel
from shared.runtime.chat_models.errors import ModelRefused, PageTooLong
from shared.runtime.logs import log


class ModelSummariser:
    """A model's lines; sentences of the sources where it does not answer, or nothing that it writes rests on them.

    Summaries come seldom: one that waited for the model would be a week late.
    """

    def __init__(self, model: ChatModel) -> None:
        self._model = model
        self._chooser = SentenceChooser()

    async def summarise(
        self,
        sources: Sequence[SourceText],
        *,
        aim: SummaryAim,
        run_id: str,
        most_lines: int = MOST_LINES,
        meter: TokenMeter | None = None,
    ) -> Summary:
        """At most so many lines, in the order of time."""
        told = sorted(sources, key=lambda source: (source.occurred_at, source.memory_id))
        try:
            lines = await self._written(told, aim, most_lines, meter or Unmetered())
        except (Unavailable, Misconfigured) as error:
            log.warning("summary.is_chosen", code=error.code)
            lines = []
        if not lines:
            return await self._chooser.summarise(told, aim=aim, run_id=run_id, most_lines=most_lines)
        parameters = dict(self._model.dialect.parameters)
        return Summary(
            tuple(lines),
            Origin(extractor="llm", model=self._model.name, prompt=summarise_v1.VERSION, parameters=parameters, run_id=run_id),
        )

    async def close(self) -> None:
        """Close the connections."""
        await self._model.aclose()

    async def _written(
        self, told: Sequence[SourceText], aim: SummaryAim, most_lines: int, meter: TokenMeter
    ) -> list[SummaryLine]:
        """The lines that rest on their sources; where those are too long together, of the later half."""
        await meter.require_budget()
        system, message = summarise_v1.system(aim, most_lines), summarise_v1.user_message(told)
        try:
            answer = await self._model.ask(system, message, name=summarise_v1.VERSION, schema=summarise_v1.SCHEMA)
        except PageTooLong:
            if len(told) == 1:
                raise
            return await self._written(told[len(told) // 2 :], aim, most_lines, meter)
        await meter.spent(answer.usage)
        if answer.is_refusal:
            raise ModelRefused
        return grounded_lines(answer.text, told, most_lines)
