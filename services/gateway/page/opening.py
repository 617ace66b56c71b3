"""Links: shown first, opened by a button, exchanged for a cookie.

What looks at a link before the person does, as chats do that show what it leads to, must not use it up.
"""

from fastapi import APIRouter, Request, Response

from services.gateway.page.visiting import PageRoute, visit_of_anybody
from services.gateway.rooms import rooms_of
from shared.runtime.links import OPENING

router = APIRouter(route_class=PageRoute)

_GONE = 410


@router.get(OPENING + "{sealed}")
async def show(request: Request, sealed: str) -> Response:
    """A page with a button that opens the link; the link itself stays as it is."""
    if not rooms_of(request).doorkeeper.could_open(sealed):
        return _void(request)
    return visit_of_anybody(request).page("opening.html", action=OPENING + sealed)


@router.post(OPENING + "{sealed}")
async def open_link(request: Request, sealed: str) -> Response:
    """Exchange a link for a cookie, once."""
    rooms = rooms_of(request)
    opened = rooms.doorkeeper.opened(sealed)
    if opened is None:
        return _void(request)
    cookie, made = opened
    response = visit_of_anybody(request).go("/")
    lasts_s = int((made.expires_at - rooms.clock.now()).total_seconds())
    response.set_cookie(
        rooms.cookie_name, cookie, max_age=lasts_s, path="/", secure=rooms.has_tls, httponly=True, samesite="strict"
    )
    return response


@router.post("/leave")
async def leave(request: Request) -> Response:
    """Give the cookie back: it is good for nothing from now on."""
    rooms = rooms_of(request)
    rooms.doorkeeper.give_back(request.cookies.get(rooms.cookie_name))
    response = visit_of_anybody(request).page("left.html")
    response.delete_cookie(rooms.cookie_name, path="/", secure=rooms.has_tls, httponly=True, samesite="strict")
    response.headers["clear-site-data"] = '"cache", "storage"'
    return response


def _void(request: Request) -> Response:
    rooms_of(request).note_failure(request)
    return visit_of_anybody(request).page("void.html", status=_GONE)
