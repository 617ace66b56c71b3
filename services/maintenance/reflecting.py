"""Writes reflections: reads what a person's last days brought from the log, has it summarised, and sends it to be recorded."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import NamedTuple

from services.maintenance.domain.summarising import SourceText, Summariser, SummaryAim
from services.maintenance.reading import read_in_pieces
from services.maintenance.store import LostReflection, MaintenanceStore
from shared.contracts.envelope import Envelope
from shared.contracts.events import EpisodeRecorded, NewFact
from shared.contracts.ids import MemoryId, MessageId, Position, Scope
from shared.contracts.learning import TokensSpent
from shared.contracts.privacy import MemoryForgotten
from shared.contracts.reflecting import MAX_REFLECTION_SOURCES, SaveReflection
from shared.domain.moments import moment
from shared.language.text.without_echoes import MARK, without_echoes
from shared.runtime.chat_models.ledger import TokenLedger
from shared.runtime.chat_models.settings import LlmSettings
from shared.runtime.clock import Clock
from shared.runtime.connection import Client
from shared.runtime.sending import send_work
from shared.runtime.tasks import in_thread

_PURPOSE = "reflection"
_LEAST_CHARACTERS = 3


class Occasion(NamedTuple):
    """Which reflection is to be written."""

    scope: Scope
    message_id: MessageId  # however often it is sent, it counts once
    occurred_at: datetime
    renews: MemoryId | None = None


class Reflector:
    """Writes one reflection after the other."""

    def __init__(self, client: Client, store: MaintenanceStore, clock: Clock, summariser: Summariser, llm: LlmSettings) -> None:
        self._client = client
        self._store = store
        self._summariser = summariser
        self._ledger = TokenLedger(
            store, clock, per_day=llm.tokens_per_day, names_persons=llm.metrics_by_person, purpose=_PURPOSE
        )

    async def reflect(self, occasion: Occasion, *, since: int) -> bool:
        """Write what was learned and said since then comes to; False if there is nothing to write. Raises Unavailable."""
        positions = await in_thread(
            self._store.recent_memories, scope=occasion.scope, since=since, limit=MAX_REFLECTION_SOURCES
        )
        return await self._write(occasion, positions)

    async def renew(self, lost: LostReflection) -> bool:
        """Write a lost reflection anew from what is left of its sources; False if nothing is. Raises Unavailable."""
        [event] = await read_in_pieces(self._client, [lost.position])
        occurred_at = moment(lost.occurred_at)
        summaries = event.data.lost if event and isinstance(event.data, MemoryForgotten) else ()
        for summary in (each for each in summaries if each.occurred_at == occurred_at):
            left = await in_thread(self._store.memories_at, scope=lost.scope, memory_ids=list(summary.source_ids))
            message_id = MessageId(f"renewal/{lost.position}/{summary.memory_id}")
            return await self._write(Occasion(lost.scope, message_id, occurred_at, summary.memory_id), left)
        return False

    async def _write(self, occasion: Occasion, positions: Sequence[Position]) -> bool:
        events = [event for event in await read_in_pieces(self._client, positions) if event is not None]
        sources = list(_sources(events))
        if not sources:
            return False
        meter = self._ledger.meter(occasion.scope)
        summary = await self._summariser.summarise(sources, aim=SummaryAim.WEEK, run_id=occasion.message_id[:64], meter=meter)
        if not summary.lines:
            return False
        command = SaveReflection(
            message_id=occasion.message_id,
            text=summary.text,
            source_ids=summary.source_ids,
            made_by=summary.made_by,
            occurred_at=occasion.occurred_at,
            renews=occasion.renews,
            tokens=TokensSpent(prompt=meter.used.prompt, completion=meter.used.completion) if meter.used.total else None,
        )
        await send_work(self._client, events[0], command)
        return True


def _sources(events: Sequence[Envelope]) -> Iterator[SourceText]:
    """The texts of facts and turns, but for turns that are held back, and for what only repeats memstream's own words."""
    for event in events:
        match event.data:
            case NewFact() as fact:
                yield SourceText(fact.memory_id, fact.text, event.occurred_at, weight=fact.importance)
            case EpisodeRecorded(held_back=False) as said:
                text = without_echoes(said.text, said.echoes).replace(MARK, "").strip()
                if len(text) >= _LEAST_CHARACTERS:
                    yield SourceText(said.memory_id, text, event.occurred_at, said.role, said.speaker, is_fact=False)
            case _:
                pass
