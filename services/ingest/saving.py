"""Saves what was decided a moment after it is in the log: who sent it is answered first, and finds it first."""

import asyncio

from services.ingest.store import Store
from shared.contracts.errors import DiskFull
from shared.runtime.full_disk import wait_for_room

_SOON_S = 0.025
"""Longer than the way of a lone message through the retriever, which wants the processor meanwhile."""


async def keep_saved(store: Store) -> None:
    """Write what waits to be saved, for ever; the store itself does so before anybody looks."""
    while True:
        seen = store.unsaved.count
        try:
            store.settle()
        except DiskFull as error:
            await wait_for_room(error, what=store.name)
            continue
        await store.unsaved.beyond(seen)
        await asyncio.sleep(_SOON_S)
