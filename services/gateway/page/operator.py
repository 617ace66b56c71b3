"""What an operator sees: how it goes, in numbers and plots of the last hours, without anybody's text or id."""

from typing import Any

from fastapi import APIRouter, Response
from pydantic_core import from_json

from services.gateway.page.views.operating import BINS, HOURS, operating_view, span
from services.gateway.page.views.plots import svg
from services.gateway.page.visiting import PageRoute, Visited
from services.gateway.people import require_right
from services.gateway.rooms import Rooms
from services.gateway.sampling import SERVICES
from shared.contracts.access import Right
from shared.contracts.errors import MemstreamError

router = APIRouter(route_class=PageRoute)


@router.get("/operator")
async def operator(visit: Visited) -> Response:
    """Numbers, plots, jobs and services."""
    require_right(visit.known, Right.OPERATE)
    sampler = visit.rooms.sampler
    bins = sampler.ring.binned(BINS, until=visit.words.now, span=span())
    services = {service: service in sampler.answering for service in SERVICES}
    spaces = len(sampler.ring.values_of("memstream_space_events_total", "space"))
    seen = operating_view(bins, await _jobs(visit.rooms), services, visit.words, spaces=spaces)
    return visit.page("operator.html", seen=seen, hours=HOURS, draw=lambda plot: svg(plot, visit.words, hours=HOURS))


async def _jobs(rooms: Rooms) -> list[dict[str, Any]]:
    """The jobs as maintenance lists them; none where it does not answer, which the page says elsewhere."""
    try:
        told: dict[str, list[dict[str, Any]]] = from_json(await rooms.reports.ask("admin.maintenance.jobs", {}))
    except MemstreamError:
        return []
    return told["jobs"]
