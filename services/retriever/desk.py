"""Where queries come in: waits for the position, opens the file, answers, and records the recall after the reply."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from services.retriever import answers
from services.retriever.domain.handed_out import recalled_items
from services.retriever.domain.ranking import SPECIFICATION, Fusion, Weights
from services.retriever.domain.words import named, without_names
from services.retriever.matching import Question
from services.retriever.query_vectors import QueryVectors
from services.retriever.store import legs, rows
from services.retriever.store.file import MemoryFile
from services.retriever.store.legs import Filter
from services.retriever.store.library import FileBehind, Library
from services.retriever.store.similar import nearest
from shared.contracts.commands import RecordRecall
from shared.contracts.errors import NotFound, Unavailable
from shared.contracts.ids import MessageId, Scope, SessionId, Space, User
from shared.contracts.parts import Kind
from shared.contracts.queries import (
    ContextAnswer,
    ContextQuery,
    LegFailure,
    ListAnswer,
    ListQuery,
    Preset,
    Query,
    SearchAnswer,
    SearchQuery,
    ShowAnswer,
    ShowQuery,
    SimilarAnswer,
    SimilarQuery,
    StatsAnswer,
    StatsQuery,
)
from shared.contracts.subjects import work_subject
from shared.domain.shingles import Shingler
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
_MOST_REPAIRS = 3


@dataclass(frozen=True, slots=True)
class Asker:
    """Whose memories are asked for: from the subject, never from the payload."""

    space: Space
    user: User


class Desk:
    """Answers the queries of everyone."""

    def __init__(self, library: Library, keys: Keys, clock: Clock, weights: Weights, vectors: QueryVectors) -> None:
        self._library = library
        self._keys = keys
        self._clock = clock
        self._vectors = vectors
        self._weights = {
            Preset.SHIPPED: weights,
            Preset.RRF: replace(weights, fusion=Fusion.RRF),
            Preset.SPECIFICATION: SPECIFICATION,
        }
        self._client: Client | None = None
        self._projector: Projector | None = None
        self._recording: set[asyncio.Task[None]] = set()

    def open(self, client: Client, projector: Projector) -> None:
        """Begin to answer, as far as this projector has come."""
        self._client, self._projector = client, projector

    async def context(self, asker: Asker, query: ContextQuery) -> ContextAnswer:
        """What matters, as items and as a block; then, after the reply, the recall is sent to be recorded."""
        recall_id = new_recall_id()
        question = await self._question(
            asker, query, kinds=query.kinds, exclude=query.session_id, text=query.query, most=query.limit, preset=query.preset
        )
        if question is None:
            return ContextAnswer(position=self._position, recall_id=recall_id, markdown="", items=(), tokens=0)

        def read(file: MemoryFile, position: int) -> tuple[ContextAnswer, int]:
            with file.connect() as db:
                answer = answers.context(
                    db, question, recall_id=recall_id, position=position, budget_tokens=query.budget_tokens
                )
            _examine(file, answer)
            return answer, file.number

        found = await self._read(asker, query, read)
        assert found is not None  # noqa: S101 - the file was there a moment ago, and files only appear
        answer, number = found
        if query.record and answer.items:
            self._record_soon(asker, lambda: self._recall(asker, query, answer, question, number=number))
        return answer

    async def search(self, asker: Asker, query: SearchQuery) -> SearchAnswer:
        """The best matches."""
        question = await self._question(
            asker,
            query,
            kinds=query.kinds,
            exclude=query.exclude_session_id,
            text=query.query,
            most=query.limit,
            preset=query.preset,
        )

        def read(file: MemoryFile, position: int) -> SearchAnswer:
            assert question is not None  # noqa: S101 - there is a file, so there was one to ask about
            with file.connect() as db:
                answer = answers.search(db, question, position=position)
            _examine(file, answer)
            return answer

        position = self._position
        found = await self._read(asker, query, read) if question else None
        return found or SearchAnswer(position=position, items=())

    async def _question(
        self,
        asker: Asker,
        query: Query,
        *,
        text: str,
        kinds: Sequence[Kind],
        exclude: SessionId | None,
        most: int,
        preset: Preset,
    ) -> Question | None:
        """The question with its vector; None where nothing is known of the asker."""

        def read(file: MemoryFile, _: int) -> list[str]:
            with file.connect() as db:
                return legs.speaker_names(db)

        speakers = await self._read(asker, query, read)
        if speakers is None:
            return None
        return Question(
            text=text,
            vector=await self._vectors.of(without_names(text, named(speakers, text))),
            wanted=Filter(tuple(kind.value for kind in kinds), exclude),
            most=most,
            now=self._clock.now(),
            weights=self._weights[preset],
        )

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

    async def similar(self, asker: Asker, query: SimilarQuery) -> SimilarAnswer:
        """The memories most like one. Raises NotFound."""

        def read(file: MemoryFile, position: int) -> SimilarAnswer:
            with file.connect() as db:
                return nearest(db, query, position)

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
        """Run in a thread; where a file turns out to be behind, read its scope from the log and try again.

        Raises Unavailable where the same file is behind again and again.
        """
        repairs: Counter[Scope] = Counter()
        while True:
            try:
                return await asyncio.to_thread(attempt)
            except FileBehind as behind:
                repairs[behind.scope] += 1
                if repairs[behind.scope] > _MOST_REPAIRS:
                    raise Unavailable("a file cannot be repaired; the retriever's log says why") from behind
                await self._repair(behind)

    async def _repair(self, behind: FileBehind) -> None:
        log.warning("file.repaired", scope=behind.scope, after=behind.after)
        if self._client is None:
            raise Unavailable("the retriever is starting; ask again")
        reader = LogReader(self._client, after=behind.after, subjects=[f"memory.*.{behind.scope}.>"])
        events = [decoded(record) async for batch in reader.to_end() for record in batch]
        await asyncio.to_thread(self._library.repair, behind.scope, events)

    def _recall(
        self, asker: Asker, query: ContextQuery, answer: ContextAnswer, question: Question, *, number: int
    ) -> RecordRecall:
        shingler = Shingler(self._keys.digester, self._keys.scope_of(asker.space, asker.user))
        return RecordRecall(
            message_id=MessageId(answer.recall_id),
            recall_id=answer.recall_id,
            session_id=query.session_id,
            turn_id=query.message_id,
            at_number=number,
            computed_at=question.now,
            ranking=question.weights.fingerprint,
            items=recalled_items(answer.items, shingler),
        )

    def _record_soon(self, asker: Asker, recall: Callable[[], RecordRecall]) -> None:
        task = asyncio.create_task(self._record(asker, recall))
        self._recording.add(task)
        task.add_done_callback(self._recording.discard)

    async def _record(self, asker: Asker, make: Callable[[], RecordRecall]) -> None:
        recall = await asyncio.to_thread(make)  # hashing takes a moment, and the reply goes first
        subject = work_subject(asker.space, asker.user, recall.what)
        if self._client is None:
            return
        try:
            await publish(self._client, subject, recall.model_dump_json().encode())
        except Unavailable:  # an answer that was given stays given; its record is not worth more
            RECALLS_LOST.inc()
            log.warning("recall.lost", recall_id=recall.recall_id)


def _examine(file: MemoryFile, answer: ContextAnswer | SearchAnswer) -> None:
    """A leg that breaks may do so because the file is damaged: then it is built again when it is read next."""
    if LegFailure.BROKEN in answer.leg_failures.values():
        file.examine()
        log.warning("file.examined", is_damaged=file.is_damaged)
