"""Where queries come in: waits for the position, opens the file, answers, and records the recall after the reply."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import TypeVar

from services.retriever import answers
from services.retriever.domain.ranking import Weights
from services.retriever.store import rows
from services.retriever.store.file import MemoryFile
from services.retriever.store.library import FileBehind, Library
from shared.contracts.commands import RecordRecall
from shared.contracts.errors import NotFound, Unavailable
from shared.contracts.ids import MemoryId, MessageId, Space, User
from shared.contracts.parts import RecalledItem
from shared.contracts.queries import (
    ContextAnswer,
    ContextQuery,
    ListAnswer,
    ListQuery,
    Query,
    SearchAnswer,
    SearchQuery,
    ShowAnswer,
    ShowQuery,
    StatsAnswer,
    StatsQuery,
)
from shared.contracts.subjects import work_subject
from shared.runtime.clock import Clock
from shared.runtime.connection import Client
from shared.runtime.eventlog.read import LogReader
from shared.runtime.ids import new_recall_id
from shared.runtime.keys import Keys
from shared.runtime.logs import log
from shared.runtime.metrics import RECALLS_LOST
from shared.runtime.projector import Projector, decoded
from shared.runtime.sending import publish

T = TypeVar("T")
_MOST_TRIES = 5


@dataclass(frozen=True, slots=True)
class Asker:
    """Whose memories are asked for: from the subject, never from the payload."""

    space: Space
    user: User


class Desk:
    """Answers the queries of everyone."""

    def __init__(self, library: Library, keys: Keys, clock: Clock, weights: Weights) -> None:
        self._library = library
        self._keys = keys
        self._clock = clock
        self._weights = weights
        self._client: Client | None = None
        self._projector: Projector | None = None
        self._recording: set[asyncio.Task[None]] = set()

    def open(self, client: Client, projector: Projector) -> None:
        """Begin to answer, as far as this projector has come."""
        self._client, self._projector = client, projector

    async def context(self, asker: Asker, query: ContextQuery) -> ContextAnswer:
        """What matters, as items and as a block; then, after the reply, the recall is sent to be recorded."""
        recall_id, now = new_recall_id(), self._clock.now()

        def read(file: MemoryFile, position: int) -> tuple[ContextAnswer, int]:
            with file.connect() as db:
                answer = answers.context(db, query, recall_id=recall_id, position=position, now=now, weights=self._weights)
            return answer, file.number

        found = await self._read(asker, query, read)
        if found is None:
            return ContextAnswer(position=self._position, recall_id=recall_id, markdown="", items=(), tokens=0)
        answer, number = found
        if query.record and answer.items:
            self._record_soon(asker, self._recall(query, answer, number=number, now=now))
        return answer

    async def search(self, asker: Asker, query: SearchQuery) -> SearchAnswer:
        """The best matches."""
        now = self._clock.now()

        def read(file: MemoryFile, position: int) -> SearchAnswer:
            with file.connect() as db:
                return answers.search(db, query, position=position, now=now, weights=self._weights)

        position = self._position
        return await self._read(asker, query, read) or SearchAnswer(position=position, items=())

    async def list(self, asker: Asker, query: ListQuery) -> ListAnswer:
        """A page of memories."""

        def read(file: MemoryFile, position: int) -> ListAnswer:
            with file.connect() as db:
                items = rows.page(db, query)
            following = items[-1].number if len(items) == query.limit else None
            return ListAnswer(position=position, items=tuple(items), next_before_number=following)

        position = self._position
        return await self._read(asker, query, read) or ListAnswer(position=position, items=())

    async def show(self, asker: Asker, query: ShowQuery) -> ShowAnswer:
        """One memory. Raises NotFound."""

        def read(file: MemoryFile, position: int) -> ShowAnswer:
            with file.connect() as db:
                return ShowAnswer(position=position, memory=rows.detail(db, query.memory_id))

        answer = await self._read(asker, query, read)
        if answer is None:
            raise NotFound
        return answer

    async def stats(self, asker: Asker, query: StatsQuery) -> StatsAnswer:
        """How much is remembered."""

        def read(file: MemoryFile, position: int) -> StatsAnswer:
            with file.connect() as db:
                return rows.stats(db, position)

        position = self._position
        return await self._read(asker, query, read) or rows.no_stats(position)

    async def digests(self) -> dict[str, str | int]:
        """The projection digest and the content digest of everything applied so far."""
        for _ in range(_MOST_TRIES):
            position = self._position
            projection = await self._repaired(lambda: self._library.each_file(MemoryFile.digest))
            content = await self._repaired(lambda: self._library.each_file(MemoryFile.content_digest))
            if self._position == position:
                return {"position": position, "projection": projection, "content": content}
        raise Unavailable("events keep coming; ask again when it is quieter")

    @property
    def _position(self) -> int:
        if self._projector is None:
            raise Unavailable("the retriever is starting; ask again")
        return self._projector.progress.position

    async def _read(self, asker: Asker, query: Query, read: Callable[[MemoryFile, int], T]) -> T | None:
        """Wait for the position, then read the asker's file in a thread; None where nothing is known of the asker."""
        if self._projector is None:
            raise Unavailable("the retriever is starting; ask again")
        await self._projector.progress.wait_for(query.min_position, query.timeout_s)
        position = self._position
        scope = self._keys.scope_of(asker.space, asker.user)

        def attempt() -> T | None:
            with self._library.reading(scope) as file:
                return None if file is None else read(file, position)

        return await self._repaired(attempt)

    async def _repaired(self, attempt: Callable[[], T]) -> T:
        """Run in a thread; where a file turns out to be behind, read its scope from the log and try again."""
        while True:
            try:
                return await asyncio.to_thread(attempt)
            except FileBehind as behind:
                await self._repair(behind)

    async def _repair(self, behind: FileBehind) -> None:
        log.warning("file.repaired", scope=behind.scope, after=behind.after)
        if self._client is None:
            raise Unavailable("the retriever is starting; ask again")
        reader = LogReader(self._client, after=behind.after, subjects=[f"memory.*.{behind.scope}.>"])
        events = [decoded(record) async for batch in reader.to_end() for record in batch]
        await asyncio.to_thread(self._library.repair, behind.scope, events)

    def _recall(self, query: ContextQuery, answer: ContextAnswer, *, number: int, now: datetime) -> RecordRecall:
        return RecordRecall(
            message_id=MessageId(answer.recall_id),
            recall_id=answer.recall_id,
            session_id=query.session_id,
            turn_id=query.message_id,
            at_number=number,
            computed_at=now,
            ranking=self._weights.fingerprint,
            items=tuple(RecalledItem(memory_id=MemoryId(item.memory_id), score=item.score) for item in answer.items),
        )

    def _record_soon(self, asker: Asker, recall: RecordRecall) -> None:
        task = asyncio.create_task(self._record(asker, recall))
        self._recording.add(task)
        task.add_done_callback(self._recording.discard)

    async def _record(self, asker: Asker, recall: RecordRecall) -> None:
        subject = work_subject(asker.space, asker.user, recall.what)
        if self._client is None:
            return
        try:
            await publish(self._client, subject, recall.model_dump_json().encode())
        except Unavailable:  # an answer that was given stays given; its record is not worth more
            RECALLS_LOST.inc()
            log.warning("recall.lost", recall_id=recall.recall_id)
