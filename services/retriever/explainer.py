"""Answers `explain`: finds the recorded recall and its question, and computes the context again from what was known then."""

from contextlib import aclosing
from zoneinfo import ZoneInfo

from services.retriever.explanation import Explained, explain
from services.retriever.interpreter import QueryInterpreter
from services.retriever.naming import put_by_name
from services.retriever.person_files import PersonFile, PersonFiles, Reading
from services.retriever.search_request import SearchRequest
from services.retriever.sharing import Sharing
from services.retriever.store.narrowing import among
from services.retriever.store.provenance import words_of_turn
from shared.contracts.errors import Malformed, NotFound
from shared.contracts.events import MemoriesRecalled
from shared.contracts.ids import Scope
from shared.contracts.queries import MAX_QUERY_CHARACTERS, ContextQuery, ExplainAnswer, ExplainQuery, Narrowed
from shared.contracts.recalls import Recall
from shared.runtime.asking import Asker
from shared.runtime.connection import Client
from shared.runtime.projector import scope_batches

_AGAIN = "give the question again as `query`"


class Explainer:
    """Explains contexts that were given, or would be."""

    def __init__(self, files: PersonFiles, interpreter: QueryInterpreter, *, sharing: bool = True) -> None:
        self._files = files
        self._sharing = Sharing(files, is_on=sharing)
        self._interpreter = interpreter

    async def explain(self, asker: Asker, query: ExplainQuery) -> ExplainAnswer:
        """The candidates of a context, and why each was given or left out. Raises Malformed, NotFound."""
        files, recall = self._files, None
        profile = await files.read(asker, query, lambda reading: reading.profile)
        if profile is None or profile.withholds(query):
            raise NotFound("nothing is known of this person, or nothing may be: memory is off, or the session is incognito")
        if query.recall_id is not None:
            recall = await find_recall(files.connected, files.scope_of(asker), query.recall_id)
        words = query.query if query.query is not None else await self._words(asker, query, recall)
        at_number = recall.at_number if recall else query.at_number
        now_or_then = files.of_now(asker, query) if at_number is None else files.of_then(asker, at_number, query)
        async with now_or_then as file:
            answer, request = await self._explained(file, asker, query, words, recall)
        if at_number is not None or not self._sharing.givers(asker):
            return answer
        again = _again(query, words, recall).model_copy(update={name: getattr(query, name) for name in Narrowed.model_fields})
        shared = await files.repaired(lambda: self._sharing.found(asker, again, request))
        return answer.model_copy(update={"shared": tuple(shared)})

    async def _explained(
        self, file: PersonFile, asker: Asker, query: ExplainQuery, words: str, recall: Recall | None
    ) -> tuple[ExplainAnswer, SearchRequest]:
        again, interpreter = _again(query, words, recall), self._interpreter

        def interpreted(reading: Reading) -> SearchRequest:
            profile = reading.profile
            asked = interpreter.request(asker.space, put_by_name(reading.searched, again, profile.speakers), profile)
            return asked.limited_to(among(reading.db, query))

        request = await file.read(interpreted)
        if request is None:
            raise NotFound("nothing was known of this person")
        request = request._replace(vector=await interpreter.vector(request, self._files.scope_of(asker)))
        terms = recall.asked if recall else None
        budget = terms.budget_tokens if terms else query.budget_tokens
        explained = Explained(_as_of(request, recall), budget, query.most_candidates, recall)
        answer = await file.read(
            lambda reading: explain(reading.searched, explained, position=reading.position, at_number=reading.file.number)
        )
        assert answer is not None  # noqa: S101 - something was known a moment ago
        return answer, request

    async def _words(self, asker: Asker, query: ExplainQuery, recall: Recall | None) -> str:
        """The text of the turn that asked. Raises Malformed, NotFound."""
        if recall is None:
            raise Malformed("say what to explain: recall_id, or query")
        if (turn := recall.turn_id) is None:
            raise NotFound(f"the recall does not name the turn that asked, and holds no words; {_AGAIN}")
        words = await self._files.read(asker, query, lambda reading: words_of_turn(reading.db, turn))
        if words is None:
            raise NotFound(f"the turn that asked is not recorded, and a recall holds no words; {_AGAIN}")
        return words


async def find_recall(client: Client, scope: Scope, recall_id: str) -> Recall:
    """The record of a recall. Raises NotFound, Unavailable."""
    async with aclosing(scope_batches(client, scope, types=(MemoriesRecalled,))) as batches:
        async for batch in batches:
            for recorded in batch:
                data = recorded.event.data
                recalls = data.recalls if isinstance(data, MemoriesRecalled) else ()
                if found := next((recall for recall in recalls if recall.recall_id == recall_id), None):
                    return found
    raise NotFound("no recall of this person has this id; a context without memories, or with record=false, is not recorded")


def _again(query: ExplainQuery, words: str, recall: Recall | None) -> ContextQuery:
    """The context query that led to the recall; the terms that no recall records are those of the `explain` query."""
    terms = recall.asked if recall else None
    return ContextQuery(
        query=words[:MAX_QUERY_CHARACTERS],
        session_id=recall.session_id if recall else query.session_id,
        kinds=terms.kinds if terms else query.kinds,
        limit=terms.limit if terms else query.limit,
        preset=query.preset,
        ranking=terms.ranking if terms else query.ranking,
    ).in_full


def _as_of(request: SearchRequest, recall: Recall | None) -> SearchRequest:
    """The request with the moment and the time zone of the recall."""
    if recall is None:
        return request
    zone = ZoneInfo(recall.asked.time_zone) if recall.asked else request.zone
    return request._replace(now=recall.computed_at, zone=zone)
