"""Waits until the services have worked off what was sent: facts learned, vectors made, all of it in the log."""

from __future__ import annotations

import asyncio
import json
from typing import Any

from memstream.cli.session import CliSession
from shared.contracts.errors import Unavailable
from shared.runtime.connection import Client, answering, operator_connection
from shared.runtime.topology import SEND, identify_log

_POLL_S = 0.2
_QUIET = 3
_PATIENCE_S = 600.0


async def all_learned(session: CliSession) -> int:
    """The log's end when nothing waits any more: no session to learn from, no memory to embed, nothing in transit."""
    async with operator_connection(session.settings) as client, asyncio.timeout(_PATIENCE_S):
        quiet, end = 0, -1
        while quiet < _QUIET:
            await asyncio.sleep(_POLL_S)
            before, end = end, (await identify_log(client)).last_position
            quiet = quiet + 1 if before == end and not await _waiting(client) else 0
        return end


async def _waiting(client: Client) -> int:
    in_transit = (await client.jetstream().stream_info(SEND)).state.messages
    pending = (await _status(client, "consolidator"))["pending"]
    backlog = (await _status(client, "maintenance"))["backlog"]
    return int(in_transit + pending + backlog)


async def _status(client: Client, service: str) -> dict[str, Any]:
    with answering(f"{service} does not answer"):
        reply = await client.request(f"admin.{service}.status", b"", timeout=5)
    answer: dict[str, Any] = json.loads(reply.data)
    if "error" in answer:
        raise Unavailable(answer["error"]["message"])
    return answer
