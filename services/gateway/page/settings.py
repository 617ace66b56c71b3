"""What a person sets: memory on and off, incognito by default; downloading, leaving."""

from fastapi import APIRouter, Response

from services.gateway.page.asking import At, ask
from services.gateway.page.forms import Sent
from services.gateway.page.visiting import PageRoute, Visited
from shared.contracts.errors import Malformed
from shared.contracts.queries import StatsAnswer, StatsQuery

router = APIRouter(route_class=PageRoute)

_SWITCHES = {"memory_enabled", "incognito_default"}
_STATES = {"on": True, "off": False}


@router.get("/settings")
async def settings(visit: Visited, at: At = 0) -> Response:
    """The switches as they stand."""
    stats = await ask(visit.person, StatsQuery(min_position=at), StatsAnswer)
    switches = {
        "memory_enabled": stats.settings.memory_enabled is not False,
        "incognito_default": stats.settings.incognito_default is True,
    }
    return visit.page("settings.html", switches=switches)


@router.post("/settings")
async def switch(form: Sent) -> Response:
    """Turn a switch."""
    name, state = form.one("name"), _STATES.get(form.one("to"))
    if name not in _SWITCHES or state is None:
        raise Malformed
    decided = await form.decide("change_settings", settings={name: state})
    return form.visit.go("/settings", done="settings", position=decided.position)
