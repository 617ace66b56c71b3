"""A visit: who looks at the page, in which language, and how it is answered."""

import hmac
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from traceback import extract_tb
from typing import Annotated, Any
from urllib.parse import urlencode

from fastapi import Depends, FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import HTMLResponse, RedirectResponse
from fastapi.routing import APIRoute
from pydantic_core import to_json

from services.gateway.page.templating import render
from services.gateway.page.words import PageWords, languages, preferred, time_tag, words_of
from services.gateway.people import Person
from services.gateway.problems import NOWHERE, problem
from services.gateway.rooms import Rooms, rooms_of
from shared.contracts.access import Grant, Right
from shared.contracts.errors import Malformed, MemstreamError, NotFound, Unauthenticated, outcome_of
from shared.runtime.logs import log

LANGUAGE_COOKIE = "memstream_language"
SEE_OTHER = 303
HEADERS = {
    "content-security-policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; font-src 'self'; img-src 'self'; connect-src 'self';"
        " form-action 'self'; frame-ancestors 'none'; base-uri 'none'"
    ),
    # With `no-referrer` browsers send `Origin: null` along with our own forms, which are then refused.
    "referrer-policy": "same-origin",
    "vary": "Accept-Language, Cookie",
}
_NOT_FOUND, _ERROR = 404, 500
_NO_STAMP = "-"


@dataclass(frozen=True)
class Visit:
    """Somebody who looks at the page; perhaps nobody who is known."""

    request: Request
    rooms: Rooms
    grant: Grant | None
    words: PageWords

    @property
    def known(self) -> Grant:
        """What the visitor may do. Raises Unauthenticated."""
        if self.grant is None:
            raise Unauthenticated
        return self.grant

    @cached_property
    def person(self) -> Person:
        """The person whose page it is. Raises Unauthenticated, NotPermitted; Malformed for one who may read of several."""
        return self.may(Right.READ)

    def may(self, right: Right) -> Person:
        """The person, with a right. Raises as `person`."""
        return self.rooms.people.covered(self.known, right, space=None, user=None)

    @property
    def is_of_person(self) -> bool:
        """Whether the visitor is one person in one space, as a link makes them, or a JWT."""
        return self.grant is not None and len(self.grant.users) == 1 and len(self.grant.spaces) <= 1

    @property
    def is_operator(self) -> bool:
        """Whether the visitor may see what operators see."""
        return self.grant is not None and Right.OPERATE in self.grant.rights

    @property
    def form_stamp(self) -> str:
        """What every form of this visitor bears, and nobody else can make."""
        return self.rooms.doorkeeper.stamp("form", self.grant.key) if self.grant else _NO_STAMP

    def seal(self, words: str) -> str:
        """Words of this person as they may stand in a URL."""
        return self.rooms.doorkeeper.sealed_words(words, self.person.space, self.person.user)

    def finding(self, **sought: str) -> str:
        """Where what is sought is found; the words stand sealed in it."""
        return f"/find?q={self.seal(to_json(sought).decode())}"

    def unseal(self, text: str) -> str:
        """The words that stand sealed in a URL. Raises NotFound where they are of somebody else, or of an older password."""
        words = self.rooms.doorkeeper.opened_words(text, self.person.space, self.person.user)
        if words is None:
            raise NotFound
        return words

    def page(self, template: str, *, status: int = 200, **values: Any) -> Response:  # noqa: ANN401 - as templates take them
        """A template as an answer."""
        given = self._given()
        return HTMLResponse(render(template, {**given, "given": given, **values}), status_code=status, headers=HEADERS)

    def go(self, path: str, *, done: str | None = None, position: int = 0) -> Response:
        """Go on to a page, which says what was done, and knows it: codes and numbers, no text."""
        said = {name: value for name, value in (("done", done), ("at", position)) if value}
        joined = f"{path}{'&' if '?' in path else '?'}{urlencode(said)}" if said else path
        return RedirectResponse(joined, status_code=SEE_OTHER, headers=HEADERS)

    def _given(self) -> dict[str, Any]:
        """What every template is given."""
        done = self.request.query_params.get("done", "")
        rights = self.grant.rights if self.grant else frozenset[Right]()
        return {
            "t": self.words,
            "when": lambda moment, shows="day": time_tag(self.words, moment, shows=shows),
            "languages": languages(),
            "path": self.request.url.path,
            "here": _without_news(self.request),
            "form_stamp": self.form_stamp,
            "is_known": self.grant is not None,
            "is_of_person": self.is_of_person,
            "is_operator": self.is_operator,
            "may_write": Right.WRITE in rights,
            "may_forget": Right.FORGET in rights,
            "space": self.grant.spaces[0] if self.grant and self.is_of_person and self.grant.spaces else None,
            "done": done if self.words.has(f"done.{done}") else "",
            "finding": self.finding,
            "sealed": lambda **sought: self.seal(to_json(sought).decode()),
        }


