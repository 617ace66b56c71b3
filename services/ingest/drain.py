"""Keeps SEND short: what every lane has decided is purged."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from shared.contracts.errors import Unavailable
from shared.runtime.connection import Client
from shared.runtime.logs import log
from shared.runtime.sending import purge_decided

_PERIOD_S = 2.0


async def keep_drained(client: Client, lanes: Sequence[str]) -> None:
    """Purge now and then, for ever."""
    while True:
        await asyncio.sleep(_PERIOD_S)
        try:
            await purge_decided(client, lanes)
        except Unavailable as error:
            log.debug("drain.postponed", reason=error.message)
