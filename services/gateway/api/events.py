"""ChangeStreams as they happen, as server-sent events."""

from collections.abc import AsyncIterator
from typing import Annotated, Any

from fastapi import APIRouter, Header, Request, Response
from fastapi.responses import StreamingResponse

from services.gateway.changes import change_of
from services.gateway.rooms import KnownBearer
from shared.contracts.access import Right
from shared.contracts.errors import MemstreamError

router = APIRouter(tags=["changes"])

_STREAM = "text/event-stream"
_BEAT_S = 15.0
_DOCUMENTED: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "An event `change` for each, whose data is JSON, and whose id goes into `Last-Event-ID`.",
        "content": {_STREAM: {"schema": {"type": "string"}}},
    }
}


@router.get("/events", response_class=StreamingResponse, responses=_DOCUMENTED)
async def events(
    request: Request,
    asked: KnownBearer,
    last_event_id: Annotated[
        int | None, Header(alias="Last-Event-ID", ge=1, le=2**63, description="What came after this one is told first.")
    ] = None,
) -> Response:
    """What changes in this person's memory, from now on; ids and codes, no text."""
    person = asked.person(Right.READ)
    changes = asked.rooms.changes
    with changes.place(asked.grant.key):
        missed = await changes.begin(person, last_event_id)

    async def told() -> AsyncIterator[str]:
        with changes.place(asked.grant.key):
            yield ": what changes from now on\n\n"
            async for event in changes.follow(person, missed, beat_s=_BEAT_S):
                try:
                    asked.rooms.still_granted(request)
                except MemstreamError:  # revoked or expired meanwhile
                    return
                change = change_of(event) if event else None
                if change and event:
                    yield f"id: {event.position}\nevent: change\ndata: {change.model_dump_json()}\n\n"
                elif event is None:
                    yield ":\n\n"

    return StreamingResponse(told(), media_type=_STREAM, headers={"x-accel-buffering": "no"})
