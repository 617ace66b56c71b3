"""Extracts facts with a model, at any endpoint that speaks OpenAI's chat completions.

What was said goes to that endpoint and nowhere else: no text is logged, and no error carries any.
"""

from services.consolidator.llm.dialect import AnswerFormat
from services.consolidator.llm.errors import (
    AnswerInvalid,
    AnswerTruncated,
    BudgetSpent,
    EndpointBusy,
    EndpointFailed,
    EndpointTimedOut,
    EndpointUnreachable,
    ModelRefused,
    PageTooLong,
)
from services.consolidator.llm.extractor import LlmExtractor

__all__ = [
    "AnswerFormat",
    "AnswerInvalid",
    "AnswerTruncated",
    "BudgetSpent",
    "EndpointBusy",
    "EndpointFailed",
    "EndpointTimedOut",
    "EndpointUnreachable",
    "LlmExtractor",
    "ModelRefused",
    "PageTooLong",
]
