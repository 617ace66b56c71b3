"""What a NATS server, or each of a cluster, says of itself, and whether its users may do what they must and no more."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from nats.aio.client import Client
from nats.errors import Error as NatsError

from shared.contracts.errors import Misconfigured, Unavailable
from shared.contracts.subjects import inbox_prefix
from shared.runtime.clock import Clock
from shared.runtime.connection import answering, dial, server_urls
from shared.runtime.credentials import Credentials, load_credentials
from shared.runtime.embedded import health
from shared.runtime.embedded.accounts import SERVICES
from shared.runtime.settings import RuntimeSettings

_TIMEOUT_S = 2.0
_QUIET_S = 0.3
_TO_MICROSECONDS = len("2026-05-03T10:00:00.123456")
_OF_NO_STREAM = "memory.probe"
"""Only ingest may publish on it, and no stream takes it."""
_DENIED = "permissions violation"


@dataclass(frozen=True, slots=True)
class ServerState:
    """A server, as it says."""

    name: str
    version: str
    max_payload: int
    has_jetstream: bool
    syncs_always: bool
    clock_ahead_s: float
    """Of this machine's clock."""


async def server_states(settings: RuntimeSettings, clock: Clock) -> list[ServerState]:
    """What each server of the cluster says, or the only one, by name. Raises Misconfigured where none may be asked."""
    async with _connected(settings, "system") as (client, _):
        states = [_state(answer, clock.now()) for answer in await _answers(client, "VARZ")]
    if not states:
        raise Misconfigured("the user system is told nothing of the server: set `system_account: SYS` in its configuration")
    return sorted(states, key=lambda state: state.name)


async def unable_to_write(settings: RuntimeSettings) -> dict[str, str]:
    """Why servers store nothing more, by their name: of the cluster, or of the only one."""
    async with _connected(settings, "system") as (client, _):
        answers = await _answers(client, "HEALTHZ")
    said = {str(answer["server"]["name"]): health.unable_to_write(answer) for answer in answers}
    return {name: why for name, why in said.items() if why}


async def refused_users(settings: RuntimeSettings) -> list[str]:
    """The users that the server does not let in: its accounts are older than credentials.toml."""
    credentials = load_credentials(settings.files.credentials)
    refused = []
    for user in (*SERVICES, "gateway", *credentials.bots, *credentials.readers):
        try:
            async with _connected(settings, user):
                pass
        except Misconfigured:
            refused.append(user)
    return refused


async def wrong_permissions(settings: RuntimeSettings) -> list[str]:
    """What is wrong with the permissions of users, in words: what one lacks, or who else may append to the log."""
    credentials = load_credentials(settings.files.credentials)
    found = []
    for user, permissions in SERVICES.items():
        async with _connected(settings, user) as (client, complaints):
            for subject in permissions.subscribe:
                await (await client.subscribe(subject, queue="doctor-looks")).unsubscribe(limit=1)
            await client.flush()
            found += [
                f"{user} may not subscribe to all that it must: {error}" for error in complaints.errors[:1] if _DENIED in error
            ]
    for user in (*(name for name in SERVICES if name != "ingest"), *credentials.bots, *credentials.readers):
        async with _connected(settings, user) as (client, complaints):
            await client.publish(_OF_NO_STREAM, b"")
            await client.flush()
            if not any(_DENIED in error for error in await complaints.soon()):
                found.append(f"{user} may append to the log")
    return found


async def _answers(client: Client, what: str) -> list[dict[str, Any]]:
    """What each server answers that is asked this."""
    inbox, found = client.new_inbox(), list[dict[str, Any]]()
    answers = await client.subscribe(inbox)
    await client.publish(f"$SYS.REQ.SERVER.PING.{what}", b"", reply=inbox)
    with suppress(NatsError, TimeoutError):
        while True:
            found.append(json.loads((await answers.next_msg(timeout=_QUIET_S if found else _TIMEOUT_S)).data))
    return found


class _Complaints:
    """What the server complains of to a connection, a moment after it has."""

    def __init__(self) -> None:
        self.errors: list[str] = []
        self._came = asyncio.Event()

    async def note(self, error: Exception) -> None:
        """Keep it."""
        self.errors.append(str(error).lower())
        self._came.set()

    async def soon(self) -> list[str]:
        """What there is, at once when there is something."""
        with suppress(TimeoutError):
            async with asyncio.timeout(_QUIET_S):
                await self._came.wait()
        return self.errors


@asynccontextmanager
async def _connected(settings: RuntimeSettings, user: str) -> AsyncIterator[tuple[Client, _Complaints]]:
    """A short connection as a user, and what the server complains of. Raises Misconfigured where it does not let them in."""
    password, complaints = _password(load_credentials(settings.files.credentials), user), _Complaints()
    client, inbox = Client(), inbox_prefix(user, password)
    options: dict[str, Any] = {"user": user, "password": password, "inbox_prefix": inbox, "allow_reconnect": False}
    try:
        with answering("the NATS server does not answer"):
            async with asyncio.timeout(_TIMEOUT_S):
                await dial(client, server_urls(settings), error_cb=complaints.note, **options)
    except Unavailable as error:
        if "authorization" in str(error.__cause__).lower():
            raise Misconfigured(f"the server does not let {user} in") from error
        raise
    try:
        yield client, complaints
    finally:
        await client.close()


def _password(credentials: Credentials, user: str) -> str:
    if user in credentials.bots:
        return credentials.bots[user].password
    return credentials.readers[user].password if user in credentials.readers else credentials.of_service(user)


def _state(told: dict[str, Any], now: datetime) -> ServerState:
    data: dict[str, Any] = told["data"]
    config = data.get("jetstream", {}).get("config") or {}
    at = datetime.fromisoformat(data["now"][:_TO_MICROSECONDS].rstrip("Z")).replace(tzinfo=UTC)
    return ServerState(
        name=data["server_name"],
        version=data["version"],
        max_payload=data["max_payload"],
        has_jetstream=bool(config),
        syncs_always=bool(config.get("sync_always")),
        clock_ahead_s=(at - now).total_seconds(),
    )
