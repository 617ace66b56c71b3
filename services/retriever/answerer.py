"""Where queries come in: waits for the position, opens the file, answers, and records the recall after the reply."""

from __future__ import annotations

import asyncio
from typing import TypeVar

from services.retriever import assembly
from services.retriever.chat_replies import position_of_turn, reply_to
from services.retriever.domain.handed_out import recalled_items
from services.retriever.interpreter import AskerProfile, QueryInterpreter, known_of
from services.retriever.person_files import Asker, PersonFiles
from services.retriever.recorder import Recorder
from services.retriever.retrieval import SearchRequest, WordMatches, match_words
from services.retriever.store import overview, rows
from services.retriever.store.details import detail
from services.retriever.store.legs import Connection
from services.retriever.store.memory_file import MemoryFile
from services.retriever.store.privacy import chat_command
from services.retriever.store.similar import nearest
from services.retriever.summaries import no_summary, summary
from shared.contracts.commands import RecordRecall
from shared.contracts.errors import NotFound
from shared.contracts.ids import MessageId, SessionId
from shared.contracts.preferences import RecallTerms
from shared.contracts.queries import (
    CommandAnswer,
    ContextAnswer,
    ContextQuery,
    EntityAnswer,
    EntityQuery,
    LegFailure,
    ListAnswer,
    ListQuery,
    SearchAnswer,
    SearchQuery,
    ShowAnswer,
    ShowQuery,
    SimilarAnswer,
    SimilarQuery,
    StatsAnswer,
    StatsQuery,
    SummaryAnswer,
    SummaryQuery,
)
from shared.contracts.subjects import work_subject
from shared.runtime.ids import new_recall_id
from shared.runtime.logs import log
from shared.text.shingles import Shingler

T = TypeVar("T")


