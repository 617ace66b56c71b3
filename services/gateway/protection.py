"""What protects people's browsers: which hosts and pages are answered, and the headers of every answer.

A name that somebody pointed at this machine is no host of ours (DNS rebinding). A page of somebody else is not answered,
whatever its browser sends along; what changes something by a cookie must come from a page of ours.
"""

from collections.abc import Collection
from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from services.gateway.problems import problem
from shared.contracts.errors import NotPermitted

_SAFE = {"GET", "HEAD", "OPTIONS"}
_LOOPBACK = ("127.0.0.1", "localhost", "[::1]")
_HEADERS = {
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
    "content-security-policy": "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
    "cache-control": "no-store",
}
"""Of every answer that does not set them itself."""
_ONLY_TLS = "max-age=31536000"


class Protection:
    """Lets through what comes for one of our hosts and from no other page, and completes the headers of all answers."""

    def __init__(self, app: ASGIApp, *, hosts: Collection[str], url: str | None) -> None:
        """`hosts`: names with their port, or `:*` for any; `url`: where people reach us."""
        public = urlsplit(url or "")
        self._app = app
        self._hosts = {*hosts, *(f"{host}:*" for host in _LOOPBACK), *([public.netloc] if public.netloc else [])}
        headers = _HEADERS | ({"strict-transport-security": _ONLY_TLS} if public.scheme == "https" else {})
        self._headers = [(name.encode(), value.encode()) for name, value in headers.items()]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def complete(message: Message) -> None:
            if message["type"] == "http.response.start":
                names = {name.lower() for name, _ in message["headers"]}
                message["headers"] = [
                    *message["headers"],
                    *[(name, value) for name, value in self._headers if name not in names],
                ]
            await send(message)

        if why := self._refusal(str(scope["method"]), Headers(scope=scope)):
            await problem(NotPermitted(why))(scope, receive, complete)
        else:
            await self._app(scope, receive, complete)

    def _refusal(self, method: str, headers: Headers) -> str | None:
        host, origin = headers.get("host", ""), headers.get("origin")
        if not self._is_ours(host):
            return "this is no name of this server; MEMSTREAM_GATEWAY_HOSTS lists more of them"
        if origin is not None and _netloc(origin) != host:
            return "a page of another server may not ask here"
        if (
            method not in _SAFE
            and "cookie" in headers
            and "authorization" not in headers
            and not ("origin" in headers or headers.get("sec-fetch-site") == "same-origin")
        ):
            return "what a cookie permits must be sent by a page of this server"
        return None

    def _is_ours(self, host: str) -> bool:
        name, _, port = host.rpartition(":")
        return host in self._hosts or f"{name if port.isdigit() else host}:*" in self._hosts


def _netloc(origin: str) -> str | None:
    """The host and port of an Origin; None if it is no address at all."""
    try:
        return urlsplit(origin).netloc
    except ValueError:
        return None
