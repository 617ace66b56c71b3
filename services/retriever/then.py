"""Answers as of an earlier moment or event: from what was known then, without what was forgotten since. Records nothing."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from datetime import datetime
from typing import NamedTuple, TypeVar

from services.retriever import assembly
from services.retriever.answerer import page
from services.retriever.interpreter import QueryInterpreter, known_of
from services.retriever.past import Until, as_of
from services.retriever.person_files import Asker, PersonFiles
from services.retriever.retrieval import SearchRequest
from services.retriever.store.memory_file import MemoryFile
from services.retriever.store.overview import latest_record
from shared.contracts.ids import SessionId
from shared.contracts.queries import ContextAnswer, ContextQuery, ListAnswer, ListQuery, OfThen, SearchAnswer, SearchQuery
from shared.runtime.ids import new_recall_id
from shared.runtime.tasks import in_thread

T = TypeVar("T")
_MOST_SCRATCH_FILES = 2
"""A replay of the past reads everything of a person."""


class _Past(NamedTuple):
    file: MemoryFile
    position: int  # to which the log is applied now

    async def read(self, read: Callable[[MemoryFile, int], T]) -> T:
        return await in_thread(read, self.file, self.position)


class Then:
    """The same questions as a desk's, put to the past. What must not be recalled now is not recalled of then either."""

    def __init__(self, reader: PersonFiles, questions: QueryInterpreter) -> None:
        self._reader = reader
        self._questions = questions
        self._replaying = asyncio.Semaphore(_MOST_SCRATCH_FILES)

    async def context(self, asker: Asker, query: ContextQuery) -> ContextAnswer:
        """What would have mattered."""
        reader = self._reader
        known = await reader.read(asker, query, known_of)
        nothing = ContextAnswer(position=reader.position, recall_id=new_recall_id(), markdown="", items=(), tokens=0)
        withheld = "incognito" if query.incognito else known.withholds(query.session_id) if known else None
        if known is None or withheld:
            return nothing.model_copy(update={"withheld": withheld})

        async with self._past(asker, query) as past:
            question = await self._question(asker, query, past, exclude=query.session_id)

            def read(file: MemoryFile, position: int) -> ContextAnswer:
                with file.connect() as db:
                    recall_id, budget = nothing.recall_id, query.budget_tokens
                    return assembly.context(db, question, recall_id=recall_id, position=position, budget_tokens=budget)

            return await past.read(read)

    async def search(self, asker: Asker, query: SearchQuery) -> SearchAnswer:
        """The best matches of then."""
        reader = self._reader
        known = await reader.read(asker, query, known_of)
        if known is None or known.withholds(None):
            return SearchAnswer(position=reader.position, items=(), withheld=known.withholds(None) if known else None)

        async with self._past(asker, query) as past:
            question = await self._question(asker, query, past, exclude=query.exclude_session_id)

            def read(file: MemoryFile, position: int) -> SearchAnswer:
                with file.connect() as db:
                    return assembly.search(db, question, position=position)

            return await past.read(read)

    async def list(self, asker: Asker, query: ListQuery) -> ListAnswer:
        """A page of what was remembered."""
        if await self._reader.read(asker, query, known_of) is None:
            return ListAnswer(position=self._reader.position, items=())

        async with self._past(asker, query) as past:

            def read(file: MemoryFile, position: int) -> ListAnswer:
                with file.connect() as db:
                    return page(db, query, position)

            return await past.read(read)

    @asynccontextmanager
    async def _past(self, asker: Asker, query: OfThen) -> AsyncGenerator[_Past]:
        until: Until = query.as_of if query.as_of is not None else query.at_number or 0
        reader = self._reader
        async with self._replaying, as_of(reader.connected, reader.scope_of(asker), until, reader.scratch) as file:
            yield _Past(file, reader.position)

    async def _question(
        self, asker: Asker, query: ContextQuery | SearchQuery, past: _Past, *, exclude: SessionId | None
    ) -> SearchRequest:
        """The question as it would have been understood then; ages are counted from then."""
        known = await past.read(known_of)
        question = await self._questions.embedded(asker.space, query, known, exclude=exclude)
        return question._replace(now=query.as_of or await past.read(_last_moment) or question.now)


def _last_moment(file: MemoryFile, _: int) -> datetime | None:
    with file.connect() as db:
        return latest_record(db)
