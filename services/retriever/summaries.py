"""Answers what is known as a whole: read from the file, written as a page."""

from __future__ import annotations

from services.retriever.domain.summary import summary_markdown
from services.retriever.store import overview
from services.retriever.store.entity_lookup import most_mentioned
from services.retriever.store.legs import Connection
from shared.contracts.parts import Kind
from shared.contracts.queries import SummaryAnswer, SummaryQuery

_ENTITIES = 10


def summary(db: Connection, query: SummaryQuery, *, position: int) -> SummaryAnswer:
    """What is known, by topic."""
    counts = overview.active(db)
    topics = overview.topics(db, query)
    entities = most_mentioned(db, _ENTITIES)
    return SummaryAnswer(
        position=position,
        markdown=summary_markdown(counts, topics, entities),
        topics=tuple(topics),
        memories=counts,
        entities=tuple(entities),
    )


def no_summary(position: int) -> SummaryAnswer:
    """The summary of someone of whom nothing is known."""
    return SummaryAnswer(position=position, markdown="", topics=(), memories=dict.fromkeys(Kind, 0), entities=())
