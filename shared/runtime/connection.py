"""How a service or the command line reaches the server: address, user, inbox."""

import asyncio
import json
import re
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from functools import lru_cache
from typing import Any, TypeAlias
from weakref import WeakKeyDictionary

from nats.aio.client import Client
from nats.errors import Error as NatsError

from shared.contracts.addresses import PINGS_IN_CLUSTER, addresses
from shared.contracts.errors import NotInitialised, Unavailable
from shared.contracts.subjects import GATE, INGEST_PART, PART, inbox_prefix
from shared.runtime.credentials import load_credentials
from shared.runtime.person_keys import PersonKeys, lend
from shared.runtime.settings import RuntimeSettings

RECONNECT_WAIT_S = 0.1
_CONNECT_TIMEOUT_S = 2
_DIAL_TIMEOUT_S = 3.0
_ASKED = ("ask.", f"{GATE}.ask.", f"{PART}.", f"{INGEST_PART}.")
_PINGS = {"ping_interval": 20, "max_outstanding_pings": 3}
_HANDING_OVER_S = 0.05
_DRAIN_S = 5
"""Seconds that a closing connection may take for messages that it has received; nats-py's default is 30."""


__all__ = ["Client", "answering", "on_reconnect", "operator_connection", "server_url", "server_urls", "service_options"]


def _lenient(process: Callable[..., Awaitable[None]]) -> Callable[..., Awaitable[None]]:
    """Decode subjects that are not UTF-8 with their bytes percent-encoded; they are no canonical tokens, so they are refused.

    nats-py 2.16 decodes the subject in its read loop and stops reading for ever where that fails: one message of a bot
    would silence a service.
    """

    async def lenient(client: Client, sid: int, subject: bytes, reply: bytes, *rest: bytes) -> None:
        await process(client, sid, _readable(subject), _readable(reply), *rest)

    return lenient


def _readable(subject: bytes) -> bytes:
    try:
        subject.decode()
    except UnicodeDecodeError:
        return _NOT_ASCII.sub(lambda match: b"%%%02X" % match[0][0], subject)
    return subject


_NOT_ASCII = re.compile(rb"[^ -~]")
Client._process_msg = _lenient(Client._process_msg)  # type: ignore[assignment,method-assign] # noqa: SLF001


def parse_header_lines(raw: bytes) -> dict[str, str]:
    """Headers as nats-py 2.16 reads them: name without white space, value stripped; of equal names the last counts.

    nats-py looks at each character of each name, 27 of 39 us an event. There are few names, and they repeat.
    """
    headers: dict[str, str] = {}
    for line in raw.split(b"\r\n"):
        name, colon, value = line.partition(b":")
        if colon and (known := _header_name(name)) is not None:
            headers[known] = value.strip().decode("utf-8", "replace")
    return headers


@lru_cache(maxsize=256)
def _header_name(raw: bytes) -> str | None:
    """The name of a header; None if it is not ASCII, or has white space inside."""
    try:
        name = raw.strip().decode("ascii")
    except UnicodeDecodeError:
        return None
    return None if any(character.isspace() for character in name) else name


Client._parse_header_lines = staticmethod(parse_header_lines)  # type: ignore[method-assign] # noqa: SLF001


_Reconnect: TypeAlias = Callable[[Client], Coroutine[Any, Any, None]]
_RECONNECTED: WeakKeyDictionary[Client, set[Callable[[], None]]] = WeakKeyDictionary()


@contextmanager
def on_reconnect(client: Client, tell: Callable[[], None]) -> Iterator[None]:
    """Within the block, call this whenever the connection was lost and is there again."""
    told = _RECONNECTED.setdefault(client, set())
    told.add(tell)
    try:
        yield
    finally:
        told.discard(tell)


def _telling(reconnect: _Reconnect) -> _Reconnect:
    """Reconnect, and tell everyone who wants to know; nats-py 2.16 itself tells one, and that is FastStream's log."""

    async def telling(client: Client) -> None:
        await reconnect(client)
        for tell in list(_RECONNECTED.get(client, ())):
            tell()

    return telling


