"""Search, context and why they were as they were. The words stand in the body, never in a URL that somebody logs."""

from fastapi import APIRouter, Response

from services.gateway.answers import answered
from services.gateway.rooms import MayRead
from shared.contracts.queries import (
    ContextAnswer,
    ContextQuery,
    ExplainAnswer,
    ExplainQuery,
    SearchAnswer,
    SearchQuery,
)

router = APIRouter(tags=["reading"])


@router.post("/search", response_model=SearchAnswer)
async def search(person: MayRead, asked: SearchQuery) -> Response:
    """Memories by their words, best first. Nothing is recorded."""
    return await answered(person, asked)


@router.post("/context", response_model=ContextAnswer)
async def context(person: MayRead, asked: ContextQuery) -> Response:
    """What matters for these words, as items and as a ready block for a prompt."""
    return await answered(person, asked)


@router.post("/explain", response_model=ExplainAnswer)
async def explain(person: MayRead, asked: ExplainQuery) -> Response:
    """Why a context was as it was (`recall_id`), or would be (`query`)."""
    return await answered(person, asked)
