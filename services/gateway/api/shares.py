"""The tags that other spaces of the person read."""

from typing import Annotated

from fastapi import APIRouter, Path, Response
from pydantic import Field

from services.gateway.answers import MinPosition, answered, query
from services.gateway.rooms import KnownBearer, MayRead, MayWrite, PersonInBody
from services.gateway.writing import WRITES, Written
from shared.contracts.access import Right
from shared.contracts.errors import NotFound
from shared.contracts.parts import Identifier
from shared.contracts.queries import SharesAnswer, SharesQuery

router = APIRouter(prefix="/shares", tags=["controls"])


class NewShare(PersonInBody):
    """A tag that another space of the person may read."""

    tag: Identifier = Field(description="The tag, in any case.", examples=["food"])
    with_space: Identifier = Field(description="The other space.", examples=["work"])


@router.get("", response_model=SharesAnswer)
async def shares(person: MayRead, min_position: MinPosition = 0) -> Response:
    """The tags that this space shares with other spaces of the person."""
    return await answered(person, query(SharesQuery, min_position=min_position))


@router.post("", **WRITES)
async def share_tag(asked: KnownBearer, writing: Written, share: NewShare) -> Response:
    """Let contexts of the person in another space hold what has this tag here, now and later."""
    person = asked.person(Right.WRITE, share)
    return await writing.carry_out(person, "share_tag", {"tag": share.tag, "with_space": share.with_space})


@router.delete("/{share_id}", **WRITES)
async def unshare_tag(
    person: MayWrite,
    writing: Written,
    share_id: Annotated[str, Path(min_length=1, max_length=64, description="As the list of shares names it.")],
) -> Response:
    """Give the other space nothing by this tag any more."""
    shared = {each.share_id: each for each in (await person.memories.shares()).shares}
    if (share := shared.get(share_id)) is None:
        raise NotFound
    return await writing.carry_out(person, "unshare_tag", {"tag": share.tag, "with_space": share.with_space})