Client._attempt_reconnect = _telling(Client._attempt_reconnect)  # type: ignore[assignment,method-assign] # noqa: SLF001


@contextmanager
def answering(otherwise: str) -> Iterator[None]:
    """Within the block, turn every failure of the connection into Unavailable with this message."""
    try:
        yield
    except (NatsError, TimeoutError, OSError) as error:
        raise Unavailable(f"{otherwise}; try again") from error


def server_url(settings: RuntimeSettings) -> str:
    """The address of the server: as set, else of the embedded one. Raises Unavailable if that does not run."""
    if settings.nats_url:
        return settings.nats_url
    try:
        return str(json.loads(settings.files.running.read_text(encoding="utf-8"))["url"])
    except (OSError, ValueError, KeyError) as error:
        if not settings.files.credentials.exists():
            raise NotInitialised from error
        raise Unavailable("memstream does not run on this data folder; start it with `memstream up`") from error


def server_urls(settings: RuntimeSettings) -> list[str]:
    """The addresses of the server, or of each server of a cluster. Raises Unavailable if it does not run."""
    return addresses(server_url(settings))


def service_options(settings: RuntimeSettings, user: str) -> dict[str, Any]:
    """Options of nats-py for a long-lived connection that reconnects by itself."""
    password = load_credentials(settings.files.credentials).of_service(user)
    # a server that says nothing, as after a power cut, counts as gone sooner where there is another to go to
    has_others = len(addresses(settings.nats_url or "")) > 1
    return {
        "user": user,
        "password": password,
        "inbox_prefix": inbox_prefix(user, password),
        "max_reconnect_attempts": -1,
        "reconnect_time_wait": RECONNECT_WAIT_S,
        "connect_timeout": _CONNECT_TIMEOUT_S,
        **(PINGS_IN_CLUSTER if has_others else _PINGS),
        "drain_timeout": _DRAIN_S,
    }


async def dial(client: Client, urls: str | list[str], **options: Any) -> None:  # noqa: ANN401 - as nats-py has them
    """Connect, or leave nothing open: where a server does not answer, nats-py 2.16 leaves the socket to the garbage collector.

    Raises what nats-py raises.
    """
    try:
        await client.connect(urls, **options)
    except BaseException:
        transport: Any = client._transport  # noqa: SLF001 - true once there is a socket
        if transport:
            transport.close()
        raise


@asynccontextmanager
async def operator_connection(settings: RuntimeSettings) -> AsyncIterator[Client]:
    """A connection for one piece of administration. Raises Unavailable if the server does not answer."""
    urls = server_urls(settings)
    options = service_options(settings, "operator") | {
        "allow_reconnect": False,
        "max_reconnect_attempts": 1,
        "error_cb": _ignore,
    }
    client = Client()
    try:
        async with asyncio.timeout(_DIAL_TIMEOUT_S):  # nats-py itself would try a dead address for ever
            await dial(client, urls, **options)
    except (OSError, NatsError, TimeoutError) as error:
        raise Unavailable("the NATS server does not answer; start it with `memstream up`") from error
    lend(client, PersonKeys(settings.files.person_keys))
    try:
        yield client
    finally:
        await client.close()


async def _ignore(_: Exception) -> None:
    """Ignore an error that nats-py reports: errors of a short connection reach its caller as exceptions."""


async def take_no_more(client: Client) -> None:
    """Have the server send no more questions. Those that it has sent are handed to their handlers first.

    The subscriptions stay as they are here: FastStream fails where it is to end one that has ended.
    """
    asked = [number for number, each in client._subs.items() if each.subject.startswith(_ASKED)]  # noqa: SLF001
    with suppress(NatsError, OSError):  # a lost connection takes none
        for number in asked:
            await client._send_unsubscribe(number)  # noqa: SLF001 - `unsubscribe` would drop those that have come
        await client.flush()
        await asyncio.sleep(_HANDING_OVER_S)