class Answerer:
    """Answers the queries of everyone."""

    def __init__(self, reader: PersonFiles, questions: QueryInterpreter, *, languages: tuple[str, ...] = ("en",)) -> None:
        self._reader = reader
        self._questions = questions
        self._languages = languages
        self._recorder = Recorder()

    async def close(self) -> None:
        """Send what is to be recorded still."""
        await self._recorder.close()

    async def context(self, asker: Asker, query: ContextQuery) -> ContextAnswer:
        """What matters, as items and as a block; then, after the reply, the recall is sent to be recorded."""
        query = await self._after_its_turn(asker, query)
        known = await self._reader.read(asker, query, known_of)
        nothing = ContextAnswer(position=self._reader.position, recall_id=new_recall_id(), markdown="", items=(), tokens=0)
        if query.incognito:
            return nothing.model_copy(update={"withheld": "incognito"})
        if known is None:
            return nothing
        spoken = await self._spoken(asker, query)
        if (withheld := known.withholds(query.session_id)) is not None:
            return nothing.model_copy(update={"withheld": withheld, "command": spoken})
        question, words = await self._ask(asker, query, known, exclude=query.session_id)

        def read(file: MemoryFile, position: int) -> tuple[ContextAnswer, int]:
            with file.connect() as db:
                answer = assembly.context(
                    db,
                    question,
                    words.get(file.number),
                    recall_id=nothing.recall_id,
                    position=position,
                    budget_tokens=query.budget_tokens,
                )
            _examine(file, answer)
            return answer, file.number

        found = await self._reader.read(asker, query, read)
        if found is None:  # forgotten as a whole meanwhile
            return nothing
        answer, number = found
        if query.record and answer.items:
            subject = work_subject(asker.space, asker.user, RecordRecall.what)
            self._recorder.soon(
                self._reader.connected, subject, lambda: self._recall(asker, query, answer, question, number=number)
            )
        return answer.model_copy(update={"command": spoken}) if spoken else answer

    async def _ask(
        self, asker: Asker, query: ContextQuery | SearchQuery, known: AskerProfile, *, exclude: SessionId | None
    ) -> tuple[SearchRequest, dict[int, WordMatches]]:
        """The question with its vector; and by the number of the last event what its words found while it was embedded."""
        question = self._questions.of(asker.space, query, known, exclude=exclude)
        if question.is_broad:
            return question, {}

        def read(file: MemoryFile, _: int) -> dict[int, WordMatches]:
            with file.connect() as db:
                return {file.number: match_words(db, question)}

        vector = asyncio.create_task(self._questions.vector(query, known))
        try:
            words = await self._reader.read(asker, query, read)
            return question._replace(vector=await vector), words or {}
        finally:
            vector.cancel()

    async def _after_its_turn(self, asker: Asker, query: ContextQuery) -> ContextQuery:
        """The same, to be answered when what became of the turn that asks is known."""
        if query.message_id is None or query.incognito:
            return query
        position = await position_of_turn(self._reader.connected, asker.space, asker.user, query.message_id, query.timeout_s)
        return query.model_copy(update={"min_position": max(position, query.min_position)})

    async def _spoken(self, asker: Asker, query: ContextQuery) -> CommandAnswer | None:
        """What came of the turn that asks, where it was a command to the memory."""
        message_id, session_id = query.message_id, query.session_id or SessionId("")
        if message_id is None:
            return None
        read = await self._reader.look(asker, query, lambda db, _: chat_command(db, message_id, session_id))
        return reply_to(read, query.query, self._languages) if read else None

    async def search(self, asker: Asker, query: SearchQuery) -> SearchAnswer:
        """The best matches."""
        known = await self._reader.read(asker, query, known_of)
        if known is None or known.withholds(None):
            return SearchAnswer(position=self._reader.position, items=(), withheld=known.withholds(None) if known else None)
        question, words = await self._ask(asker, query, known, exclude=query.exclude_session_id)

        def read(file: MemoryFile, position: int) -> SearchAnswer:
            with file.connect() as db:
                answer = assembly.search(db, question, words.get(file.number), position=position)
            _examine(file, answer)
            return answer

        position = self._reader.position
        return await self._reader.read(asker, query, read) or SearchAnswer(position=position, items=())

    async def list(self, asker: Asker, query: ListQuery) -> ListAnswer:
        """A page of memories."""
        position = self._reader.position
        found = await self._reader.look(asker, query, lambda db, position: page(db, query, position))
        return found or ListAnswer(position=position, items=())

    async def show(self, asker: Asker, query: ShowQuery) -> ShowAnswer:
        """One memory. Raises NotFound."""

        def read(db: Connection, position: int) -> ShowAnswer:
            return ShowAnswer(position=position, memory=detail(db, query.memory_id))

        return _found(await self._reader.look(asker, query, read))

    async def entity(self, asker: Asker, query: EntityQuery) -> EntityAnswer:
        """Who or what a name means. Raises NotFound."""
        return _found(await self._reader.look(asker, query, lambda db, position: overview.profile(db, query, position)))

    async def summary(self, asker: Asker, query: SummaryQuery) -> SummaryAnswer:
        """What is known, to read."""
        position = self._reader.position
        found = await self._reader.look(asker, query, lambda db, position: summary(db, query, position=position))
        return found or no_summary(position)

    async def similar(self, asker: Asker, query: SimilarQuery) -> SimilarAnswer:
        """The memories most like one. Raises NotFound."""
        return _found(await self._reader.look(asker, query, lambda db, position: nearest(db, query, position)))

    async def stats(self, asker: Asker, query: StatsQuery) -> StatsAnswer:
        """How much is remembered."""
        position = self._reader.position
        return await self._reader.look(asker, query, overview.stats) or overview.no_stats(position)

    def _recall(
        self, asker: Asker, query: ContextQuery, answer: ContextAnswer, question: SearchRequest, *, number: int
    ) -> RecordRecall:
        shingler = Shingler(self._reader.keys.digester, self._reader.scope_of(asker))
        return RecordRecall(
            message_id=MessageId(answer.recall_id),
            recall_id=answer.recall_id,
            session_id=query.session_id,
            turn_id=query.message_id,
            at_number=number,
            computed_at=question.now,
            ranking=question.weights.fingerprint,
            items=recalled_items(answer.items, shingler),
            asked=RecallTerms(
                kinds=query.kinds,
                limit=query.limit,
                budget_tokens=query.budget_tokens,
                ranking=question.weights.options,
                time_zone=question.zone.key,
                legs_failed=answer.legs_failed,
            ),
        )


def page(db: Connection, query: ListQuery, position: int) -> ListAnswer:
    """A page of a person's memories."""
    items = rows.page(db, query)
    following = items[-1].number if len(items) == query.limit else None
    return ListAnswer(position=position, items=tuple(items), next_before_number=following)


def _examine(file: MemoryFile, answer: ContextAnswer | SearchAnswer) -> None:
    """A leg that breaks may do so because the file is damaged: then it is built again when it is read next."""
    if LegFailure.BROKEN in answer.leg_failures.values():
        file.examine()
        log.warning("file.examined", is_damaged=file.is_damaged)


def _found(answer: T | None) -> T:
    if answer is None:
        raise NotFound
    return answer
