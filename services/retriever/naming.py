"""Puts a query with the names under which people speak, where it calls them otherwise."""

from collections.abc import Collection

from services.retriever.store.calling import as_called
from services.retriever.store.search.searched_file import SearchedFile
from shared.contracts.queries import ContextQuery, SearchQuery
from shared.runtime.logs import log
from shared.runtime.metrics import LEG_FAILURES


def put_by_name(file: SearchedFile, query: ContextQuery | SearchQuery, speakers: Collection[str]) -> ContextQuery | SearchQuery:
    """The query with the names of these speakers in the place of others that mean them; as it is where that cannot be told."""
    try:
        question = as_called(file, query.query, speakers)
    except Exception:  # noqa: BLE001 - whatever it stumbles over, the answer must come; it is named and counted
        log.warning("leg.failed", leg="names", exc_info=True)
        LEG_FAILURES.labels("names").inc()
        return query
    return query if question == query.query else query.model_copy(update={"query": question})
