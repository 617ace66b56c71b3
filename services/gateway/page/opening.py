"""Links: shown first, opened by a button, exchanged for a cookie.

What looks at a link before the person does, as chats do that show what it leads to, must not use it up.
"""

from html import escape

from fastapi import APIRouter, Request, Response
from fastapi.responses import HTMLResponse, RedirectResponse

from services.gateway.rooms import rooms_of
from shared.runtime.links import OPENING

router = APIRouter()

_GONE, _SEE_OTHER = 410, 303
_FORM = "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'"
_PAGE = """<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>memstream</title>
<style>:root{{color-scheme:light dark;font:1.1rem/1.5 system-ui}}main{{max-width:32rem;margin:15vh auto;padding:1rem}}
button{{font:inherit;padding:.6rem 1.2rem}}</style><main>{content}</main></html>
"""
_READY = """<h1>Your memory</h1><p>This link opens what is remembered of you, once, in this browser.</p>
<form method="post" action="{action}"><button>Open it</button></form>"""
_VOID = "<h1>This link is void</h1><p>It was opened already, or it is too old. Ask for a new one where you got it.</p>"


@router.get(OPENING + "{sealed}")
async def show(request: Request, sealed: str) -> Response:
    """A page with a button that opens the link; the link itself stays as it is."""
    if not rooms_of(request).doorkeeper.could_open(sealed):
        return _void(request)
    return _page(_READY.format(action=escape(OPENING + sealed)))


@router.post(OPENING + "{sealed}")
async def open_link(request: Request, sealed: str) -> Response:
    """Exchange a link for a cookie, once."""
    rooms = rooms_of(request)
    opened = rooms.doorkeeper.opened(sealed)
    if opened is None:
        return _void(request)
    cookie, made = opened
    response = RedirectResponse("/", status_code=_SEE_OTHER)
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
    response = _page("<h1>Closed</h1><p>This browser cannot open your memory any more.</p>")
    response.delete_cookie(rooms.cookie_name, path="/", secure=rooms.has_tls, httponly=True, samesite="strict")
    return response


def _void(request: Request) -> Response:
    rooms_of(request).note_failure(request)
    return _page(_VOID, status=_GONE)


def _page(content: str, *, status: int = 200) -> HTMLResponse:
    return HTMLResponse(_PAGE.format(content=content), status_code=status, headers={"content-security-policy": _FORM})
