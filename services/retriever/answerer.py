"""Answers queries from the asker's file. `context` and `search` read it before the question's vector is there, and after."""

import asyncio
from collections.abc import Awaitable, Callable
from concurrent.futures import Future
from functools import partial
from typing import NamedTuple, TypeVar

from services.retriever import assembly
from services.retriever.chat_replies import position_of_turn, reply_to
from services.retriever.interpreter import QueryInterpreter
from services.retriever.naming import put_by_name
from services.retriever.person_files import PersonFile, PersonFiles, Reading
from services.retriever.recorder import Recorder, recall_of
from services.retriever.retrieval import SearchRequest, WordMatches, match_words
from services.retriever.store import overview, read_memories
from services.retriever.store.asker_profile import asker_profile
from services.retriever.store.legs import Connection, QueryVector
from services.retriever.store.memory_file import MemoryFile
from services.retriever.store.narrowing import among
from services.retriever.store.privacy import chat_command
from shared.contracts.commands import RecordRecall, UserMessage
from shared.contracts.errors import NotFound
from shared.contracts.ids import MessageId, SessionId
from shared.contracts.queries import (
    CommandAnswer,
    ContextAnswer,
    ContextQuery,
    LegFailure,
    ListAnswer,
    ListQuery,
    Query,
    SearchAnswer,
    SearchQuery,
)
from shared.contracts.subjects import work_subject
from shared.domain.withholding import Withheld
from shared.runtime.asking import Asker
from shared.runtime.ids import new_recall_id
from shared.runtime.logs import log
from shared.text.shingles import Shingler

T = TypeVar("T")
Q = TypeVar("Q", bound=Query)


class Prepared(NamedTuple):
    """The result of reading a file before the question's vector is there; without a request nothing is looked for."""

    withheld: Withheld | None = None
    command: CommandAnswer | None = None  # what came of the turn that asks, where it was a command to the memory
    request: SearchRequest | None = None
    vector: Future[QueryVector | LegFailure] | None = None
    words: WordMatches | None = None
    number: int = 0  # of the last event of which `words` know

    def words_at(self, number: int) -> WordMatches | None:
        """The matches by words, if the last event of the file still has this number; else None."""
        return self.words if number == self.number else None


