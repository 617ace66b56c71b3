"""Links that a bot hands out."""

from fastapi import APIRouter, Response
from pydantic import Field

from services.gateway.answers import json_answer
from services.gateway.rooms import KnownBearer, PersonInBody
from shared.contracts.access import Right
from shared.contracts.contract import Contract, Utc

router = APIRouter(tags=["links"])


class NewLink(PersonInBody):
    """For whom the link is."""


class HandedOutLink(Contract):
    """A link that opens one person's memory, once."""

    url: str = Field(description="Give it to this person, and to nobody else.")
    expires_at: Utc = Field(description="Until then it can be opened.")


@router.post("/links", response_model=HandedOutLink, status_code=201)
async def make_link(asked: KnownBearer, link: NewLink) -> Response:
    """A link for one person, good once and for minutes; it opens the page in their browser."""
    person = asked.person(Right.LINK, link)
    url, expires_at = asked.rooms.doorkeeper.linked(person.space, person.user)
    base = asked.rooms.base_url
    return json_answer(HandedOutLink(url=base + url, expires_at=expires_at).model_dump_json().encode(), 201)
