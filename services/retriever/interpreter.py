"""Turns a query into a search request: the speakers that it names, the time zone, the ranking, and the vector of its words."""

from collections.abc import Sequence
from concurrent.futures import Future
from datetime import datetime
from zoneinfo import ZoneInfo

from services.retriever.domain.full_text import named, without_names
from services.retriever.domain.idle_turns import SHIPPED, asks_for_all
from services.retriever.domain.weights import Operator
from services.retriever.query_vectors import QueryVectors
from services.retriever.search_request import SearchRequest
from services.retriever.store.asker_profile import AskerProfile
from services.retriever.store.legs import Filter, QueryVector
from shared.contracts.ids import Scope, Space
from shared.contracts.queries import ContextQuery, LegFailure, SearchQuery
from shared.language.questions.aims import AskingAim, aim_of
from shared.language.text.length import asked
from shared.runtime.clock import Clock


class QueryInterpreter:
    """Makes search requests from queries and from the settings of the person, the space and the operator."""

    def __init__(self, clock: Clock, operator: Operator, vectors: QueryVectors, languages: Sequence[str] = ()) -> None:
        self.clock = clock
        self._operator = operator
        self._vectors = vectors
        self._languages = tuple(dict.fromkeys((*languages, *SHIPPED)))

    def request(
        self, space: Space, query: ContextQuery | SearchQuery, profile: AskerProfile, *, now: datetime | None = None
    ) -> SearchRequest:
        """The search request of a person's query, without its vector. Ages are counted from `now`, or from the present."""
        person, question = profile.settings, asked(query.query)
        kinds = tuple(kind.value for kind in query.kinds)
        exclude = query.session_id if isinstance(query, ContextQuery) else query.exclude_session_id
        rolled_up = isinstance(query, SearchQuery) and query.rolled_up
        return SearchRequest(
            text=question,
            vector=LegFailure.NO_EMBEDDER,
            wanted=Filter(kinds, exclude, rolled_up=rolled_up),
            most=query.limit,
            now=now or self.clock.now(),
            weights=self._operator.weights(space, preset=query.preset, person=person.ranking, asked=query.ranking),
            speakers=named(profile.speakers, question),
            zone=ZoneInfo(person.time_zone or "UTC"),
            aim=aim_of(question) if isinstance(query, ContextQuery) else AskingAim.PERSON,
            is_broad=isinstance(query, ContextQuery) and asks_for_all(question, self._languages),
            languages=self._languages,
        )

    async def vector(self, request: SearchRequest, scope: Scope) -> QueryVector | LegFailure:
        """The vector of the words of a person's request, without the names of speakers; or the reason why there is none."""
        return await self._vectors.of(without_names(request.text, request.speakers), scope)

    def vector_here(self, request: SearchRequest, scope: Scope) -> QueryVector | None:
        """The vector of a person's request, made by the thread that calls it; None where `vector` must be awaited for it."""
        return self._vectors.of_here(without_names(request.text, request.speakers), scope)

    def vector_begun(self, request: SearchRequest, scope: Scope) -> Future[QueryVector | None] | None:
        """`vector_here` in a thread beside the one that calls it; None where that would be of no use."""
        return self._vectors.begun(without_names(request.text, request.speakers), scope)
