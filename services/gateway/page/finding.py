"""What is sought: by words, by topic, by who or what is mentioned, by conversation. What is sought stands sealed in the URL."""

from dataclasses import dataclass

from fastapi import APIRouter, Response
from pydantic import ValidationError

from services.gateway.answers import query
from services.gateway.page.asking import At, Before, ask
from services.gateway.page.forms import Sent
from services.gateway.page.views.memories import MemoryView, memory_view
from services.gateway.page.visiting import PageRoute, Visit, Visited
from shared.contracts.contract import Contract
from shared.contracts.errors import NotFound
from shared.contracts.parts import Kind
from shared.contracts.queries import ListAnswer, ListQuery, SearchAnswer, SearchQuery

router = APIRouter(route_class=PageRoute)

MOST_CHARACTERS = 500
_FOUND, _PAGE = 30, 40
_TIMEOUT_S = 8.0


class SoughtMemories(Contract):
    """What somebody looks for: one of these."""

    words: str = ""
    tag: str = ""
    entity: str = ""
    name: str = ""
    """How the entity is called."""
    session: str = ""
    memory: str = ""


@dataclass(frozen=True, slots=True)
class FoundPage:
    """What was found, best first for words and else newest first."""

    memories: list[MemoryView]
    next_before: int | None = None
    legs_failed: bool = False


@router.post("/find")
async def send_words(form: Sent) -> Response:
    """Go on to what is found for some words."""
    return form.visit.go(form.visit.finding(words=form.needed("words")[:MOST_CHARACTERS]))


@router.get("/find")
async def find(visit: Visited, q: str, before: Before = None, at: At = 0) -> Response:
    """What is found."""
    sought = sought_in(visit, q)
    found = await (_by_words(visit, sought, at) if sought.words else _listed(visit, sought, before, at))
    return visit.page("find.html", sought=sought, found=found, q=q)


def sought_in(visit: Visit, sealed: str) -> SoughtMemories:
    """What is sought, of a URL. Raises NotFound where we did not seal it for this person."""
    try:
        return SoughtMemories.model_validate_json(visit.unseal(sealed))
    except ValidationError as error:
        raise NotFound from error


async def _by_words(visit: Visit, sought: SoughtMemories, at: int) -> FoundPage:
    asked = SearchQuery(query=sought.words, limit=_FOUND, kinds=tuple(Kind), timeout_s=_TIMEOUT_S, min_position=at)
    answer = await ask(visit.person, asked, SearchAnswer)
    return FoundPage([memory_view(each) for each in answer.items], legs_failed=bool(answer.legs_failed))


async def _listed(visit: Visit, sought: SoughtMemories, before: int | None, at: int) -> FoundPage:
    asked = query(
        ListQuery,
        kinds=tuple(Kind),
        tags=(sought.tag,) if sought.tag else None,
        entities=(sought.entity,) if sought.entity else None,
        session_id=sought.session or None,
        before_number=before,
        limit=_PAGE,
        min_position=at,
    )
    listed = await ask(visit.person, asked, ListAnswer)
    return FoundPage([memory_view(each) for each in listed.items], listed.next_before_number)
