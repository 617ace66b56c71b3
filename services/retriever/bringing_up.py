"""Brings up the files that were left behind the log while an import was alone: when it is over, or they lack much."""

import asyncio
import time
from functools import partial

from services.retriever.scope_rebuild import ScopeRebuilds
from services.retriever.store.left_out import LeftOut
from shared.contracts.errors import Unavailable
from shared.contracts.ids import Scope
from shared.runtime.connection import Client
from shared.runtime.full_disk import until_there_is_room
from shared.runtime.import_watch import IMPORTS
from shared.runtime.logs import log
from shared.runtime.projector import Progress

_LOOK_EVERY_S = 1.0
_MOST_LEFT_OUT = 2_000
"""Events: whoever asks first waits for them to be read, a tenth of a second and more."""


class BringingUp:
    """Works through the people whose files lack events, one after the other."""

    def __init__(self, client: Client, rebuilds: ScopeRebuilds, left_out: LeftOut, progress: Progress) -> None:
        self._client = client
        self._rebuilds = rebuilds
        self._left_out = left_out
        self._progress = progress

    async def run(self) -> None:
        """Bring files up until cancelled."""
        while True:
            position = self._progress.position
            await asyncio.sleep(_LOOK_EVERY_S)
            while (scope := self._left_out.next(_MOST_LEFT_OUT if IMPORTS.is_under_way else 1)) is not None:
                began_s = time.monotonic()
                try:
                    await self._bring_up(scope)
                except Unavailable:
                    break
                await IMPORTS.rest(time.monotonic() - began_s)
            if self._left_out.first is None:
                await self._progress.beyond(position)

    async def _bring_up(self, scope: Scope) -> None:
        """Read from the log what a file lacks. Raises Unavailable; whatever else is wrong, whoever asks for it is told."""
        try:
            bring_up = partial(self._rebuilds.bring_up, self._client, scope, is_asked=False)
            await until_there_is_room(bring_up, what="retriever")
        except Unavailable:
            raise
        except Exception:  # noqa: BLE001 - one person's file must not keep all others from being brought up
            log.warning("file.not_brought_up", scope=scope, exc_info=True)
        self._left_out.drop(scope)
