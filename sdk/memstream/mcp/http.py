"""The server over streamable HTTP: for clients that are not to start it themselves.

A web page must not reach it: every request must be addressed to one of our own hosts, and one that comes from a page is refused
unless that page is allowed. Source: the security practices of the protocol, "DNS rebinding".
"""

from __future__ import annotations

import asyncio
import hmac
from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import uvicorn
from mcp.server.auth.middleware.bearer_auth import AuthorizationContext
from mcp.server.auth.provider import AccessToken
from mcp.server.auth.settings import AuthSettings
from mcp.server.lowlevel import Server
from mcp.server.streamable_http import StreamableHTTPServerTransport
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.server.transport_security import TransportSecuritySettings
from pydantic import AnyHttpUrl, SecretStr

from memstream._contracts import Misconfigured
from shared.runtime.listening import in_url, listening
from shared.runtime.quiet_server import QuietServer

if TYPE_CHECKING:
    from starlette.applications import Starlette

LOOPBACK = ("127.0.0.1", "localhost", "::1")
_PATH = "/mcp"
_SHORTEST_TOKEN = 16
_MOST_SESSIONS = 256
_LEAVING_S = 1
"""Seconds after which streams are cut that clients hold open to listen."""


@dataclass(frozen=True, slots=True)
class HttpAccess:
    """Where the server listens, and whom it answers."""

    host: str = "127.0.0.1"
    port: int = 0
    token: SecretStr | None = None
    hosts: Sequence[str] = ()
    """By which names it may be addressed, beside those of the loopback and `host`; with their port, or `:*` for any."""
    origins: Sequence[str] = ()
    """Of which web pages it answers requests."""

    def require_safe(self) -> None:
        """Raise Misconfigured where other machines could ask without a token, or guess it."""
        if self.host not in LOOPBACK and self.token is None:
            raise Misconfigured(
                f"whoever reaches {self.host} could read the memories; set MEMSTREAM_MCP_TOKEN, or use 127.0.0.1"
            )
        if self.token is not None and len(self.token.get_secret_value()) < _SHORTEST_TOKEN:
            raise Misconfigured(f"MEMSTREAM_MCP_TOKEN must have at least {_SHORTEST_TOKEN} characters")


class OneToken:
    """Knows the one token that opens this server."""

    def __init__(self, token: SecretStr) -> None:
        self._token = token.get_secret_value().encode()

    async def verify_token(self, token: str) -> AccessToken | None:
        """Who bears it, if it is the one."""
        if not hmac.compare_digest(token.encode(), self._token):
            return None
        return AccessToken(token=token, client_id="memstream", scopes=[])


async def serve_http(server: Server[Any], stop: asyncio.Event, *, access: HttpAccess, announce: Callable[[str], None]) -> None:
    """Serve until told to stop, and tell the address first. Raises Misconfigured where nobody can listen there."""
    access.require_safe()
    with listening(access.host, access.port) as listener:
        host, port = listener.getsockname()[:2]
        url = f"http://{in_url(host)}:{port}"
        app = _app(server, access, url)
        quiet = QuietServer(
            uvicorn.Config(app, log_level="warning", access_log=False, lifespan="on", timeout_graceful_shutdown=_LEAVING_S)
        )
        serving = asyncio.create_task(quiet.serve(sockets=[listener]))
        announce(url + _PATH)
        await stop.wait()
        quiet.stop()
        await serving


def _app(server: Server[Any], access: HttpAccess, url: str) -> Starlette:
    ours = [f"{in_url(host)}:*" for host in (*LOOPBACK, access.host)]
    security = TransportSecuritySettings(allowed_hosts=[*ours, *access.hosts], allowed_origins=list(access.origins))
    auth: dict[str, Any] = {}
    if access.token is not None:
        # The SDK knows tokens of OAuth only. This one is nobody's: whoever asks for it at its issuer, us, finds nothing.
        settings = AuthSettings(issuer_url=AnyHttpUrl(url), resource_server_url=None)
        auth = {"auth": settings, "token_verifier": OneToken(access.token)}
    app = server.streamable_http_app(streamable_http_path=_PATH, transport_security=security, **auth)
    _bound_sessions(server.session_manager)
    return app


class _LastUsed(OrderedDict[str, StreamableHTTPServerTransport]):
    """Sessions, those that were asked last at the end."""

    def __getitem__(self, session_id: str) -> StreamableHTTPServerTransport:
        self.move_to_end(session_id)
        return super().__getitem__(session_id)


def _bound_sessions(manager: StreamableHTTPSessionManager) -> None:
    """End the session that was asked longest ago where another one begins beyond the most: a client may leave any number."""
    admit, sessions, ending = manager._admit_session, _LastUsed(), set[asyncio.Task[None]]()  # noqa: SLF001 - it only refuses

    def admitted(requestor: AuthorizationContext | None) -> StreamableHTTPServerTransport | None:
        if len(sessions) >= _MOST_SESSIONS:
            oldest, transport = sessions.popitem(last=False)
            task = asyncio.create_task(manager._discard_session(oldest, transport))  # noqa: SLF001
            ending.add(task)
            task.add_done_callback(ending.discard)
        return admit(requestor)

    manager._server_instances, manager._admit_session = sessions, admitted  # type: ignore[method-assign] # noqa: SLF001
