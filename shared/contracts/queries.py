"""The queries and their answers, by name.

An answer is the model's JSON, or `{"error": {"code": ..., "message": ...}}`.
"""

from __future__ import annotations

from . import asked
from .answers import (
    Answer,
    CommandAnswer,
    Considered,
    ContextAnswer,
    EntityAnswer,
    ExplainAnswer,
    Fate,
    LegFailure,
    LegScore,
    ListAnswer,
    SearchAnswer,
    ShowAnswer,
    SimilarAnswer,
    SimilarMemory,
    Source,
    StatsAnswer,
    SummaryAnswer,
    Topic,
)
from .asked import (
    DEFAULT_BUDGET_TOKENS,
    DEFAULT_CONTEXT_ITEMS,
    MAX_QUERY_CHARACTERS,
    Asked,
    AuditQuery,
    ContextQuery,
    EntityQuery,
    ExplainQuery,
    ExportQuery,
    ForgetPreviewQuery,
    ListQuery,
    OfThen,
    OutcomeQuery,
    Preset,
    Query,
    ReceiptQuery,
    SearchQuery,
    ShowQuery,
    SimilarQuery,
    StatsQuery,
    SummaryQuery,
)
from .contract import Contract, declared
from .errors import MemstreamError, error_classes
from .log_answers import (
    AuditAnswer,
    AuditEntry,
    ExportAnswer,
    ForgetPreviewAnswer,
    OutcomeAnswer,
    ReceiptAnswer,
    Verdict,
    WouldForget,
)
from .memories import KnownEntity, Memory, MemoryDetail, MentionedEntity, Repeat, ScoredMemory

__all__ = [
    "ANSWERS",
    "DEFAULT_BUDGET_TOKENS",
    "DEFAULT_CONTEXT_ITEMS",
    "MAX_QUERY_CHARACTERS",
    "QUERIES",
    "Answer",
    "Asked",
    "AuditAnswer",
    "AuditEntry",
    "AuditQuery",
    "CommandAnswer",
    "Considered",
    "ContextAnswer",
    "ContextQuery",
    "EntityAnswer",
    "EntityQuery",
    "ErrorAnswer",
    "ExplainAnswer",
    "ExplainQuery",
    "ExportAnswer",
    "ExportQuery",
    "Fate",
    "ForgetPreviewAnswer",
    "ForgetPreviewQuery",
    "KnownEntity",
    "LegFailure",
    "LegScore",
    "ListAnswer",
    "ListQuery",
    "Memory",
    "MemoryDetail",
    "MentionedEntity",
    "OfThen",
    "OutcomeAnswer",
    "OutcomeQuery",
    "Preset",
    "Problem",
    "Query",
    "ReceiptAnswer",
    "ReceiptQuery",
    "Repeat",
    "ScoredMemory",
    "SearchAnswer",
    "SearchQuery",
    "ShowAnswer",
    "ShowQuery",
    "SimilarAnswer",
    "SimilarMemory",
    "SimilarQuery",
    "Source",
    "StatsAnswer",
    "StatsQuery",
    "SummaryAnswer",
    "SummaryQuery",
    "Topic",
    "Verdict",
    "WouldForget",
]

QUERIES: dict[str, type[Asked]] = {model.query_name: model for model in declared(Asked, "query_name", vars(asked))}
"""Every query by its name, the last token of its subject."""

ANSWERS: dict[str, type[Contract]] = {name: model.answer for name, model in QUERIES.items()}
"""What each query is answered with."""


class Problem(Contract):
    """An error as it travels in a reply."""

    code: str
    message: str


class ErrorAnswer(Contract):
    """The reply to a query that failed."""

    error: Problem

    @classmethod
    def of(cls, error: MemstreamError) -> ErrorAnswer:
        """The reply for an error."""
        return cls(error=Problem(code=error.code, message=error.message))

    def raised(self) -> MemstreamError:
        """The error of the same code, to raise on the asking side."""
        return error_classes().get(self.error.code, MemstreamError)(self.error.message)
