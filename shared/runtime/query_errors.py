"""Turns every error of a query into an answer, so that whoever asks need not wait for a timeout."""

from shared.contracts.errors import DiskFull, Malformed, MemstreamError
from shared.contracts.queries import ErrorAnswer
from shared.runtime.full_disk import tell_full
from shared.runtime.logs import log
from shared.runtime.metrics import QUERY_ERRORS


def error_answer(error: Exception) -> ErrorAnswer:
    """What whoever asked is told. Of errors that are our own fault only the log says more."""
    if isinstance(error, DiskFull):  # what an operator must know, too
        tell_full(error)
    if isinstance(error, MemstreamError):
        return ErrorAnswer.of(error)
    if isinstance(error, RecursionError):
        log.warning("query.too_deep", exc_info=error)  # the reader of JSON goes down a level for each bracket
        return ErrorAnswer.of(Malformed("the query is nested too deeply"))
    log.error("query.failed", exc_info=error)
    return ErrorAnswer.of(MemstreamError("the query failed inside memstream; its log says why"))


def counted_answer(error: Exception, query: str) -> ErrorAnswer:
    """The answer to a query that failed, counted as the answer to a query of this name."""
    answer = error_answer(error)
    QUERY_ERRORS.labels(query, answer.error.code).inc()
    return answer
