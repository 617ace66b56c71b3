"""From a query to a question: who is meant, whose days count, how to rank, and the vector of its words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple
from zoneinfo import ZoneInfo

from services.retriever.domain.idle import SHIPPED, asks_for_all
from services.retriever.domain.weights import Operator
from services.retriever.domain.words import named, without_names
from services.retriever.query_vectors import QueryVectors
from services.retriever.retrieval import SearchRequest
from services.retriever.store import legs, preferences
from services.retriever.store.legs import Filter, QueryVector
from services.retriever.store.memory_file import MemoryFile
from services.retriever.store.privacy import Withheld, begun_sessions, incognito_sessions
from shared.contracts.ids import SessionId, Space
from shared.contracts.preferences import PersonSettings
from shared.contracts.queries import ContextQuery, LegFailure, SearchQuery
from shared.runtime.clock import Clock


class AskerProfile(NamedTuple):
    """What must be known of a person before a question is understood."""

    speakers: Sequence[str]
    person: PersonSettings
    incognito: frozenset[SessionId] = frozenset()
    begun: frozenset[SessionId] = frozenset()  # of interest where new sessions are incognito by default

    def withholds(self, session_id: SessionId | None) -> Withheld | None:
        """Why nothing may be recalled, in this session or at all."""
        if self.person.memory_enabled is False:
            return "memory_off"
        if session_id is None:
            return None
        by_default = self.person.incognito_default and session_id not in self.begun
        return "incognito" if by_default or session_id in self.incognito else None


def known_of(file: MemoryFile, _position: int) -> AskerProfile:
    """That, from the person's file."""
    with file.connect() as db:
        person = preferences.of_person(db)
        begun = begun_sessions(db) if person.incognito_default else frozenset()
        return AskerProfile(legs.speaker_names(db), person, incognito_sessions(db), begun)


class QueryInterpreter:
    """Understands queries, now."""

    def __init__(self, clock: Clock, operator: Operator, vectors: QueryVectors, languages: Sequence[str] = ()) -> None:
        self._clock = clock
        self._operator = operator
        self._vectors = vectors
        self._languages = tuple(dict.fromkeys((*languages, *SHIPPED)))

    async def vector(self, query: ContextQuery | SearchQuery, known: AskerProfile) -> QueryVector | LegFailure:
        """The vector of the words that a query asks with; or why there is none."""
        return await self._vectors.of(without_names(query.query, named(known.speakers, query.query)))

    def of(
        self, space: Space, query: ContextQuery | SearchQuery, known: AskerProfile, *, exclude: SessionId | None
    ) -> SearchRequest:
        """The question that a query of someone in this space asks; without its vector."""
        person = known.person
        return SearchRequest(
            text=query.query,
            vector=LegFailure.NO_EMBEDDER,
            wanted=Filter(tuple(kind.value for kind in query.kinds), exclude),
            most=query.limit,
            now=self._clock.now(),
            weights=self._operator.weights(space, preset=query.preset, person=person.ranking, asked=query.ranking),
            zone=ZoneInfo(person.time_zone or "UTC"),
            is_broad=isinstance(query, ContextQuery) and asks_for_all(query.query, self._languages),
            languages=self._languages,
        )

    async def embedded(
        self, space: Space, query: ContextQuery | SearchQuery, known: AskerProfile, *, exclude: SessionId | None
    ) -> SearchRequest:
        """The same with its vector, where nothing is to be done meanwhile."""
        return self.of(space, query, known, exclude=exclude)._replace(vector=await self.vector(query, known))
