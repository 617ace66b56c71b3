"""Subscribes to the queries that the retriever answers: a handler takes the asker from the subject and passes the query on."""

import inspect
from collections.abc import Awaitable, Callable
from typing import Annotated, TypeVar

from faststream import Depends
from faststream.nats import NatsRouter

from services.retriever.answerer import Answerer
from services.retriever.explainer import Explainer
from services.retriever.history import History
from services.retriever.person_files import Asker, PersonFiles
from services.retriever.store import overview
from services.retriever.store.conflicts import conflicts, no_conflicts
from services.retriever.store.conversations import conversations, episodes, no_conversations
from services.retriever.store.memory_detail import show
from services.retriever.store.similar_memories import nearest
from shared.contracts import queries
from shared.contracts.contract import Contract
from shared.contracts.queries import Query
from shared.runtime.broker import asked_of

_WORKERS = 32
Q = TypeVar("Q", bound=Query)


async def _asker() -> Asker:
    """Asynchronous for speed: a plain function would be called in a thread, for every query."""
    return Asker(*asked_of())


def make_router(answerer: Answerer, explainer: Explainer, files: PersonFiles) -> NatsRouter:
    """A router with a handler for each query."""
    router, history = NatsRouter(), History(files)
    subscribe(router, queries.ContextQuery, answerer.context)
    subscribe(router, queries.SearchQuery, answerer.search)
    subscribe(router, queries.ListQuery, answerer.list)
    subscribe(router, queries.ShowQuery, answerer.looking(show))
    subscribe(router, queries.EntityQuery, answerer.looking(overview.profile))
    subscribe(router, queries.SummaryQuery, answerer.looking(overview.summary, overview.no_summary))
    subscribe(router, queries.SimilarQuery, answerer.looking(nearest))
    subscribe(router, queries.StatsQuery, answerer.looking(overview.stats, overview.no_stats))
    subscribe(router, queries.SessionsQuery, answerer.looking(conversations, no_conversations))
    subscribe(router, queries.EpisodesQuery, answerer.looking(episodes))
    subscribe(router, queries.ConflictsQuery, answerer.looking(conflicts, no_conflicts))
    subscribe(router, queries.ExplainQuery, explainer.explain)
    subscribe(router, queries.AuditQuery, history.audit)
    subscribe(router, queries.ExportQuery, history.export)
    router.subscriber("admin.retriever.status")(files.status)
    router.subscriber("admin.retriever.digests")(files.digests)
    return router


def subscribe(router: NatsRouter, kind: type[Q], answer: Callable[[Asker, Q], Awaitable[Contract]]) -> None:
    """Answer every query of this kind. FastStream reads from a handler's annotations what it takes and returns."""

    async def handler(query: Q, asker: Asker) -> Contract:
        return await answer(asker, query)

    handler.__name__, handler.__doc__ = kind.query_name, inspect.getdoc(kind)
    handler.__annotations__ = {"query": kind, "asker": Annotated[Asker, Depends(_asker)], "return": kind.answer}
    router.subscriber(f"ask.{{space}}.{{user}}.{kind.query_name}", queue="retriever", max_workers=_WORKERS)(handler)
