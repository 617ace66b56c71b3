"""A bot's connection to the server: durable publishing and requests, each tried again while the trouble may pass."""

import asyncio
import json
import logging
import math
import os
import re
import sys
from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from typing import Any, TypeVar

from nats.aio.client import Client
from nats.errors import Error as NatsError
from nats.errors import MaxPayloadError, NoRespondersError, NoServersError

from memstream._contracts import (
    PINGS_IN_CLUSTER,
    Misconfigured,
    NotConnected,
    TooLarge,
    Unavailable,
    addresses,
    inbox_prefix,
    not_stored,
)
from memstream.client.address import Address
from memstream.client.decisions import LatePositions

_log = logging.getLogger("memstream")
_T = TypeVar("_T")

_ATTEMPT_S = 5.0
_FIRST_PAUSE_S = 0.05
_LONGEST_PAUSE_S = 1.0
_SILENT_S = 5.0
_ABSENT_S = 0.7
_LOOKS_EVERY_S = 0.2
"""How often whoever waits for a reply looks whether the connection is there."""
_FORBIDDEN = "permissions violation"
ACTOR_HEADER = "Memstream-Actor"
"""Who sends, for the audit trail: the name that the bot claims."""

_NEVER = (
    "the client is not connected; use `async with MemoryClient(...) as memory:` or `await MemoryClient.connect(...)`, and"
    " SyncMemoryClient without asyncio"
)
_CLOSED = "the client is closed; use it inside `async with MemoryClient(...)`, or make another one"
_ELSEWHERE = (
    "the client was connected in another event loop, and each asyncio.run and each thread has its own; connect a client where"
    " it is used, or use SyncMemoryClient, which works from everywhere"
)
_FORKED = (
    "the client was connected before this process was forked; make one in each process, after the fork, such as in gunicorn's"
    " post_fork or Celery's worker_process_init"
)

_NAME = re.compile(r"[!-~]{1,128}")


