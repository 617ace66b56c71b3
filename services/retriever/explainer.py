"""Answers `explain`: finds the recall and its words, goes back to what was known then, and computes it again."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Protocol, TypeVar
from zoneinfo import ZoneInfo

from services.retriever.explanation import Explained, explain
from services.retriever.interpreter import QueryInterpreter, known_of
from services.retriever.past import as_of, find_recall
from services.retriever.person_files import Asker, PersonFiles
from services.retriever.store.memory_file import MemoryFile
from services.retriever.store.provenance import words_of_turn
from shared.contracts.errors import Malformed, NotFound
from shared.contracts.events import MemoriesRecalled
from shared.contracts.queries import MAX_QUERY_CHARACTERS, ContextQuery, ExplainAnswer, ExplainQuery
from shared.runtime.tasks import in_thread

T = TypeVar("T")
_MOST_SCRATCH_FILES = 2
"""A replay of the past reads everything of a person."""

_AGAIN = "give the question again as `query`"


class _Reading(Protocol):
    """Runs a function on a file, of now or of then, in a thread; None where nothing is known of the asker."""

    async def __call__(self, read: Callable[[MemoryFile, int], T], /) -> T | None: ...


class Explainer:
    """Explains what is answered or answered."""

    def __init__(self, reader: PersonFiles, questions: QueryInterpreter) -> None:
        self._reader = reader
        self._questions = questions
        self._replaying = asyncio.Semaphore(_MOST_SCRATCH_FILES)

    async def explain(self, asker: Asker, query: ExplainQuery) -> ExplainAnswer:
        """Why a context is as it is, or was. Raises Malformed, or NotFound where its words or its record are not to be had."""
        reader, recall = self._reader, None
        known = await reader.read(asker, query, known_of)
        if known is None or known.withholds(query.session_id):
            raise NotFound("nothing is known of this person, or nothing may be: memory is off, or the session is incognito")
        if query.recall_id is not None:
            recall = await find_recall(reader.connected, reader.scope_of(asker), query.recall_id)
        words = query.query if query.query is not None else await self._words(asker, query, recall)
        at_number = recall.at_number if recall else query.at_number
        if at_number is None:
            return await self._explained(asker, query, words, recall, lambda read: reader.read(asker, query, read))
        async with self._replaying, as_of(reader.connected, reader.scope_of(asker), at_number, reader.scratch) as file:
            position = reader.position
            return await self._explained(asker, query, words, recall, lambda read: in_thread(read, file, position))

    async def _explained(
        self, asker: Asker, query: ExplainQuery, words: str, recall: MemoriesRecalled | None, reading: _Reading
    ) -> ExplainAnswer:
        known = await reading(known_of)
        if known is None:
            raise NotFound("nothing was known of this person")
        exclude = recall.session_id if recall else query.session_id
        asked = await self._questions.embedded(asker.space, _again(query, words, recall), known, exclude=exclude)
        budget = query.budget_tokens
        if recall:
            asked = asked._replace(now=recall.computed_at)
        if recall and (terms := recall.asked):
            asked, budget = asked._replace(zone=ZoneInfo(terms.time_zone)), terms.budget_tokens
        explained = Explained(asked, budget, query.most_candidates, recall)

        def read(file: MemoryFile, position: int) -> ExplainAnswer:
            with file.connect() as db:
                return explain(db, explained, position=position, at_number=file.number)

        answer = await reading(read)
        assert answer is not None  # noqa: S101 - something was known a moment ago
        return answer

    async def _words(self, asker: Asker, query: ExplainQuery, recall: MemoriesRecalled | None) -> str:
        """The words of the turn that asked."""
        if recall is None:
            raise Malformed("say what to explain: recall_id, or query")
        if (turn := recall.turn_id) is None:
            raise NotFound(f"the recall does not name the turn that asked, and holds no words; {_AGAIN}")

        def read(file: MemoryFile, _: int) -> str | None:
            with file.connect() as db:
                return words_of_turn(db, turn)

        words = await self._reader.read(asker, query, read)
        if words is None:
            raise NotFound(f"the turn that asked is not recorded, and a recall holds no words; {_AGAIN}")
        return words


def _again(query: ExplainQuery, words: str, recall: MemoriesRecalled | None) -> ContextQuery:
    """What was asked, as it was asked; what the record does not say, as the query says."""
    terms = recall.asked if recall else None
    return ContextQuery(
        query=words[:MAX_QUERY_CHARACTERS],
        kinds=terms.kinds if terms else query.kinds,
        limit=terms.limit if terms else query.limit,
        preset=query.preset,
        ranking=terms.ranking if terms else query.ranking,
    )
