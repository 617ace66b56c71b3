"""What can be asked of the retriever. Each handler reads the subject and the query, and hands both to who answers."""

# Without `from __future__ import annotations`: FastStream 0.7 resolves the parameters of nested handlers at definition.

from typing import Annotated

from faststream import Depends
from faststream.nats import NatsRouter

from services.retriever.answerer import Answerer
from services.retriever.explainer import Explainer
from services.retriever.history import History
from services.retriever.person_files import Asker, PersonFiles
from shared.contracts.queries import (
    AuditAnswer,
    AuditQuery,
    ContextAnswer,
    ContextQuery,
    EntityAnswer,
    EntityQuery,
    ExplainAnswer,
    ExplainQuery,
    ExportAnswer,
    ExportQuery,
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
from shared.runtime.broker import asked_of

_WORKERS = 32


async def _asker() -> Asker:
    """Asynchronous for speed: a plain function would be called in a thread, for every query."""
    return Asker(*asked_of())


Who = Annotated[Asker, Depends(_asker)]


def make_router(answerer: Answerer, explainer: Explainer, files: PersonFiles) -> NatsRouter:
    """The handlers, bound to those who answer."""
    router = NatsRouter()

    @router.subscriber("ask.{space}.{user}.context", queue="retriever", max_workers=_WORKERS)
    async def context(query: ContextQuery, asker: Who) -> ContextAnswer:
        """What do I know that matters here?"""
        return await answerer.context(asker, query)

    @router.subscriber("ask.{space}.{user}.search", queue="retriever", max_workers=_WORKERS)
    async def search(query: SearchQuery, asker: Who) -> SearchAnswer:
        """Memories by their words."""
        return await answerer.search(asker, query)

    @router.subscriber("ask.{space}.{user}.list", queue="retriever", max_workers=_WORKERS)
    async def list_(query: ListQuery, asker: Who) -> ListAnswer:
        """Memories, newest first."""
        return await answerer.list(asker, query)

    @router.subscriber("ask.{space}.{user}.show", queue="retriever", max_workers=_WORKERS)
    async def show(query: ShowQuery, asker: Who) -> ShowAnswer:
        """One memory."""
        return await answerer.show(asker, query)

    @router.subscriber("ask.{space}.{user}.entity", queue="retriever", max_workers=_WORKERS)
    async def entity(query: EntityQuery, asker: Who) -> EntityAnswer:
        """Everything that is known of a person, a place or a thing."""
        return await answerer.entity(asker, query)

    @router.subscriber("ask.{space}.{user}.summary", queue="retriever", max_workers=_WORKERS)
    async def summary(query: SummaryQuery, asker: Who) -> SummaryAnswer:
        """What is known, to read."""
        return await answerer.summary(asker, query)

    @router.subscriber("ask.{space}.{user}.explain", queue="retriever", max_workers=_WORKERS)
    async def explain(query: ExplainQuery, asker: Who) -> ExplainAnswer:
        """Why a context is as it is, or was."""
        return await explainer.explain(asker, query)

    @router.subscriber("ask.{space}.{user}.similar", queue="retriever", max_workers=_WORKERS)
    async def similar(query: SimilarQuery, asker: Who) -> SimilarAnswer:
        """The memories most like one memory."""
        return await answerer.similar(asker, query)

    @router.subscriber("ask.{space}.{user}.stats", queue="retriever", max_workers=_WORKERS)
    async def stats(query: StatsQuery, asker: Who) -> StatsAnswer:
        """How much is remembered."""
        return await answerer.stats(asker, query)

    _add_history(router, History(files))
    _add_admin(router, files)
    return router


def _add_history(router: NatsRouter, history: History) -> None:
    """What is read from the log itself."""

    @router.subscriber("ask.{space}.{user}.audit", queue="retriever", max_workers=_WORKERS)
    async def audit(query: AuditQuery, asker: Who) -> AuditAnswer:
        """Who did what, without text."""
        return await history.audit(asker, query)

    @router.subscriber("ask.{space}.{user}.export", queue="retriever", max_workers=_WORKERS)
    async def export(query: ExportQuery, asker: Who) -> ExportAnswer:
        """Everything that is remembered, page by page."""
        return await history.export(asker, query)


def _add_admin(router: NatsRouter, files: PersonFiles) -> None:
    """What the operator asks."""

    @router.subscriber("admin.retriever.status")
    async def status() -> dict[str, int]:
        """How many files are to be rebuilt, because something was erased from the log."""
        return await files.status()

    @router.subscriber("admin.retriever.digests")
    async def digests() -> dict[str, str | int]:
        """The digests of everything applied so far."""
        return await files.digests()
