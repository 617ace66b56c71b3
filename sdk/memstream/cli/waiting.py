"""Waits until the services have worked off what was sent: facts learned, vectors made, all of it in the log."""

import asyncio

from memstream.cli.admin import ask_service
from memstream.cli.session import CliSession
from shared.runtime.connection import Client, operator_connection
from shared.runtime.topology import SEND, identify_log

_POLL_S = 0.2
_QUIET = 3
_PATIENCE_S = 600.0
_STATUS_S = 5.0


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
    pending = (await ask_service(client, "consolidator", "status", timeout_s=_STATUS_S))["pending"]
    backlog = (await ask_service(client, "maintenance", "status", timeout_s=_STATUS_S))["backlog"]
    return int(in_transit + pending + backlog)
