"""Memories in time, the newest first: what holds, what held before, what was known on a day."""

from datetime import UTC, date, datetime, time
from enum import StrEnum
from typing import Annotated, Literal

from fastapi import APIRouter, Query, Response

from services.gateway.answers import query
from services.gateway.page.asking import At, Before, ask
from services.gateway.page.views.lists import months
from services.gateway.page.views.memories import memory_view
from services.gateway.page.visiting import PageRoute, Visited
from shared.contracts.parts import Kind, Standing
from shared.contracts.queries import ListAnswer, ListQuery

router = APIRouter(route_class=PageRoute)

_PAGE = 40


class ShownStanding(StrEnum):
    """Which memories a list shows."""

    NOW = "now"
    REPLACED = "replaced"
    ASIDE = "aside"
    ALL = "all"


class ShownKinds(StrEnum):
    """What a list shows: what was learned, what was said, or both."""

    BOTH = "both"
    FACTS = "facts"
    SAID = "said"


_STANDINGS = {
    ShownStanding.NOW: Standing.ACTIVE,
    ShownStanding.REPLACED: Standing.SUPERSEDED,
    ShownStanding.ASIDE: Standing.RETIRED,
    ShownStanding.ALL: "all",
}
_KINDS = {
    ShownKinds.BOTH: tuple(Kind),
    ShownKinds.FACTS: (Kind.FACT, Kind.ROLLUP, Kind.REFLECTION),
    ShownKinds.SAID: (Kind.EPISODE,),
}


@router.get("/timeline")
async def timeline(
    visit: Visited,
    *,
    show: ShownStanding = ShownStanding.NOW,
    kinds: ShownKinds = ShownKinds.BOTH,
    pinned: Literal["", "1"] = "",
    on: Annotated[str, Query(max_length=10)] = "",
    before: Before = None,
    at: At = 0,
) -> Response:
    """A page of the list."""
    day = day_of(on)
    asked = query(
        ListQuery,
        kinds=_KINDS[kinds],
        status=_STANDINGS[show],
        pinned=True if pinned else None,
        as_of=_end_of(day) if day else None,
        before_number=before,
        limit=_PAGE,
        min_position=at,
    )
    listed = await ask(visit.person, asked, ListAnswer)
    chosen = {"show": show.value, "kinds": kinds.value, "pinned": pinned, "on": day.isoformat() if day else ""}
    return visit.page(
        "timeline.html",
        months=months([memory_view(each) for each in listed.items]),
        next_before=listed.next_before_number,
        chosen=chosen,
        day=_end_of(day) if day else None,
        today=visit.rooms.clock.now().date().isoformat(),
        choices={"show": list(ShownStanding), "kinds": list(ShownKinds)},
    )


def day_of(text: str) -> date | None:
    """The day that a date field says; None where it is empty or no day.

    >>> day_of("2026-05-03"), day_of(""), day_of("soon")
    (datetime.date(2026, 5, 3), None, None)
    """
    try:
        return date.fromisoformat(text)
    except ValueError:
        return None


def _end_of(day: date) -> datetime:
    return datetime.combine(day, time.max, UTC).replace(microsecond=0)
