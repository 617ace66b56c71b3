"""The language that a visitor chooses, kept in their browser."""

from fastapi import APIRouter, Request, Response

from services.gateway.page.forms import fields_of
from services.gateway.page.visiting import LANGUAGE_COOKIE, PageRoute, visit_of_anybody
from services.gateway.page.words import languages
from services.gateway.rooms import rooms_of

router = APIRouter(route_class=PageRoute)
_YEAR_S = 31_536_000


@router.post("/language")
async def choose(request: Request) -> Response:
    """Keep a language in this browser, and go back."""
    fields = await fields_of(request)
    chosen, back = ("".join(fields.get(name, ())) for name in ("language", "back"))
    response = visit_of_anybody(request).go(back if is_here(back) else "/")
    if chosen in languages():
        response.set_cookie(
            LANGUAGE_COOKIE, chosen, max_age=_YEAR_S, secure=rooms_of(request).has_tls, httponly=True, samesite="lax"
        )
    return response


def is_here(path: str) -> bool:
    r"""Whether a path leads to a page of ours, whatever a browser makes of it.

    >>> is_here("/timeline?show=before"), is_here("//evil.example"), is_here("/\\evil.example"), is_here("https://evil.example")
    (True, False, False, False)
    """
    return path.startswith("/") and not path.startswith("//") and "\\" not in path and path.isprintable()
