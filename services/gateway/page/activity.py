"""Who did what, in words."""

from fastapi import APIRouter, Response

from services.gateway.answers import query
from services.gateway.page.asking import At, Before, ask
from services.gateway.page.views.trail import trail_lines
from services.gateway.page.visiting import PageRoute, Visited
from shared.contracts.queries import AuditAnswer, AuditQuery

router = APIRouter(route_class=PageRoute)

_PAGE = 60
_TIMEOUT_S = 15.0


@router.get("/activity")
async def activity(visit: Visited, before: Before = None, at: At = 0) -> Response:
    """A page of the trail, newest first."""
    asked = query(AuditQuery, limit=_PAGE, timeout_s=_TIMEOUT_S, min_position=at, before_number=before)
    trail = await ask(visit.person, asked, AuditAnswer)
    return visit.page("activity.html", lines=trail_lines(trail.entries), next_before=trail.next_before_number)
