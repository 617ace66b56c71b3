"""What a person sets: memory on and off, incognito."""

from fastapi import APIRouter, Response
from pydantic import Field

from services.gateway.rooms import KnownBearer, PersonInBody
from services.gateway.writing import WRITES, Written
from shared.contracts.access import Right
from shared.contracts.preferences import PersonSettings

router = APIRouter(tags=["controls"])


class NewSettings(PersonSettings, PersonInBody):
    """The settings to change; what is left out stays."""

    unset: tuple[str, ...] = Field(default=(), max_length=16, description="Names of settings to fall back to the default.")


class IncognitoSession(PersonInBody):
    """A conversation that is to be kept out of memory, or not any more."""

    session_id: str = Field(min_length=1, max_length=256, description="The conversation.", examples=["tuesday"])


@router.post("/settings", **WRITES)
async def change_settings(asked: KnownBearer, writing: Written, settings: NewSettings) -> Response:
    """Turn memory on or off, incognito by default, and the other settings of the person in this space; `stats` shows them."""
    person = asked.person(Right.WRITE, settings)
    changed = settings.model_dump(include=set(PersonSettings.model_fields), exclude_unset=True)
    return await writing.carry_out(person, "change_settings", {"settings": changed, "unset": settings.unset})


@router.post("/incognito/start", **WRITES)
async def start_incognito(asked: KnownBearer, writing: Written, session: IncognitoSession) -> Response:
    """From now on nothing of this session is kept or recalled."""
    person = asked.person(Right.WRITE, session)
    return await writing.carry_out(person, "start_incognito", {"session_id": session.session_id})


@router.post("/incognito/end", **WRITES)
async def end_incognito(asked: KnownBearer, writing: Written, session: IncognitoSession) -> Response:
    """From now on this session is kept again."""
    person = asked.person(Right.WRITE, session)
    return await writing.carry_out(person, "end_incognito", {"session_id": session.session_id})
