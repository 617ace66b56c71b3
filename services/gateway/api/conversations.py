"""Conversations, and what was learned from them."""

from typing import Annotated

from fastapi import APIRouter, Path, Query, Response
from pydantic import Field

from services.gateway.answers import MinPosition, answered, query
from services.gateway.rooms import MayRead, MayWrite
from services.gateway.writing import WRITES, Written
from shared.contracts.contract import Contract
from shared.contracts.queries import SessionsAnswer, SessionsQuery

router = APIRouter(tags=["conversations"])


class EndedSession(Contract):
    """A conversation that is over."""

    session_id: str = Field(min_length=1, max_length=256, description="The conversation.", examples=["tuesday"])


@router.get("/sessions", response_model=SessionsAnswer)
async def sessions(
    person: MayRead,
    *,
    session_id: Annotated[str | None, Query(min_length=1, max_length=256, description="Only this one.")] = None,
    limit: Annotated[int, Query(ge=1, le=500, description="Most sessions.")] = 50,
    min_position: MinPosition = 0,
) -> Response:
    """The conversations with the runs that learned from them, the latest first."""
    return await answered(person, query(SessionsQuery, session_id=session_id, limit=limit, min_position=min_position))


@router.post("/sessions/end", **WRITES)
async def end_session(person: MayWrite, writing: Written, session: EndedSession) -> Response:
    """Say that a conversation is over."""
    return await writing.carry_out(person, "end_session", {"session_id": session.session_id})


@router.post("/runs/{run_id}/undo", **WRITES)
async def undo(
    person: MayWrite, writing: Written, run_id: Annotated[str, Path(min_length=1, max_length=64, description="Of `sessions`.")]
) -> Response:
    """Take back what a run has learned."""
    return await writing.carry_out(person, "undo", {"run_id": run_id})


@router.post("/runs/{run_id}/redo", **WRITES)
async def redo(
    person: MayWrite, writing: Written, run_id: Annotated[str, Path(min_length=1, max_length=64, description="Of `sessions`.")]
) -> Response:
    """Do again what was taken back of a run last."""
    return await writing.carry_out(person, "redo", {"run_id": run_id})
