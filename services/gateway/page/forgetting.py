"""Forgetting: what would go, having it go, taking it back, and the receipt."""

import asyncio
from typing import Annotated, Any

from fastapi import APIRouter, Path, Response

from services.gateway.page.asking import At, ask, ask_or_none
from services.gateway.page.finding import MOST_CHARACTERS, SoughtMemories, sought_in
from services.gateway.page.forms import Sent
from services.gateway.page.views.forgetting import forgettings, preview_view, receipt_view
from services.gateway.page.visiting import PageRoute, Visit, Visited
from shared.contracts.access import Right
from shared.contracts.errors import Malformed, NotFound
from shared.contracts.queries import (
    AuditAnswer,
    AuditQuery,
    ForgetPreviewAnswer,
    ForgetPreviewQuery,
    ReceiptAnswer,
    ReceiptQuery,
    SessionsAnswer,
    SessionsQuery,
    ShowAnswer,
    ShowQuery,
)

router = APIRouter(route_class=PageRoute)

_SHOWN = 12
_MOST_FORGETTINGS = 20
_FORGETTINGS = ("memory_forgotten", "user_forgotten")
_PREVIEW_TIMEOUT_S = 15.0
_Number = Annotated[int, Path(ge=1, le=2**53)]


@router.get("/forget")
async def beginning(visit: Visited, at: At = 0) -> Response:
    """A form for words, and the receipts of what was forgotten."""
    asked = AuditQuery(types=_FORGETTINGS, limit=_MOST_FORGETTINGS, min_position=at)
    trail = await ask(visit.person, asked, AuditAnswer)
    return visit.page("forget.html", forgettings=forgettings(trail.entries))


@router.post("/forget/words")
async def send_words(form: Sent) -> Response:
    """Go on to what would be forgotten for some words."""
    return form.visit.go(preview_path(form.visit, words=form.needed("words")[:MOST_CHARACTERS]))


@router.get("/forget/preview")
async def preview(visit: Visited, q: str, *, only: bool = False) -> Response:
    """What would be forgotten, and why; nothing is changed."""
    sought = sought_in(visit, q)
    asked = ForgetPreviewQuery(**_target(sought), only=only, timeout_s=_PREVIEW_TIMEOUT_S)
    would = await ask(visit.person, asked, ForgetPreviewAnswer)
    named = [ShowQuery(memory_id=each.memory_id) for each in would.memories[:_SHOWN]]
    shown = await asyncio.gather(*(ask_or_none(visit.person, each, ShowAnswer) for each in named))
    known = {each.memory.memory_id: each.memory for each in shown if each}
    return visit.page("forget_preview.html", seen=preview_view(would, known), sought=sought, q=q, only=only, token=would.token)


@router.post("/forget")
async def forget(form: Sent) -> Response:
    """Forget what was looked at."""
    target = _target(sought_in(form.visit, form.needed("q")))
    target["confirm"] = form.one("confirm") or None
    decided = await form.decide("forget", Right.FORGET, **target, only=form.one("only") == "1")
    return _to_receipt(form.visit, decided.number, decided.position)


@router.get("/forget/everything")
async def ask_everything(visit: Visited) -> Response:
    """A question whether really all is meant."""
    visit.may(Right.FORGET)
    return visit.page("forget_everything.html")


@router.post("/forget/everything")
async def forget_everything(form: Sent) -> Response:
    """Forget all of the person in this space. Raises Malformed where nobody said that all is meant."""
    if form.one("sure") != "1":
        raise Malformed
    decided = await form.decide("forget_user", Right.FORGET)
    return _to_receipt(form.visit, decided.number, decided.position)


@router.get("/receipts/{number}")
async def receipt(visit: Visited, number: _Number, at: At = 0) -> Response:
    """How far a forgetting has come, and its receipt; all pages know of it then."""
    if at:
        await ask(visit.person, SessionsQuery(limit=1, min_position=at), SessionsAnswer)
    found = await ask(visit.person, ReceiptQuery(number=number), ReceiptAnswer)
    return visit.page("receipt.html", seen=receipt_view(found), number=number)


@router.post("/receipts/{number}/take-back")
async def take_back(form: Sent, number: _Number) -> Response:
    """Take back what waits to be erased."""
    decided = await form.decide("take_back", Right.FORGET, number=number)
    return form.visit.go(f"/receipts/{number}", done="taken_back", position=decided.position)


def preview_path(visit: Visit, **sought: str) -> str:
    """Where one sees what would be forgotten."""
    return visit.finding(**sought).replace("/find", "/forget/preview", 1)


def _target(sought: SoughtMemories) -> dict[str, Any]:
    """What a forget command names."""
    if sought.memory:
        return {"memory_ids": (sought.memory,)}
    if sought.session:
        return {"session_id": sought.session}
    if sought.words:
        return {"query": sought.words}
    raise NotFound


def _to_receipt(visit: Visit, number: int | None, position: int) -> Response:
    if number is None:
        return visit.go("/forget", done="nothing_forgotten", position=position)
    return visit.go(f"/receipts/{number}", position=position)
