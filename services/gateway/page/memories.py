"""One memory: all that is known of it, and what its person does with it."""

import asyncio
from typing import Annotated

from fastapi import APIRouter, Path, Response

from services.gateway.page.asking import At, ask, ask_or_none
from services.gateway.page.forms import Sent, SentForm
from services.gateway.page.language import is_here
from services.gateway.page.views.details import detail_view
from services.gateway.page.visiting import PageRoute, Visited
from shared.contracts.memories import MemoryDetail
from shared.contracts.queries import ShowAnswer, ShowQuery

router = APIRouter(route_class=PageRoute)

_MOST_NEWER = 3
_MOST_TAGS = 8
_MemoryId = Annotated[str, Path(min_length=1, max_length=256)]


@router.get("/memories/{memory_id}")
async def show(visit: Visited, memory_id: _MemoryId, at: At = 0) -> Response:
    """A memory, from where it is known, what it was before, and what holds in its place."""
    memory = (await ask(visit.person, ShowQuery(memory_id=memory_id, min_position=at), ShowAnswer)).memory
    named = dict.fromkeys(filter(None, (memory.superseded_by, *memory.outdated_by)))
    found = [ask_or_none(visit.person, ShowQuery(memory_id=each), ShowAnswer) for each in list(named)[:_MOST_NEWER]]
    newer: list[MemoryDetail] = [each.memory for each in await asyncio.gather(*found) if each]
    return visit.page("memory.html", seen=detail_view(memory, newer))


@router.get("/save")
async def form_to_save(visit: Visited) -> Response:
    """A form for something that is to be kept."""
    visit.person  # noqa: B018 - who may not read gets no form either
    return visit.page("save.html")


@router.post("/save")
async def save(form: Sent) -> Response:
    """Keep something, as told."""
    tags = [tag for each in form.one("tags").split(",") if (tag := each.strip())]
    decided = await form.decide("remember_fact", text=form.needed("words"), tags=tags[:_MOST_TAGS])
    return form.visit.go(
        f"/memories/{decided.memory_id}" if decided.memory_id else "/", done="saved", position=decided.position
    )


@router.post("/memories/{memory_id}/correct")
async def correct(form: Sent, memory_id: _MemoryId) -> Response:
    """Put what is right in the place of what is not."""
    decided = await form.decide("correct_fact", memory_id=memory_id, text=form.needed("words"))
    return form.visit.go(f"/memories/{decided.memory_id or memory_id}", done="corrected", position=decided.position)


@router.post("/memories/{memory_id}/pin")
async def pin(form: Sent, memory_id: _MemoryId) -> Response:
    """Keep it, whatever the cap and the decay say."""
    return await _done(form, memory_id, "pin", "pinned")


@router.post("/memories/{memory_id}/unpin")
async def unpin(form: Sent, memory_id: _MemoryId) -> Response:
    """Keep it like any other."""
    return await _done(form, memory_id, "unpin", "unpinned")


@router.post("/memories/{memory_id}/confirm")
async def confirm(form: Sent, memory_id: _MemoryId) -> Response:
    """Say that it is so."""
    return await _done(form, memory_id, "confirm_fact", "confirmed")


@router.post("/memories/{memory_id}/restore")
async def restore(form: Sent, memory_id: _MemoryId) -> Response:
    """Bring it back."""
    return await _done(form, memory_id, "restore", "restored")


async def _done(form: SentForm, memory_id: str, what: str, done: str) -> Response:
    """Have it done, and go back to where the form was."""
    decided = await form.decide(what, memory_id=memory_id)
    back = form.one("back")
    return form.visit.go(back if is_here(back) else f"/memories/{memory_id}", done=done, position=decided.position)
