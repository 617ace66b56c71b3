"""Subscribes to the queries that the retriever answers: a handler takes the asker from the subject and passes the query on."""

import inspect
from collections.abc import Awaitable, Callable
from typing import Annotated, TypeVar

from faststream import Depends
from faststream.nats import NatsRouter

from services.retriever.answerer import Answerer
from services.retriever.differing import Differences
from services.retriever.explainer import Explainer
from services.retriever.history import History
from services.retriever.person_files import PersonFiles
from services.retriever.reports import PartReports, WholeReports
from services.retriever.store import entity_list, overview
from services.retriever.store.conflicts import conflicts, no_conflicts
from services.retriever.store.conversations import conversations, episodes, no_conversations
from services.retriever.store.memory_detail import show
from services.retriever.store.shared_tags import no_shares, shares
from shared.contracts import queries
from shared.contracts.contract import Contract
from shared.contracts.queries import Query
from shared.runtime.asking import Asker
from shared.runtime.broker import QueryBroker, answer_with, asker

Q = TypeVar("Q", bound=Query)


async def _asker() -> Asker:
    """Asynchronous for speed: a plain function would be called in a thread, for every query."""
    return asker()


def make_router(answerer: Answerer, explainer: Explainer, files: PersonFiles) -> NatsRouter:
    """A router with a handler for each query that is not answered directly."""
    router, history = NatsRouter(), History(files)
    subscribe(router, queries.ListQuery, answerer.list)
    subscribe(router, queries.DiffQuery, Differences(files).diff)
    subscribe(router, queries.ShowQuery, answerer.looking(show))
    subscribe(router, queries.EntityQuery, answerer.looking(overview.profile))
    subscribe(router, queries.EntitiesQuery, answerer.looking(entity_list.listed, entity_list.no_entities))
    subscribe(router, queries.SummaryQuery, answerer.looking(overview.summary, overview.no_summary))
    subscribe(router, queries.SimilarQuery, answerer.similar)
    subscribe(router, queries.StatsQuery, answerer.looking(overview.stats, overview.no_stats))
    subscribe(router, queries.SessionsQuery, answerer.looking(conversations, no_conversations))
    subscribe(router, queries.EpisodesQuery, answerer.looking(episodes))
    subscribe(router, queries.ConflictsQuery, answerer.looking(conflicts, no_conflicts))
    subscribe(router, queries.SharesQuery, answerer.looking(shares, no_shares))
    subscribe(router, queries.ExplainQuery, explainer.explain)
    subscribe(router, queries.AuditQuery, history.audit)
    subscribe(router, queries.ExportQuery, history.export)
    return router


def answer_directly(broker: QueryBroker, answerer: Answerer) -> None:
    """Answer the queries that are asked before every turn of a conversation."""
    broker.direct.add(queries.ContextQuery, answerer.context)
    broker.direct.add(queries.SearchQuery, answerer.search)
    broker.documented.include_router(make_documented_router())


def make_documented_router() -> NatsRouter:
    """A router that is never started: what the AsyncAPI document says of the queries that are answered directly."""
    router = NatsRouter()
    for kind in (queries.ContextQuery, queries.SearchQuery):
        subscribe(router, kind, _undefined)
    return router


async def _undefined(_: Asker, query: Query) -> Contract:
    raise NotImplementedError(f"{query.query_name} is answered directly")


def make_report_router(before: str, reports: PartReports | WholeReports) -> NatsRouter:
    """A router that answers the operator on subjects which begin so."""
    router = NatsRouter()
    for handler in (reports.status, reports.measured, reports.digests, reports.compare, reports.rebuild):
        router.subscriber(f"{before}.{handler.__name__}")(handler)
    router.subscriber(f"{before}.quarantine")(reports.quarantined)
    router.subscriber(f"{before}.quarantine_retry")(reports.retry)
    return router


def subscribe(router: NatsRouter, kind: type[Q], answer: Callable[[Asker, Q], Awaitable[Contract]]) -> None:
    """Answer every query of this kind. FastStream reads from a handler's annotations what it takes and returns."""

    async def handler(query: Q, of: Asker) -> Contract:
        return await answer(of, query)

    handler.__name__, handler.__doc__ = kind.query_name, inspect.getdoc(kind)
    handler.__annotations__ = {"query": kind, "of": Annotated[Asker, Depends(_asker)], "return": kind.answer}
    answer_with(handler, router, kind.query_name, queue="retriever")
