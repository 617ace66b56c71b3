"""Questions to the person: which of two facts holds."""

from typing import Annotated

from fastapi import APIRouter, Path, Query, Response
from pydantic import Field

from services.gateway.answers import MinPosition, answered, query
from services.gateway.rooms import MayRead, MayWrite
from services.gateway.writing import WRITES, Written
from shared.contracts.conflicts import Holds
from shared.contracts.contract import Contract
from shared.contracts.queries import ConflictsAnswer, ConflictsQuery

router = APIRouter(prefix="/conflicts", tags=["questions"])


class ConflictChoice(Contract):
    """Which of the two facts holds."""

    holds: Holds = Field(description="both: nothing ends; neither: both facts are retired.", examples=["newer"])


@router.get("", response_model=ConflictsAnswer)
async def conflicts(
    person: MayRead,
    limit: Annotated[int, Query(ge=1, le=200, description="Most questions.")] = 50,
    min_position: MinPosition = 0,
) -> Response:
    """The facts that may contradict each other, and what to ask the person."""
    return await answered(person, query(ConflictsQuery, limit=limit, min_position=min_position))


@router.post("/{conflict_id}/answer", **WRITES)
async def answer_conflict(
    person: MayWrite,
    writing: Written,
    conflict_id: Annotated[str, Path(min_length=1, max_length=64, description="The question.")],
    answer: ConflictChoice,
) -> Response:
    """Say which of the two holds."""
    return await writing.carry_out(person, "answer_conflict", {"conflict_id": conflict_id, "holds": answer.holds})
