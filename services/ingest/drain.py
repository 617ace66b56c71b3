"""Keeps SEND short: what every lane has decided is purged, at once when nothing is left, else when the stream is half full."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from nats.aio.client import Client
from nats.errors import Error as NatsError

from shared.runtime.logs import log
from shared.runtime.topology import MAX_SEND_BYTES, SEND

_PERIOD_S = 2.0


async def keep_drained(client: Client, consumers: Sequence[str]) -> None:
    """Purge now and then, for ever."""
    while True:
        await asyncio.sleep(_PERIOD_S)
        try:
            await purge_decided(client, consumers)
        except (NatsError, TimeoutError, OSError) as error:
            log.debug("drain.postponed", reason=type(error).__name__)


async def purge_decided(client: Client, consumers: Sequence[str]) -> int:
    """Purge what is safe to purge; return the last sequence purged, 0 for none.

    The stream's end is read before the consumers: what they then have not is younger than it.
    """
    js = client.jetstream()
    state = (await js.stream_info(SEND)).state
    if not state.messages:
        return 0
    floors = [await _floor(client, consumer, state.last_seq) for consumer in consumers]
    done = min(floors, default=0)
    is_drained = done >= state.last_seq
    if done < state.first_seq or not (is_drained or state.bytes > MAX_SEND_BYTES // 2):
        return 0
    await js.purge_stream(SEND, seq=done + 1)
    return done


async def _floor(client: Client, consumer: str, last_sequence: int) -> int:
    """Up to where a lane has acknowledged everything that concerns it."""
    info = await client.jetstream().consumer_info(SEND, consumer)
    if not info.num_pending and not info.num_ack_pending:
        return last_sequence
    return info.ack_floor.stream_seq if info.ack_floor else 0
