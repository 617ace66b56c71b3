"""The application: the API under /v1/memory, its document, the page, and what stands before them."""

import warnings
from time import perf_counter

from fastapi import FastAPI
from pydantic.warnings import UnsupportedFieldAttributeWarning
from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from services.gateway.api import PREFIX, memory_router
from services.gateway.page import page_router
from services.gateway.page.visiting import answer_misses
from services.gateway.problems import TOO_LARGE, answer_errors, problem
from services.gateway.protection import Protection
from services.gateway.rooms import Rooms
from shared.contracts.commands import MAX_PAYLOAD_BYTES
from shared.contracts.errors import TooLarge
from shared.contracts.reading_commands import with_whole_characters
from shared.runtime.bounded_labels import OTHER
from shared.runtime.metrics import GATEWAY_SECONDS

# FastAPI 0.165 silences this while it makes its fields; a Contract is built when it is first needed, which is later.
warnings.filterwarnings("ignore", category=UnsupportedFieldAttributeWarning)

_DESCRIPTION = """The memory of people, over HTTP. What is written is answered with 202 and the id of an operation, or with 200
where `wait` was given and it was decided in time. Errors are `application/problem+json`.
"""

_MOST_DIGITS = 20
_METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
"""Those that have a label of their own: a client may send any word as a method."""


def make_app(rooms: Rooms | None, *, version: str) -> ASGIApp:
    """The application as it is served. Without rooms it answers nothing, and only its document is of use."""
    app = bare_app(version)
    app.state.rooms = rooms
    hosts = [each.strip() for each in (rooms.settings.hosts if rooms else "").split(",") if each.strip()]
    return _Timed(Protection(_BodyLimit(app), hosts=hosts, url=rooms.settings.url if rooms else None))


def bare_app(version: str) -> FastAPI:
    """The routes and their document."""
    app = FastAPI(
        title="memstream",
        version=version,
        description=_DESCRIPTION,
        openapi_url="/openapi.json",
        docs_url=None,  # it would load its scripts from elsewhere
        redoc_url=None,
        redirect_slashes=False,
        telemetry={"tracing": False},  # paths hold ids; what is traced is decided elsewhere
    )
    answer_errors(app)
    answer_misses(app)
    app.include_router(memory_router())
    app.include_router(page_router())
    return app


class _BodyLimit:
    """Refuses bodies that are larger than a command may be, but for imports, which limit themselves; mends half characters."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["path"] == f"{PREFIX}/import":
            await self._app(scope, receive, send)
            return
        if not _is_taken(Headers(scope=scope).get("content-length", "0")):
            await problem(TooLarge(TOO_LARGE))(scope, receive, send)
            return

        async def whole() -> Message:
            body, message = b"", await receive()
            while message["type"] == "http.request":
                body += message.get("body", b"")
                if len(body) > MAX_PAYLOAD_BYTES:
                    raise HTTPException(413)  # the one kind that FastAPI lets through where it reads a body
                if not message.get("more_body"):
                    return {**message, "body": with_whole_characters(body)}
                message = await receive()
            return message

        await self._app(scope, whole, send)


def _is_taken(length: str) -> bool:
    """Whether a body is taken that is said to have this length. Of thousands of digits Python makes no number."""
    return length.isascii() and length.isdigit() and len(length) < _MOST_DIGITS and int(length) <= MAX_PAYLOAD_BYTES


class _Timed:
    """Measures how long each request takes, by its route: a path would name people."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        started, status = perf_counter(), 500

        async def noted(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        try:
            await self._app(scope, receive, noted)
        finally:
            if scope["type"] == "http":
                seconds = perf_counter() - started
                method = scope["method"] if scope["method"] in _METHODS else OTHER
                declared: str = getattr(scope.get("route"), "path_format", "none")
                GATEWAY_SECONDS.labels(
                    f"{PREFIX}{declared}" if scope["path"].startswith(f"{PREFIX}/") and declared.startswith("/") else declared,
                    method,
                    f"{status // 100}xx",
                ).observe(seconds)
