"""Answers queries from the asker's file: `context` and `search` in one thread, to the bytes of the reply."""

import asyncio
from asyncio import AbstractEventLoop
from collections.abc import Awaitable, Callable
from concurrent.futures import Future
from functools import partial
from typing import NamedTuple, TypeAlias, TypeVar

from services.retriever import assembly
from services.retriever.chat_replies import SpokenCommand, position_of_turn, spoken
from services.retriever.interpreter import QueryInterpreter
from services.retriever.naming import put_by_name
from services.retriever.person_files import Look, PersonFiles, Reading
from services.retriever.recorder import MakeRecall, Recorder, recall_of
from services.retriever.search_request import SearchRequest
from services.retriever.sharing import GivenMemories, Sharing, given_alone
from services.retriever.store import overview, read_memories
from services.retriever.store.asker_profile import NOBODY
from services.retriever.store.legs import Connection, QueryVector
from services.retriever.store.memory_file import MemoryFile
from services.retriever.store.narrowing import among
from services.retriever.store.privacy import chat_command
from services.retriever.store.similar_memories import nearest
from shared.contracts.commands import RecordRecall, UserMessage
from shared.contracts.errors import NotFound
from shared.contracts.ids import MessageId, Scope, SessionId
from shared.contracts.queries import (
    ContextAnswer,
    ContextQuery,
    LegFailure,
    ListAnswer,
    ListQuery,
    Query,
    SearchAnswer,
    SearchQuery,
    SimilarAnswer,
    SimilarQuery,
)
from shared.contracts.subjects import work_subject
from shared.domain.withholding import Withheld
from shared.language.commands.command import ChatCommandName
from shared.language.text.shingles import Shingler
from shared.runtime.asking import Asker
from shared.runtime.direct_queries import encoded
from shared.runtime.ids import new_recall_id
from shared.runtime.logs import log
from shared.runtime.metrics import CONTEXTS
from shared.runtime.places import left_s

T = TypeVar("T")
Q = TypeVar("Q", bound=Query)


class Prepared(NamedTuple):
    """The result of a first look at a file; without a request nothing is looked for."""

    withheld: Withheld | None = None
    command: SpokenCommand | None = None  # the turn that asks, where it was a command to the memory
    request: SearchRequest | None = None
    vector: Callable[[], Awaitable[QueryVector | LegFailure]] | None = None  # to be awaited before anything is looked for


class Reply(NamedTuple):
    """An answer as it is sent, and the record of what it hands out, where there is one to make."""

    raw: bytes
    recall: MakeRecall | None = None


class SearchWithGiven(NamedTuple):
    """What is asked for, the command of the turn that asks, what other spaces give, and the position of who has no file."""

    request: SearchRequest
    command: SpokenCommand | None
    given: GivenMemories
    position: int
    shingler: Shingler | None  # where something is given


Find: TypeAlias = Callable[[SearchWithGiven, Reading | None], Reply | None]


