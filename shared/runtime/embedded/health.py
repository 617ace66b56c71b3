"""Whether a server can still write: after a full disk nats-server 2.15 stores nothing more until it is started again."""

import json
import shutil
from pathlib import Path
from typing import Any

from nats.aio.client import Client

from shared.contracts.errors import Unavailable
from shared.contracts.problems import OF_A_FULL_DISK
from shared.runtime.connection import answering, dial
from shared.runtime.credentials import Credentials

_TIMEOUT_S = 2
_CONNECT_PAUSE_S: Any = 0.02  # nats-py says int, and sleeps for it
_LEAST_ROOM = 64 * 1024 * 1024
"""Bytes. With less it would be full again in a moment."""


async def ask_itself(url: str, credentials: Credentials, what: str, *, timeout_s: int) -> dict[str, Any]:
    """What the server at this address answers that is asked `what`, as /varz would say; raises what nats-py does."""
    client = Client()
    options: dict[str, Any] = {"user": "system", "password": credentials.of_service("system"), "allow_reconnect": False}
    await dial(client, url, connect_timeout=timeout_s, reconnect_time_wait=_CONNECT_PAUSE_S, error_cb=_quiet, **options)
    try:
        itself = client._server_info["server_id"]  # noqa: SLF001 - others of a cluster would answer a ping, too
        answer = await client.request(f"$SYS.REQ.SERVER.{itself}.{what}", b"", timeout=timeout_s)
    finally:
        await client.close()
    told: dict[str, Any] = json.loads(answer.data)
    return told


async def write_error(url: str, credentials: Credentials) -> str | None:
    """Why this server stores nothing more, in its own words; None while it can write. Raises Unavailable."""
    with answering("the server does not say how it is"):
        return unable_to_write(await ask_itself(url, credentials, "HEALTHZ", timeout_s=_TIMEOUT_S))


def unable_to_write(health: dict[str, dict[str, str]]) -> str | None:
    """What a server's answer about its health says of writing; None if it can write."""
    said = health.get("data", {}).get("error", "")
    return said if any(words in said for words in OF_A_FULL_DISK) else None


def has_room(folder: Path) -> bool:
    """True if a server that is started again on this folder can write for a while."""
    try:
        return shutil.disk_usage(folder).free >= _LEAST_ROOM
    except OSError as error:
        raise Unavailable(f"{folder} cannot be looked at") from error


async def _quiet(_: Exception) -> None:
    """Ignore an error of a connection: the caller is told; while the server starts, refused connections are expected."""
