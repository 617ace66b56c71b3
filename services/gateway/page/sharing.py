"""The topics that other spaces of the person read: shared, and taken back. Both stand among the settings."""

from typing import Annotated

from fastapi import APIRouter, Path, Response

from services.gateway.page.asking import ask
from services.gateway.page.forms import Sent
from services.gateway.page.visiting import PageRoute
from shared.contracts.errors import NotFound
from shared.contracts.queries import SharesAnswer, SharesQuery

router = APIRouter(route_class=PageRoute)


@router.post("/sharing")
async def share(form: Sent) -> Response:
    """Let another space read what has a topic here."""
    decided = await form.decide("share_tag", tag=form.needed("tag"), with_space=form.needed("with_space"))
    return form.visit.go("/settings", done="shared", position=decided.position)


@router.post("/sharing/{share_id}/revoke")
async def revoke(form: Sent, share_id: Annotated[str, Path(min_length=1, max_length=64)]) -> Response:
    """Give the other space nothing by this topic any more."""
    shares = (await ask(form.visit.person, SharesQuery(), SharesAnswer)).shares
    if (found := next((each for each in shares if each.share_id == share_id), None)) is None:
        raise NotFound
    decided = await form.decide("unshare_tag", tag=found.tag, with_space=found.with_space)
    return form.visit.go("/settings", done="revoked", position=decided.position)