class Answerer:
    """Answers the queries of everyone."""

    def __init__(
        self,
        files: PersonFiles,
        interpreter: QueryInterpreter,
        *,
        languages: tuple[str, ...] = ("en",),
        sharing: bool = True,
    ) -> None:
        self._files = files
        self._sharing = Sharing(files, is_on=sharing)
        self._interpreter = interpreter
        self._languages = languages
        self._recorder = Recorder()

    async def close(self) -> None:
        """Send the recalls that wait to be recorded."""
        await self._recorder.close()

    @property
    def unrecorded(self) -> int:
        """How many recalls are still to be sent to ingest."""
        return self._recorder.unsent

    async def context(self, asker: Asker, query: ContextQuery) -> bytes:
        """The memories that matter, as items and as a block. A recall of today is sent to be recorded after the reply."""
        query = (await self._after_its_turn(asker, query)).in_full
        if query.incognito:
            await self._files.wait(asker, query)
            return _no_context(await self._files.told(asker), Prepared("incognito"))
        found = await self._found(asker, query, partial(_context, query))
        if isinstance(found, Prepared):
            return _no_context(await self._files.told(asker), found)
        if found.recall is not None:
            subject = work_subject(asker.space, asker.user, RecordRecall.what)
            self._recorder.soon(self._files.connected, subject, found.recall)
        return found.raw

    async def search(self, asker: Asker, query: SearchQuery) -> bytes:
        """The memories that match best."""
        found = await self._found(asker, query, _search)
        if isinstance(found, Prepared):
            return encoded(SearchAnswer(position=await self._files.told(asker), items=(), withheld=found.withheld))
        return found.raw

    async def list(self, asker: Asker, query: ListQuery) -> ListAnswer:
        """A page of memories."""
        async with self._files.wanted(asker, query) as person:
            found = await person.read(lambda reading: read_memories.page(reading.db, query, reading.position))
        return found or ListAnswer(position=await self._files.told(asker), items=())

    async def similar(self, asker: Asker, query: SimilarQuery) -> SimilarAnswer:
        """The memories that are most like one. Raises NotFound."""
        found = await self._files.read(asker, query, lambda reading: nearest(reading.searched, query, reading.position))
        if found is None:
            raise NotFound
        return found

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
        position = await position_of_turn(self._files.connected, asker, query.message_id, left_s(query.timeout_s))
        return query.model_copy(update={"min_position": max(position, query.min_position)})

    async def _found(self, asker: Asker, query: ContextQuery | SearchQuery, find: Find) -> Reply | Prepared:
        """Answer in one thread from the first look at the file to the bytes; what was prepared, where nothing can be found."""
        loop = asyncio.get_running_loop()

        def work(look: Look) -> Reply | Prepared:
            prepared = self._prepared(look, asker, query, loop)
            return prepared if prepared.request is None or prepared.vector else answered(prepared, prepared.request, look)

        def answered(prepared: Prepared, request: SearchRequest, look: Look) -> Reply | Prepared:
            given = self._sharing.found(asker, query, request)
            position = asker.position(number=0, in_log=self._files.position)
            shingler = Shingler(self._files.keys.digester, self._files.scope_of(asker)) if given else None
            found = SearchWithGiven(request, prepared.command, given, position, shingler)
            return look(partial(find, found)) or find(found, None) or prepared  # else it was forgotten as a whole meanwhile

        async with self._files.wanted(asker, query) as person:
            found = await person.work(work) or Prepared(person.withheld)
            if isinstance(found, Prepared) and found.request and found.vector:
                request = found.request._replace(vector=await found.vector())
                found = await person.work(partial(answered, found, request)) or found
            return found

    def _prepared(self, look: Look, asker: Asker, query: ContextQuery | SearchQuery, loop: AbstractEventLoop) -> Prepared:
        """Read the file for the request, then have its words embedded, in this process beside what follows.

        Where others ask, or the model is elsewhere, they have the thread and the file meanwhile.
        """
        scope = self._files.scope_of(asker)
        prepared = look(partial(self._read, asker, query)) or self._of_nobody(asker, query)
        request = prepared.request
        if request is None or request.is_broad or request.looks_for_nothing:
            return prepared
        begun = self._interpreter.vector_begun(request, scope)
        if begun is None and (vector := self._interpreter.vector_here(request, scope)) is not None:
            return prepared._replace(request=request._replace(vector=vector))
        if begun is None or self._files.are_several_asking:
            return prepared._replace(vector=partial(self._vector, request, scope, begun))

        def waited_for(begun: Future[QueryVector | None] = begun) -> QueryVector | LegFailure:
            return begun.result() or asyncio.run_coroutine_threadsafe(self._interpreter.vector(request, scope), loop).result()

        return prepared._replace(request=request._replace(soon=waited_for))

    async def _vector(
        self, request: SearchRequest, scope: Scope, begun: Future[QueryVector | None] | None
    ) -> QueryVector | LegFailure:
        """The vector of a request, where one of this process's threads has `begun` with it or not."""
        made = await asyncio.wrap_future(begun) if begun else None
        return made or await self._interpreter.vector(request, scope)

    def _read(self, asker: Asker, query: ContextQuery | SearchQuery, reading: Reading) -> Prepared:
        profile = reading.profile
        withheld = profile.withholds(query)
        command = self._command(reading.db, asker, query, is_open=withheld is None)
        if query.until is None and withheld:
            return Prepared(withheld, command)
        now = query.as_of or (overview.latest_record(reading.db) if query.until is not None else None)
        put = put_by_name(reading.searched, query, profile.speakers)
        request = self._interpreter.request(asker.space, put, profile, now=now).limited_to(among(reading.db, query))
        return Prepared(None, command, request)

    def _of_nobody(self, asker: Asker, query: ContextQuery | SearchQuery) -> Prepared:
        """What is prepared where nothing is known of the asker: something to look for where other spaces give."""
        is_given = query.until is None and self._sharing.givers(asker)
        return Prepared(None, None, self._interpreter.request(asker.space, query, NOBODY) if is_given else None)

    def _command(
        self, db: Connection, asker: Asker, query: ContextQuery | SearchQuery, *, is_open: bool
    ) -> SpokenCommand | None:
        """The turn that asks, if it was a chat command; its reply has words of memories only where these are open."""
        if not isinstance(query, ContextQuery) or query.message_id is None or query.until is not None:
            return None
        # A turn that forgot its person is known by the hash of its message_id only.
        hashed = self._files.keys.digester.command_id(self._files.scope_of(asker), UserMessage.what, query.message_id)
        read = chat_command(db, (query.message_id, MessageId(hashed)), query.session_id or SessionId(""))
        if read is None or (not is_open and read.command == ChatCommandName.ASK_ABOUT):
            return None
        going = read_memories.by_ids(db, read.memory_ids) if is_open and read.outcome == "asked_back" else []
        return spoken(read, query.query, self._languages, now=self._interpreter.clock.now(), going=going)


