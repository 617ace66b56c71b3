"""Questions to the person: which of two facts holds."""

from typing import Annotated

from fastapi import APIRouter, Path, Response

from services.gateway.page.asking import At, ask
from services.gateway.page.forms import Sent
from services.gateway.page.visiting import PageRoute, Visited
from shared.contracts.queries import ConflictsAnswer, ConflictsQuery

router = APIRouter(route_class=PageRoute)

_MOST = 50


@router.get("/questions")
async def questions(visit: Visited, at: At = 0) -> Response:
    """The open questions, the latest first."""
    asked = await ask(visit.person, ConflictsQuery(limit=_MOST, min_position=at), ConflictsAnswer)
    return visit.page("questions.html", questions=asked.conflicts)


@router.post("/questions/{conflict_id}")
async def answer(form: Sent, conflict_id: Annotated[str, Path(min_length=1, max_length=64)]) -> Response:
    """Settle a question."""
    decided = await form.decide("answer_conflict", conflict_id=conflict_id, holds=form.needed("holds"))
    return form.visit.go("/questions", done="answered", position=decided.position)
