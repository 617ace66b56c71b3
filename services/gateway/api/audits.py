"""Who did what, when."""

from datetime import datetime
from typing import Annotated

from fastapi import APIRouter, Query, Response
from pydantic import Field

from services.gateway.answers import Cursor, MinPosition, before, page_of, query
from services.gateway.rooms import MayRead
from shared.contracts.contract import Contract
from shared.contracts.queries import AuditEntry, AuditQuery

router = APIRouter(tags=["audit"])
_TIMEOUT_S = 15.0


class AuditPage(Contract):
    """A page of the trail, newest first; ids, counts and codes, no text."""

    entries: tuple[AuditEntry, ...]
    next_cursor: str | None = Field(default=None, description="`cursor` of the next page; null: no more.")
    position: int = Field(description="The person's last event that is known.")


@router.get("/audit", response_model=AuditPage)
async def audit(
    person: MayRead,
    *,
    since: Annotated[datetime | None, Query(description="Only what was recorded at this moment or later.")] = None,
    type: Annotated[list[str] | None, Query(max_length=64, description="Only events of these types.")] = None,  # noqa: A002
    everything: Annotated[bool, Query(description="Turns, vectors, enrichments and recalls as well.")] = False,
    limit: Annotated[int, Query(ge=1, le=500, description="Most entries of a page.")] = 100,
    cursor: Cursor = None,
    min_position: MinPosition = 0,
) -> Response:
    """Who did what, by which channel, and what came of it."""
    asked = query(
        AuditQuery,
        since=since,
        types=type,
        everything=everything,
        limit=limit,
        before_number=before(cursor),
        min_position=min_position,
        timeout_s=_TIMEOUT_S,
    )
    return await page_of(person, asked)
