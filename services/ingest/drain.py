"""Keeps SEND short by purging what every lane has decided."""

import asyncio
from collections.abc import Sequence

from services.ingest.lane import Lane
from services.ingest.store import Store
from shared.contracts.errors import Unavailable
from shared.runtime.connection import Client
from shared.runtime.logs import log
from shared.runtime.sending import purge_decided

_PERIOD_S = 2.0


async def keep_drained(client: Client, lanes: Sequence[Lane], store: Store) -> None:
    """Purge SEND now and then, for ever, and drop outcomes that are too old to be asked for by sequence."""
    purged = 0
    while True:
        await asyncio.sleep(_PERIOD_S)
        try:
            if done := await purge_decided(client, [lane.progress for lane in lanes], purged=purged):
                purged = done
                store.forget_decisions(before=done)
        except Unavailable as error:
            log.debug("drain.postponed", reason=error.message)