def _no_context(position: int, prepared: Prepared) -> bytes:
    CONTEXTS.labels("withheld" if prepared.withheld else "empty").inc()
    answer = ContextAnswer(
        position=position,
        recall_id=new_recall_id(),
        markdown="",
        items=(),
        tokens=0,
        withheld=prepared.withheld,
        command=prepared.command and prepared.command.answer(),
    )
    return encoded(answer)


def _context(query: ContextQuery, found: SearchWithGiven, reading: Reading | None) -> Reply | None:
    request, number = found.request, reading.file.number if reading else 0
    if reading is None and not found.given:
        return None
    if reading is None:
        answer = given_alone(found.given, request, found.position, query.budget_tokens)
    else:
        assemble = partial(
            assembly.context, reading.searched, recall_id=new_recall_id(), position=reading.position, given=found.given
        )
        answer = assemble(request, budget_tokens=query.budget_tokens)
        if command := found.command:
            known = assemble(command.asked_for(request), budget_tokens=None).items if command.is_question else ()
            answer = answer.replaced(command=command.answer(known))
        _examine(reading.file, answer)
    CONTEXTS.labels("filled" if answer.items else "abstained" if answer.abstained else "empty").inc()
    is_recorded = query.record and query.until is None and answer.items
    recall = partial(recall_of, query, answer, request, found.shingler, number=number)
    return Reply(encoded(answer), recall if is_recorded else None)


def _search(found: SearchWithGiven, reading: Reading | None) -> Reply | None:
    if reading is None:
        items = tuple(found.given[: found.request.most])
        return Reply(encoded(SearchAnswer(position=found.position, items=items))) if items else None
    answer = assembly.search(reading.searched, found.request, position=reading.position, given=found.given)
    _examine(reading.file, answer)
    return Reply(encoded(answer))


def _examine(file: MemoryFile, answer: ContextAnswer | SearchAnswer) -> None:
    """Look for damage after a leg broke: a damaged file is built again when it is read next."""
    if LegFailure.BROKEN in answer.leg_failures.values():
        file.examine()
        log.warning("file.examined", is_damaged=file.is_damaged)