class Wire:
    """One connection, which comes back by itself once it was made. It belongs to the event loop in which it was opened.

    Everywhere else, and where it is lost for longer than `reconnect_timeout_s`, every call raises an Unavailable that says what
    to do.
    """

    def __init__(self, address: Address, options: Mapping[str, Any], *, reconnect_timeout_s: float) -> None:
        self._address = address
        self._options = options
        self._reconnect_timeout_s = reconnect_timeout_s
        self._client = Client()
        self._home: tuple[int, asyncio.AbstractEventLoop] | None = None  # the process and the loop that opened it
        self._lost: tuple[int, float] | None = None  # the number of reconnections at which it was seen lost, and when
        self._refusal: str | None = None
        self.incognito: set[tuple[str, str, str]] = set()
        """Sessions (space, user, session id) of which nothing may be sent."""
        self.decisions = LatePositions[tuple[str, str]]()
        """Of a person (space, user): the newest that was decided."""
        self.outcomes = LatePositions[tuple[str, str, int]]()
        """Of a message (space, user, sequence): what came of it."""

    @property
    def is_connected(self) -> bool:
        """True while the connection is there, in this process and event loop."""
        return self._home == _here() and self._client.is_connected

    async def open(self, timeout_s: float | None) -> None:
        """Connect. Raises Misconfigured if the server refuses the bot, Unavailable if there is none.

        Without a `timeout_s` a server that is silent is waited for 5 s, and one that is not there less than a second.
        """
        if self._home == _here() and not self._client.is_closed:
            return
        await self._open(timeout_s)

    async def open_again(self, timeout_s: float | None) -> None:
        """Connect if no connection was ever there; one that was comes back by itself. Raises as `open` does."""
        if not (self._client.is_connected or self._client.is_reconnecting):
            await self._open(timeout_s)

    def begin_away(self) -> None:
        """Belong to this event loop though the server is away: every call raises Unavailable until `open_again` succeeds."""
        self._home = _here()
        self._lost = (self._client.stats["reconnects"], -math.inf)

    async def _open(self, timeout_s: float | None) -> None:
        address = self._address
        try:
            async with asyncio.timeout(timeout_s or _SILENT_S):
                client = await self._connected(timeout_s or _ABSENT_S)
        except (OSError, TimeoutError) as error:
            raise Unavailable(f"no NATS server answers at {address.url}; start it with `memstream up`") from error
        except NatsError as error:
            told = f"the server at {address.url} does not let {address.bot} in ({error})"
            raise Misconfigured(f"{told}; MEMSTREAM_PASSWORD is another: see `memstream bot show --env`") from error
        client.options |= {"allow_reconnect": True, "max_reconnect_attempts": -1}
        self._client, self._home, self._lost = client, _here(), None

    async def _connected(self, within_s: float) -> Client:
        clock = asyncio.get_running_loop().time
        until = clock() + within_s
        while True:
            client = Client()
            try:
                # Without `allow_reconnect` a wrong password raises at once, and with it nats-py 2.16 would try for ever.
                await client.connect(addresses(self._address.url), **self._connect_options(), allow_reconnect=False)
            except NoServersError as error:
                if clock() >= until:
                    raise TimeoutError from error
            except BaseException:
                transport: Any = client._transport  # noqa: SLF001 - nats-py 2.16 leaves its socket to the garbage collector
                if transport:
                    transport.close()
                raise
            else:
                return client

    def _connect_options(self) -> dict[str, Any]:
        address = self._address
        return {
            "name": f"memstream-{address.bot}",
            "user": address.bot if address.password else None,
            "password": address.password,
            "inbox_prefix": inbox_prefix(address.bot, address.password or ""),  # the server lets a bot hear nothing else
            "max_reconnect_attempts": 1,  # at first
            "reconnect_time_wait": 0.1,
            "connect_timeout": 2,
            "error_cb": self._on_error,
            **(PINGS_IN_CLUSTER if len(addresses(address.url)) > 1 else {}),
            **self._options,
        }

    async def close(self) -> None:
        """Close the connection; what was acknowledged is durable."""
        if self._home == _here():
            await self._client.close()

    async def publish(self, subject: str, payload: bytes, *, headers: Mapping[str, str], timeout_s: float) -> int:
        """Publish and await the acknowledgement: the message is on disk. Returns its sequence.

        Tried again until the time is up, so the payload must carry a message_id. Raises Unavailable or TooLarge.
        """
        named = {ACTOR_HEADER: self._address.bot, **headers} if _NAME.fullmatch(self._address.bot) else dict(headers)
        named |= _trace()

        async def attempt(limit_s: float) -> int:
            reply = await self._client.request(subject, payload, timeout=min(limit_s, _ATTEMPT_S), headers=named)
            answer = json.loads(reply.data)
            if "error" in answer:
                raise not_stored(answer["error"].get("description", "no reason given"))
            return int(answer["seq"])

        return await self._patiently(attempt, subject, timeout_s)

    async def request(self, subject: str, payload: bytes, *, timeout_s: float) -> bytes:
        """The reply. Tried again while nobody listens. Raises Unavailable or TooLarge."""

        async def attempt(limit_s: float) -> bytes:
            return (await self._client.request(subject, payload, timeout=limit_s, headers=_trace() or None)).data

        return await self._patiently(attempt, subject, timeout_s)

    async def _patiently(self, attempt: Callable[[float], Awaitable[_T]], subject: str, timeout_s: float) -> _T:
        self.require_home()
        clock = asyncio.get_running_loop().time
        deadline, pause_s = clock() + timeout_s, _FIRST_PAUSE_S
        self._refusal = None
        while True:
            try:
                return await self._while_connected(partial(attempt, max(deadline - clock(), _FIRST_PAUSE_S)), subject)
            except MaxPayloadError as error:
                raise TooLarge("the payload is larger than the server takes; split it") from error
            except NotConnected:
                raise
            except (NatsError, TimeoutError, OSError, Unavailable) as error:
                self._raise_refusal(subject)
                self._require_connection()
                if clock() + pause_s >= deadline:
                    raise Unavailable(_explained(error, timeout_s)) from error
            await asyncio.sleep(pause_s)
            pause_s = min(pause_s * 2, _LONGEST_PAUSE_S)

    async def _while_connected(self, attempt: Callable[[], Awaitable[_T]], subject: str) -> _T:
        """The result of an attempt, begun when the connection is there. Raises Unavailable as soon as that counts as lost.

        Raises Misconfigured as soon as the server forbids it, and TimeoutError after a reconnection: the reply may have gone to
        the connection before.
        """
        while not self._client.is_connected:
            self._require_connection()
            await asyncio.sleep(_FIRST_PAUSE_S)
        reconnects, trying = self._client.stats["reconnects"], asyncio.ensure_future(attempt())
        try:
            while not (await asyncio.wait((trying,), timeout=_LOOKS_EVERY_S))[0]:
                self._require_connection()
                self._raise_refusal(subject)
                if self._client.stats["reconnects"] != reconnects:
                    raise TimeoutError
            return trying.result()
        finally:
            trying.cancel()

    def require_home(self) -> None:
        """Raise NotConnected with what to do, unless this process and event loop opened the connection."""
        if self._home is None:
            raise NotConnected(_NEVER)
        process, loop = self._home
        if process != os.getpid():
            raise NotConnected(_FORKED)
        if loop is not asyncio.get_running_loop():
            raise NotConnected(_ELSEWHERE)
        if self._client.is_closed:
            raise NotConnected(_CLOSED)

    def _require_connection(self) -> None:
        """Raise Unavailable if the connection has been lost for longer than is waited for it, NotConnected if it is closed."""
        if self._client.is_closed:
            raise NotConnected(_CLOSED)
        now, reconnects = asyncio.get_running_loop().time(), self._client.stats["reconnects"]
        if self._client.is_connected:
            self._lost = None
        elif self._lost is None or self._lost[0] != reconnects:
            self._lost = (reconnects, now)
        elif now - self._lost[1] >= self._reconnect_timeout_s:
            raise Unavailable(
                f"the connection to {self._address.url} is lost, and is tried again all the time; start the server with"
                " `memstream up`, then try again, with the same message_id"
            )

    def _raise_refusal(self, subject: str) -> None:
        """A publish that the server forbids is not answered but told on the side."""
        if self._refusal and subject.lower() in self._refusal:
            raise Misconfigured(f"the server does not allow {self._address.bot} to publish on {subject}")

    async def _on_error(self, error: Exception) -> None:
        text = str(error).lower()
        if _FORBIDDEN in text:
            self._refusal = text
        _log.info("connection.disturbed: %s", type(error).__name__)


def _trace() -> dict[str, str]:
    """The `traceparent` of the bot's own span, where it traces itself; without it the bot need not have OpenTelemetry."""
    headers: dict[str, str] = {}
    if "opentelemetry.trace" in sys.modules:
        from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator  # noqa: PLC0415

        TraceContextTextMapPropagator().inject(headers)
        headers.pop("tracestate", None)
    return headers


def _here() -> tuple[int, asyncio.AbstractEventLoop]:
    return os.getpid(), asyncio.get_running_loop()


def _explained(error: Exception, timeout_s: float) -> str:
    if isinstance(error, Unavailable):
        return f"{error.message}; try again"
    if isinstance(error, NoRespondersError):
        return "nobody listens on this server: memstream's services do not run; start them with `memstream up`"
    return f"there was no answer within {timeout_s:g} s; try again, with the same message_id"
