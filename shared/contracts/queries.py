# ruff: noqa: F403, F405 - the one door to all queries and answers
"""The queries and their answers, by name.

An answer is the model's JSON, or `{"error": {"code": ..., "message": ...}}`.
"""

from __future__ import annotations

from . import asked
from .answers import *
from .asked import *
from .contract import Contract, declared
from .errors import MemstreamError, error_classes
from .log_answers import *
from .memories import *

QUERIES: dict[str, type[Asked]] = {model.query_name: model for model in declared(Asked, vars(asked))}
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
