"""Looks how large the streams are: what fills up must be noticed before bots are refused, or dead letters go."""

import asyncio
from contextlib import suppress

from shared.contracts.errors import Unavailable
from shared.runtime.connection import Client
from shared.runtime.logs import log
from shared.runtime.metrics import STREAM_BYTES, STREAM_LIMIT_BYTES
from shared.runtime.sending import size_of
from shared.runtime.topology import FULL_REJECTED_BYTES, MAX_REJECTED_BYTES, MAX_SEND_BYTES, MEMORY, REJECTED, SEND

_LOOK_S = 30.0
_LIMITS = {SEND: MAX_SEND_BYTES, REJECTED: MAX_REJECTED_BYTES}


async def measure_streams(client: Client) -> None:
    """Measure the streams for ever, and tell when the server begins to drop the oldest dead letters."""
    was_full = False
    while True:
        with suppress(Unavailable):
            is_full = (await _measured(client))[REJECTED] > FULL_REJECTED_BYTES
            if is_full and not was_full:
                log.warning("dead_letters.full")
            was_full = is_full
        await asyncio.sleep(_LOOK_S)


async def _measured(client: Client) -> dict[str, int]:
    sizes = {stream: await size_of(client, stream) for stream in (MEMORY, SEND, REJECTED)}
    for stream, size in sizes.items():
        STREAM_BYTES.labels(stream).set(size)
        if limit := _LIMITS.get(stream):
            STREAM_LIMIT_BYTES.labels(stream).set(limit)
    return sizes
