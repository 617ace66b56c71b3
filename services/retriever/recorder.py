"""Sends recalls to ingest after the reply: a single one at once, the others together after a pause."""

import asyncio
from collections.abc import Callable

from services.retriever.domain.recalled_items import recalled_items
from services.retriever.retrieval import SearchRequest
from shared.contracts.commands import RecordRecall
from shared.contracts.errors import Unavailable
from shared.contracts.ids import MessageId
from shared.contracts.preferences import RecallTerms
from shared.contracts.queries import ContextAnswer, ContextQuery
from shared.runtime.background import BACKGROUND
from shared.runtime.connection import Client
from shared.runtime.logs import log
from shared.runtime.metrics import RECALLS_LOST
from shared.runtime.sending import publish
from shared.text.shingles import Shingler

_PAUSE_S = 0.2
"""So long the next ones are collected. Ingest and all that follow the log take many together for little more than one."""


class Recorder:
    """Sends recalls that wait to be recorded. One that cannot be sent is lost with a warning: its answer was given already."""

    def __init__(self, *, pause_s: float = _PAUSE_S) -> None:
        self._pause_s = pause_s
        self._waiting: list[tuple[str, Callable[[], RecordRecall]]] = []
        self._sending: asyncio.Task[None] | None = None
        self._closing = asyncio.Event()

    def soon(self, client: Client, subject: str, recall: Callable[[], RecordRecall]) -> None:
        """Have a recall made in a thread, because hashing takes a moment, and then published."""
        self._waiting.append((subject, recall))
        if self._sending is None or self._sending.done():
            self._sending = asyncio.create_task(self._send(client))

    async def close(self) -> None:
        """Send the recalls that wait, and stop."""
        self._closing.set()
        if self._sending is not None:
            await self._sending

    async def _send(self, client: Client) -> None:
        while self._waiting:
            waiting, self._waiting = self._waiting, []
            made = [await BACKGROUND.run(make) for _, make in waiting]
            await asyncio.gather(
                *(_publish(client, subject, recall) for (subject, _), recall in zip(waiting, made, strict=True))
            )
            await self._pause()

    async def _pause(self) -> None:
        try:
            async with asyncio.timeout(self._pause_s):
                await self._closing.wait()
        except TimeoutError:
            return


async def _publish(client: Client, subject: str, recall: RecordRecall) -> None:
    try:
        await publish(client, subject, recall.model_dump_json().encode())
    except Unavailable:
        RECALLS_LOST.inc()
        log.warning("recall.lost", recall_id=recall.recall_id)


def recall_of(
    query: ContextQuery, answer: ContextAnswer, request: SearchRequest, *, number: int, shingler: Shingler
) -> RecordRecall:
    """The record of what a context handed out, and of how it was asked for; `number` is that of the last event that it knew."""
    return RecordRecall(
        message_id=MessageId(answer.recall_id),
        recall_id=answer.recall_id,
        session_id=query.session_id,
        turn_id=query.message_id,
        at_number=number,
        computed_at=request.now,
        ranking=request.weights.fingerprint,
        items=recalled_items(answer.items, shingler),
        asked=RecallTerms(
            kinds=query.kinds,
            limit=query.limit,
            budget_tokens=query.budget_tokens,
            ranking=request.weights.options,
            time_zone=request.zone.key,
            legs_failed=answer.legs_failed,
        ),
    )