def _without_news(request: Request) -> str:
    """Where one is, without what only says that something was done; after a form that was refused, the beginning."""
    if request.method != "GET":
        return "/"
    kept = [(name, value) for name, value in request.query_params.multi_items() if name not in {"done", "at"}]
    return f"{request.url.path}?{urlencode(kept)}" if kept else request.url.path


async def visiting(request: Request) -> Visit:
    """The visit, of somebody who is known. Raises Unauthenticated or TooMany."""
    rooms = rooms_of(request)
    return Visit(request, rooms, rooms.granted(request), _words(request, rooms))


def visit_of_anybody(request: Request) -> Visit:
    """The visit, also of somebody who is not known; it counts for nothing."""
    rooms = rooms_of(request)
    try:
        grant = rooms.still_granted(request)
    except MemstreamError:
        grant = None
    return Visit(request, rooms, grant, _words(request, rooms))


Visited = Annotated[Visit, Depends(visiting)]
"""The visit of somebody who is known."""


def _words(request: Request, rooms: Rooms) -> PageWords:
    chosen = request.cookies.get(LANGUAGE_COOKIE)
    language = chosen if chosen in languages() else preferred(request.headers.get("accept-language"))
    return words_of(language, now=rooms.clock.now())


def has_stamp(visit: Visit, stamp: str) -> bool:
    """Whether a form is one that we gave this visitor."""
    return hmac.compare_digest(stamp.encode(), visit.form_stamp.encode())


class PageRoute(APIRoute):
    """A route of the page: its errors are pages as well, in words."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """The handler of the route, with its errors as pages."""
        handler = super().get_route_handler()

        async def answered(request: Request) -> Response:
            try:
                return await handler(request)
            except RequestValidationError:
                return error_page(request, Malformed())
            except MemstreamError as error:
                return error_page(request, error)
            except Exception as error:  # noqa: BLE001 - the edge: what a person sees is a page, whatever happened
                last = extract_tb(error.__traceback__)[-1]
                log.error("request.failed", error=type(error).__name__, at=f"{Path(last.filename).name}:{last.lineno}")
                return error_page(request, MemstreamError(), is_logged=True)

        return answered


def error_page(request: Request, error: MemstreamError, *, is_logged: bool = False) -> Response:
    """What went wrong, in words. It says nothing of what the request was about."""
    status = outcome_of(error).http_status
    if status == _ERROR and not is_logged:
        log.error("request.failed", code=error.code)
    visit = visit_of_anybody(request)
    template = "strange.html" if isinstance(error, Unauthenticated) else "error.html"
    return visit.page(template, status=status, code=error.code)


def answer_misses(app: FastAPI) -> None:
    """Have a browser be answered by a page where there is nothing at an address, and all others by a problem."""

    async def missing(request: Request, _: Exception) -> Response:
        if "text/html" in request.headers.get("accept", ""):
            return error_page(request, NotFound())
        return problem(NotFound(NOWHERE))

    app.add_exception_handler(_NOT_FOUND, missing)
