"""Conversations: what was learned from each, and whether it is kept."""

import asyncio

from fastapi import APIRouter, Response

from services.gateway.page.asking import At, ask
from services.gateway.page.finding import sought_in
from services.gateway.page.forms import Sent
from services.gateway.page.views.conversations import ENDED, STARTED, conversation_views
from services.gateway.page.visiting import PageRoute, Visited
from shared.contracts.errors import Malformed
from shared.contracts.queries import AuditAnswer, AuditQuery, SessionsAnswer, SessionsQuery

router = APIRouter(route_class=PageRoute)

_MOST, _MOST_SWITCHES = 50, 500
_SWITCHES = {"start": ("start_incognito", "incognito_started"), "end": ("end_incognito", "incognito_ended")}


@router.get("/conversations")
async def conversations(visit: Visited, at: At = 0) -> Response:
    """The last conversations."""
    switches = AuditQuery(types=(STARTED, ENDED), limit=_MOST_SWITCHES, min_position=at)
    listed, trail = await asyncio.gather(
        ask(visit.person, SessionsQuery(limit=_MOST, min_position=at), SessionsAnswer),
        ask(visit.person, switches, AuditAnswer),
    )
    return visit.page("conversations.html", conversations=conversation_views(listed.sessions, trail.entries))


@router.post("/conversations/incognito")
async def switch_incognito(form: Sent) -> Response:
    """Have a conversation kept, or not, from now on."""
    if (switched := _SWITCHES.get(form.one("switch"))) is None:
        raise Malformed
    what, done = switched
    session_id = sought_in(form.visit, form.needed("q")).session
    decided = await form.decide(what, session_id=session_id)
    return form.visit.go("/conversations", done=done, position=decided.position)


@router.post("/conversations/undo")
async def undo(form: Sent) -> Response:
    """Take back what a run has learned."""
    decided = await form.decide("undo", run_id=form.needed("run_id"))
    return form.visit.go("/conversations", done="undone", position=decided.position)
