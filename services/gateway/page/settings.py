"""What a person sets: memory on and off, incognito by default; downloading, leaving."""

import asyncio

from fastapi import APIRouter, Response

from services.gateway.page.asking import At, ask
from services.gateway.page.forms import Sent
from services.gateway.page.visiting import PageRoute, Visited
from shared.contracts.errors import Malformed
from shared.contracts.queries import SharesAnswer, SharesQuery, StatsAnswer, StatsQuery, SummaryAnswer, SummaryQuery

router = APIRouter(route_class=PageRoute)

_SWITCHES = {"memory_enabled", "incognito_default"}
_MOST_TOPICS = 50
_STATES = {"on": True, "off": False}


@router.get("/settings")
async def settings(visit: Visited, at: At = 0) -> Response:
    """The switches as they stand."""
    person = visit.person
    stats, shared, known = await asyncio.gather(
        ask(person, StatsQuery(min_position=at), StatsAnswer),
        ask(person, SharesQuery(min_position=at), SharesAnswer),
        ask(person, SummaryQuery(limit=1, topics=_MOST_TOPICS, min_position=at), SummaryAnswer),
    )
    switches = {
        "memory_enabled": stats.settings.memory_enabled is not False,
        "incognito_default": stats.settings.incognito_default is True,
    }
    return visit.page(
        "settings.html", switches=switches, shares=shared.shares, topics=[each.tag for each in known.topics if each.tag]
    )


@router.post("/settings")
async def switch(form: Sent) -> Response:
    """Turn a switch."""
    name, state = form.one("name"), _STATES.get(form.one("to"))
    if name not in _SWITCHES or state is None:
        raise Malformed
    decided = await form.decide("change_settings", settings={name: state})
    return form.visit.go("/settings", done="settings", position=decided.position)
