"""Reads what jobs work on from the log, a few events at a time, so that whoever asks comes between."""

import asyncio
import time
from collections.abc import Sequence

from shared.contracts.envelope import Envelope
from shared.runtime.background import BACKGROUND
from shared.runtime.connection import Client
from shared.runtime.eventlog.read import read_at

_AT_ONCE = 16
_RESTS = 8
"""So many times as long as they took to read: a thousand at once held everybody up for a second."""


async def read_in_pieces(client: Client, positions: Sequence[int]) -> list[Envelope | None]:
    """The events at these positions, in their order; None where one was erased. Raises Unavailable or Poison."""
    found: list[Envelope | None] = []
    for start in range(0, len(positions), _AT_ONCE):
        began = time.monotonic()
        found += await read_at(client, positions[start : start + _AT_ONCE])
        await BACKGROUND.give_way(_RESTS * (time.monotonic() - began))
        await asyncio.sleep(0)
    return found
