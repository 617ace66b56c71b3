"""The first page: what is remembered, by topic; what is pinned; what is to be answered."""

import asyncio

from fastapi import APIRouter, Response

from services.gateway.page.asking import At, ask
from services.gateway.page.views.overview import overview_view
from services.gateway.page.visiting import PageRoute, Visited
from shared.contracts.queries import (
    ConflictsAnswer,
    ConflictsQuery,
    ListAnswer,
    ListQuery,
    StatsAnswer,
    StatsQuery,
    SummaryAnswer,
    SummaryQuery,
)

router = APIRouter(route_class=PageRoute)

_FACTS_OF_A_TOPIC = 4
_TOPICS = 12
_PINNED = 6
_QUESTIONS = 20


@router.get("/")
async def overview(visit: Visited, at: At = 0) -> Response:
    """What is remembered, by topic."""
    if not visit.is_of_person and visit.is_operator:
        return visit.go("/operator")
    person = visit.person
    summary, stats, pinned, questions = await asyncio.gather(
        ask(person, SummaryQuery(limit=_FACTS_OF_A_TOPIC, topics=_TOPICS, min_position=at), SummaryAnswer),
        ask(person, StatsQuery(min_position=at), StatsAnswer),
        ask(person, ListQuery(pinned=True, limit=_PINNED, min_position=at), ListAnswer),
        ask(person, ConflictsQuery(limit=_QUESTIONS, min_position=at), ConflictsAnswer),
    )
    return visit.page("overview.html", seen=overview_view(summary, stats, pinned), questions=questions.conflicts)
