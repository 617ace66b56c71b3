"""What a bot would be told when somebody says these words, and why."""

from fastapi import APIRouter, Response

from services.gateway.page.asking import ask
from services.gateway.page.finding import MOST_CHARACTERS, sought_in
from services.gateway.page.forms import Sent
from services.gateway.page.views.told import why_view
from services.gateway.page.visiting import PageRoute, Visited
from shared.contracts.queries import ExplainAnswer, ExplainQuery

router = APIRouter(route_class=PageRoute)

_CANDIDATES = 30


@router.post("/why")
async def send_words(form: Sent) -> Response:
    """Go on to what would be told for some words."""
    words = form.needed("words")[:MOST_CHARACTERS]
    return form.visit.go(form.visit.finding(words=words).replace("/find", "/why", 1))


@router.get("/why")
async def why(visit: Visited, q: str = "") -> Response:
    """What would be told, what would be left out, and why. Nothing is recorded."""
    words = sought_in(visit, q).words if q else ""
    if not words:
        visit.person  # noqa: B018 - who may not read sees no form either
        return visit.page("why.html", words="", seen=None)
    answer = await ask(visit.person, ExplainQuery(query=words, most_candidates=_CANDIDATES), ExplainAnswer)
    return visit.page("why.html", words=words, seen=why_view(answer))
