"""Tells a process of its own of imports that another one decides: by the newest turn that the log has."""

import time
from collections.abc import Callable
from contextlib import suppress

from shared.contracts.errors import Poison, Unavailable
from shared.contracts.events import EpisodeRecorded, decode
from shared.runtime.connection import Client, answering
from shared.runtime.eventlog.new_event import ID_HEADER
from shared.runtime.import_watch import ImportWatch
from shared.runtime.person_keys import keys_of
from shared.runtime.topology import MEMORY

_LOOK_EVERY_S = 0.5
_LONG_AGO_S = 2.0
"""After such a pause between two looks nobody knows since when the newest turn is there."""

_TIMEOUT_S = 1.0
_TURNS = f"memory.*.*.{EpisodeRecorded.event_type}"


class ImportsElsewhere:
    """Looks, and notes what it sees: an import, or that somebody says something."""

    def __init__(self, client: Client, imports: ImportWatch, clock: Callable[[], float] = time.monotonic) -> None:
        self._client = client
        self._imports = imports
        self._clock = clock
        self._looked_s = float("-inf")
        self._newest = 0

    async def look(self) -> None:
        """Look, if the last look was not just now."""
        now, before, looked_s = self._clock(), self._newest, self._looked_s
        if now - looked_s < _LOOK_EVERY_S:
            return
        self._looked_s = now
        with suppress(Unavailable, Poison):
            is_imported = await self._newest_is_imported()
            if self._newest == before or now - looked_s >= _LONG_AGO_S:
                return
            if is_imported:
                self._imports.note()
            else:
                self._imports.note_live()

    async def _newest_is_imported(self) -> bool:
        """Whether the newest turn came with an import. Raises Unavailable or Poison."""
        with answering("the log did not answer"):
            js = self._client.jetstream(timeout=_TIMEOUT_S)
            found = await js.get_last_msg(MEMORY, _TURNS)
        self._newest = found.seq or 0
        data = keys_of(self._client).opened(found.data or b"", (found.headers or {}).get(ID_HEADER, ""), found.subject or "")
        event = decode(data).data if data is not None else None
        return isinstance(event, EpisodeRecorded) and event.imported
