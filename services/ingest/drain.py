"""Keeps SEND short by purging what every lane has decided, but not while a backup copies it."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from functools import partial
from typing import Any

from services.ingest.lane import Lane
from services.ingest.store import Store
from shared.contracts.errors import Unavailable
from shared.runtime.connection import Client
from shared.runtime.ids import new_token
from shared.runtime.logs import log
from shared.runtime.news import News
from shared.runtime.sending import Floors, first_sequence, purge_decided, size_of
from shared.runtime.topology import SEND

_PERIOD_S = 2.0


class Purging:
    """Purges, unless it is held. A hold ends by itself, and whoever asked for it learns whether it held."""

    def __init__(self) -> None:
        self._run = new_token()
        self._purges = 0
        self._held_until = 0.0  # of the event loop's clock
        self._turn = asyncio.Lock()

    async def hold(self, seconds: float) -> dict[str, Any]:
        """Purge nothing from now on for so long; 0: go on. As long as nothing was purged, the same ingest returns the same."""
        async with self._turn:
            self._held_until = asyncio.get_running_loop().time() + seconds
            return {"run": self._run, "purges": self._purges}

    async def unless_held(self, purge: Callable[[], Awaitable[int]]) -> int:
        """What `purge` returns; 0 if it is held."""
        async with self._turn:
            if asyncio.get_running_loop().time() < self._held_until:
                return 0
            self._purges += 1  # before: a purge that the server does not confirm may have been
            return await purge()


async def keep_drained(
    client: Client, lanes: Sequence[Lane], store: Store, decided: News, purging: Purging, *, others: Floors | None = None
) -> None:
    """Purge SEND now and then while anything lies in it, for ever, and drop outcomes that are too old to be asked for.

    `others`: how far other ingests have decided their parts.
    """
    purged = 0
    while True:
        await asyncio.sleep(_PERIOD_S)
        seen = decided.count
        try:
            purge = partial(purge_decided, client, [lane.progress for lane in lanes], purged=purged, others=others)
            if done := await purging.unless_held(purge):
                purged = done
                store.forget_decisions(before=done)
            is_left = await size_of(client, SEND) > 0
        except Unavailable as error:
            log.debug("drain.postponed", reason=error.message)
            continue
        if not is_left:
            await decided.beyond(seen)


async def keep_forgetting(client: Client, store: Store) -> None:
    """Drop outcomes that are too old to be asked for, where another ingest purges SEND."""
    while True:
        await asyncio.sleep(_PERIOD_S)
        with suppress(Unavailable):
            store.forget_decisions(before=await first_sequence(client) - 1)
