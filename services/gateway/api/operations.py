"""What became of a write."""

from typing import Annotated

from fastapi import APIRouter, Path, Query, Response

from services.gateway.rooms import MayRead
from services.gateway.writing import LONGEST_WAIT_S, WRITES, operation_of

router = APIRouter(prefix="/operations", tags=["operations"])


@router.get("/{operation_id}", **WRITES)
async def operation(
    person: MayRead,
    operation_id: Annotated[str, Path(max_length=128, description="As the write was answered.")],
    wait: Annotated[float, Query(ge=0, le=LONGEST_WAIT_S, description="Seconds to wait for the decision.")] = 0.0,
) -> Response:
    """What became of a write: 200 once it is decided, 202 before."""
    return await operation_of(person, operation_id, wait_s=wait)
