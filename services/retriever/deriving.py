"""Derives the arrays that files lack before somebody asks: after a rebuild, an import, or long talk that nobody asked about."""

import asyncio
import time

from services.retriever.store.memory_folder import MemoryFolder
from shared.contracts.ids import Scope
from shared.runtime.background import BACKGROUND
from shared.runtime.logs import log
from shared.runtime.projector import Progress
from shared.runtime.tasks import in_thread

_SETTLED_S = 5.0
"""Who is written to goes on being written to for a while: arrays that are there would be patched each time."""

_RESTS = 6
"""So many times as long as a derivation took, the next one waits while events come: they are more urgent."""


class Deriving:
    """Keeps all files but small ones provided with arrays, in the background. Of a memory they take about 0.1 ms."""

    def __init__(self, memories: MemoryFolder, progress: Progress) -> None:
        self._memories = memories
        self._progress = progress

    async def run(self) -> None:
        """Provide the files that lack arrays now, then those that turn out to while events come; until cancelled."""
        for scope in await in_thread(self._memories.without_arrays):
            await self._derive(scope)
        while True:
            position = self._progress.position
            await asyncio.sleep(_SETTLED_S)
            for scope in self._memories.settled_without_arrays():
                await self._derive(scope)
            if not self._memories.is_any_to_derive:
                await self._progress.beyond(position)

    async def _derive(self, scope: Scope) -> None:
        position, began_s = self._progress.position, time.monotonic()
        try:
            await BACKGROUND.run(self._memories.derive_arrays, scope)
        except Exception:  # noqa: BLE001 - one person's file must not keep all others from being answered
            log.warning("arrays.not_derived", scope=scope, exc_info=True)
        if self._progress.position != position:
            await asyncio.sleep(_RESTS * (time.monotonic() - began_s))
