"""What is known, to read; how much; and who asks."""

from typing import Annotated

from fastapi import APIRouter, Path, Query, Response

from services.gateway.answers import MinPosition, answered, json_answer, query
from services.gateway.rooms import KnownBearer, MayRead
from shared.contracts.access import Right
from shared.contracts.contract import Contract
from shared.contracts.queries import (
    EntityAnswer,
    EntityQuery,
    StatsAnswer,
    StatsQuery,
    SummaryAnswer,
    SummaryQuery,
)

router = APIRouter(tags=["reading"])


class Bearer(Contract):
    """What the bearer of a token, a JWT or a cookie may do."""

    name: str
    rights: tuple[Right, ...]
    spaces: tuple[str, ...]
    users: tuple[str, ...]


@router.get("/summary", response_model=SummaryAnswer)
async def summary(
    person: MayRead,
    *,
    limit: Annotated[int, Query(ge=1, le=200, description="Most facts of a topic.")] = 10,
    topics: Annotated[int, Query(ge=1, le=200, description="Most topics.")] = 20,
    min_position: MinPosition = 0,
) -> Response:
    """What is known, by topic, to read and as data."""
    return await answered(person, query(SummaryQuery, limit=limit, topics=topics, min_position=min_position))


@router.get("/stats", response_model=StatsAnswer)
async def stats(person: MayRead, min_position: MinPosition = 0) -> Response:
    """How much is remembered, and the person's settings."""
    return await answered(person, query(StatsQuery, min_position=min_position))


@router.get("/entities/{name}", response_model=EntityAnswer)
async def entity(
    person: MayRead,
    name: Annotated[str, Path(min_length=1, max_length=256, description="A name, an alias or an `ent_` id.")],
    limit: Annotated[int, Query(ge=1, le=200, description="Most memories.")] = 20,
    min_position: MinPosition = 0,
) -> Response:
    """Who or what this is, and the memories that mention it."""
    return await answered(person, query(EntityQuery, name=name, limit=limit, min_position=min_position))


@router.get("/bearer", response_model=Bearer)
async def bearer(asked: KnownBearer) -> Response:
    """What the one who asks may do; an empty list stands for all."""
    grant = asked.grant
    said = Bearer(name=grant.name, rights=tuple(sorted(grant.rights)), spaces=grant.spaces, users=grant.users)
    return json_answer(said.model_dump_json().encode())