class Answerer:
    """Answers the queries of everyone."""

    def __init__(self, files: PersonFiles, interpreter: QueryInterpreter, *, languages: tuple[str, ...] = ("en",)) -> None:
        self._files = files
        self._interpreter = interpreter
        self._languages = languages
        self._recorder = Recorder()

    async def close(self) -> None:
        """Send the recalls that wait to be recorded."""
        await self._recorder.close()

    async def context(self, asker: Asker, query: ContextQuery) -> ContextAnswer:
        """The memories that matter, as items and as a block. A recall of today is sent to be recorded after the reply."""
        query = (await self._after_its_turn(asker, query)).in_full
        if query.incognito:
            await self._files.wait(asker, query)
            return _no_context(await self._files.told(asker), Prepared("incognito"))
        async with self._files.wanted(asker, query) as person:
            prepared = await self._prepared(person, asker, query)
            if (request := prepared.request) is None:
                return _no_context(await self._files.told(asker), prepared)
            found = await person.read(partial(_context, query, prepared, request))
        if found is None:  # it was forgotten as a whole meanwhile
            return _no_context(await self._files.told(asker), prepared)
        answer, number = found
        if query.record and query.until is None and answer.items:
            self._record(asker, query, answer, request, number=number)
        return answer

    async def search(self, asker: Asker, query: SearchQuery) -> SearchAnswer:
        """The memories that match best."""
        async with self._files.wanted(asker, query) as person:
            prepared = await self._prepared(person, asker, query)
            request = prepared.request
            found = await person.read(partial(_search, prepared, request)) if request else None
        return found or SearchAnswer(position=await self._files.told(asker), items=(), withheld=prepared.withheld)

    async def list(self, asker: Asker, query: ListQuery) -> ListAnswer:
        """A page of memories."""
        async with self._files.wanted(asker, query) as person:
            found = await person.read(lambda reading: read_memories.page(reading.db, query, reading.position))
        return found or ListAnswer(position=await self._files.told(asker), items=())

    def looking(
        self, look: Callable[[Connection, Q, int], T], nothing: Callable[[int], T] | None = None
    ) -> Callable[[Asker, Q], Awaitable[T]]:
        """Answers what one look at the file tells; `nothing` where the asker is not known, or without it NotFound."""

        async def answer(asker: Asker, query: Q) -> T:
            found = await self._files.read(asker, query, lambda reading: look(reading.db, query, reading.position))
            if found is not None:
                return found
            if nothing is None:
                raise NotFound
            return nothing(await self._files.told(asker))

        return answer

    async def _after_its_turn(self, asker: Asker, query: ContextQuery) -> ContextQuery:
        """The query, made to wait until ingest has decided the turn that asks."""
        if query.message_id is None or query.incognito or query.until is not None:
            return query
        position = await position_of_turn(self._files.connected, asker, query.message_id, query.timeout_s)
        return query.model_copy(update={"min_position": max(position, query.min_position)})

    async def _prepared(self, person: PersonFile, asker: Asker, query: ContextQuery | SearchQuery) -> Prepared:
        """Read the file for everything that needs no vector, while the question is embedded; then add the vector."""
        loop, scope = asyncio.get_running_loop(), self._files.scope_of(asker)

        def read(reading: Reading) -> Prepared:
            profile = asker_profile(reading.db)
            withheld = profile.withholds(query)
            command = self._command(reading.db, asker, query, is_open=withheld is None)
            if query.until is None and withheld:
                return Prepared(withheld, command)
            now = query.as_of or (overview.latest_record(reading.db) if query.until is not None else None)
            put = put_by_name(reading.db, query, profile.speakers)
            request = self._interpreter.request(asker.space, put, profile, now=now).limited_to(among(reading.db, query))
            if request.is_broad or request.looks_for_nothing:
                return Prepared(None, command, request)
            vector = asyncio.run_coroutine_threadsafe(self._interpreter.vector(request, scope), loop)  # beside the words
            return Prepared(None, command, request, vector, match_words(reading.db, request), reading.file.number)

        prepared = await person.read(read) or Prepared(person.withheld)
        if prepared.request is None or prepared.vector is None:
            return prepared
        vector = await asyncio.wrap_future(prepared.vector)
        return prepared._replace(request=prepared.request._replace(vector=vector))

    def _command(
        self, db: Connection, asker: Asker, query: ContextQuery | SearchQuery, *, is_open: bool
    ) -> CommandAnswer | None:
        """The outcome of the turn that asks, if it was a chat command; its words are of memories only where these `is_open`."""
        if not isinstance(query, ContextQuery) or query.message_id is None or query.until is not None:
            return None
        # A turn that forgot its person is known by the hash of its message_id only.
        hashed = self._files.keys.digester.command_id(self._files.scope_of(asker), UserMessage.what, query.message_id)
        read = chat_command(db, (query.message_id, MessageId(hashed)), query.session_id or SessionId(""))
        if read is None:
            return None
        going = read_memories.by_ids(db, read.memory_ids) if is_open and read.outcome == "asked_back" else []
        return reply_to(read, query.query, self._languages, now=self._interpreter.clock.now(), going=going)

    def _record(self, asker: Asker, query: ContextQuery, answer: ContextAnswer, request: SearchRequest, *, number: int) -> None:
        """Have the recall recorded; it is made in a thread, as hashing takes a moment."""
        shingler = Shingler(self._files.keys.digester, self._files.scope_of(asker))
        recall = partial(recall_of, query, answer, request, number=number, shingler=shingler)
        self._recorder.soon(self._files.connected, work_subject(asker.space, asker.user, RecordRecall.what), recall)


def _no_context(position: int, prepared: Prepared) -> ContextAnswer:
    return ContextAnswer(
        position=position,
        recall_id=new_recall_id(),
        markdown="",
        items=(),
        tokens=0,
        withheld=prepared.withheld,
        command=prepared.command,
    )


def _context(query: ContextQuery, prepared: Prepared, request: SearchRequest, reading: Reading) -> tuple[ContextAnswer, int]:
    """The context, and the number of the last event that it knows of."""
    number = reading.file.number
    answer = assembly.context(
        reading.db,
        request,
        prepared.words_at(number),
        recall_id=new_recall_id(),
        position=reading.position,
        budget_tokens=query.budget_tokens,
    )
    _examine(reading.file, answer)
    return answer.model_copy(update={"command": prepared.command}), number


def _search(prepared: Prepared, request: SearchRequest, reading: Reading) -> SearchAnswer:
    words = prepared.words_at(reading.file.number)
    answer = assembly.search(reading.db, request, words, position=reading.position)
    _examine(reading.file, answer)
    return answer


def _examine(file: MemoryFile, answer: ContextAnswer | SearchAnswer) -> None:
    """Look for damage after a leg broke: a damaged file is built again when it is read next."""
    if LegFailure.BROKEN in answer.leg_failures.values():
        file.examine()
        log.warning("file.examined", is_damaged=file.is_damaged)
