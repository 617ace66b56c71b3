"""A bot's connection to the server: durable publishing and requests, each tried again while the trouble may pass."""

import asyncio
import json
import logging
import re
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, TypeVar

from nats.aio.client import Client
from nats.errors import ConnectionClosedError, MaxPayloadError, NoRespondersError
from nats.errors import Error as NatsError

from memstream._contracts import Misconfigured, TooLarge, Unavailable, inbox_prefix
from memstream.client.address import Address

_log = logging.getLogger("memstream")
_T = TypeVar("_T")

_ATTEMPT_S = 5.0
_FIRST_PAUSE_S = 0.05
_LONGEST_PAUSE_S = 1.0
_FORBIDDEN = "permissions violation"
_ACTOR_HEADER = "Memstream-Actor"
"""Who sends, for the audit trail: the name that the bot claims."""

_NAME = re.compile(r"[!-~]{1,128}")


class Wire:
    """One connection, which comes back by itself once it was made."""

    def __init__(self, address: Address, options: Mapping[str, Any]) -> None:
        self._address = address
        self._options = options
        self._client = Client()
        self._refusal: str | None = None
        self.incognito: set[tuple[str, str, str]] = set()
        """Sessions (space, user, session id) of which nothing may be sent."""

    async def open(self, timeout_s: float) -> None:
        """Connect. Raises Unavailable after the time, Misconfigured if the server refuses the bot."""
        address = self._address
        options: dict[str, Any] = {
            "name": f"memstream-{address.bot}",
            "user": address.bot if address.password else None,
            "password": address.password,
            "inbox_prefix": inbox_prefix(address.bot, address.password or ""),  # the server lets a bot hear nothing else
            "max_reconnect_attempts": -1,
            "reconnect_time_wait": 0.1,
            "connect_timeout": 2,
            "error_cb": self._on_error,
            **self._options,
        }
        try:
            async with asyncio.timeout(timeout_s):
                # Without `allow_reconnect` a wrong password raises at once; with it nats-py 2.16 would try for ever.
                await self._client.connect(address.url, **options, allow_reconnect=False)
        except (OSError, TimeoutError) as error:
            raise Unavailable(f"no NATS server answers at {address.url}; start it with `memstream up`") from error
        except NatsError as error:
            raise Misconfigured(f"the server at {address.url} does not let {address.bot} in: {error}") from error
        self._client.options["allow_reconnect"] = True

    async def close(self) -> None:
        """Close the connection; what was acknowledged is durable."""
        await self._client.close()

    async def publish(self, subject: str, payload: bytes, *, headers: Mapping[str, str], timeout_s: float) -> int:
        """Publish and await the acknowledgement: the message is on disk. Returns its sequence.

        Tried again until the time is up, so the payload must carry a message_id. Raises Unavailable or TooLarge.
        """
        named = {**headers, _ACTOR_HEADER: self._address.bot} if _NAME.fullmatch(self._address.bot) else dict(headers)

        async def attempt(limit_s: float) -> int:
            reply = await self._client.request(subject, payload, timeout=min(limit_s, _ATTEMPT_S), headers=named)
            return _sequence(reply.data)

        return await self._patiently(attempt, subject, timeout_s)

    async def request(self, subject: str, payload: bytes, *, timeout_s: float) -> bytes:
        """The reply. Tried again while nobody listens. Raises Unavailable or TooLarge."""

        async def attempt(limit_s: float) -> bytes:
            return (await self._client.request(subject, payload, timeout=limit_s)).data

        return await self._patiently(attempt, subject, timeout_s)

    async def _patiently(self, attempt: Callable[[float], Awaitable[_T]], subject: str, timeout_s: float) -> _T:
        clock = asyncio.get_running_loop().time
        deadline, pause_s = clock() + timeout_s, _FIRST_PAUSE_S
        self._refusal = None
        while True:
            try:
                return await attempt(max(deadline - clock(), _FIRST_PAUSE_S))
            except MaxPayloadError as error:
                raise TooLarge("the payload is larger than the server takes; split it") from error
            except ConnectionClosedError as error:
                raise Unavailable("the client is not connected; use `async with MemoryClient(...)`") from error
            except (NatsError, TimeoutError, OSError, Unavailable) as error:
                self._raise_refusal(subject)
                if clock() + pause_s >= deadline:
                    raise Unavailable(_explained(error, timeout_s)) from error
            await asyncio.sleep(pause_s)
            pause_s = min(pause_s * 2, _LONGEST_PAUSE_S)

    def _raise_refusal(self, subject: str) -> None:
        """A publish that the server forbids is not answered but told on the side."""
        if self._refusal and subject.lower() in self._refusal:
            raise Misconfigured(f"the server does not allow {self._address.bot} to publish on {subject}")

    async def _on_error(self, error: Exception) -> None:
        text = str(error).lower()
        if _FORBIDDEN in text:
            self._refusal = text
        _log.info("connection.disturbed: %s", type(error).__name__)


def _sequence(data: bytes) -> int:
    answer = json.loads(data)
    if "error" in answer:
        raise Unavailable(f"the server did not take the message: {answer['error'].get('description', 'no reason given')}")
    return int(answer["seq"])


def _explained(error: Exception, timeout_s: float) -> str:
    if isinstance(error, Unavailable):
        return f"{error.message}; try again"
    if isinstance(error, NoRespondersError):
        return "nobody listens on this server: memstream's services do not run; start them with `memstream up`"
    return f"there was no answer within {timeout_s:g} s; try again, with the same message_id"
