"""Ends the time in which a forgetting can be taken back. From then on the eraser takes it up."""

from collections.abc import Mapping, Sequence
from datetime import datetime

from services.ingest.domain.state import ScopeState
from services.ingest.own_events import OwnRecorder, own_event
from services.ingest.store import Store
from shared.contracts.envelope import Envelope
from shared.contracts.errors import ENDING, Unavailable, VersionConflict
from shared.contracts.ids import Scope, Slot
from shared.contracts.privacy import GraceEnded, MemoryForgotten
from shared.domain.moments import microseconds
from shared.runtime.clock import Clock
from shared.runtime.connection import Client
from shared.runtime.logs import log
from shared.runtime.projector import read_scope
from shared.runtime.sending import last_sequence
from shared.runtime.tasks import note_failure

_MICROSECONDS = 1_000_000
_PERIOD_S = 0.2
_LONGEST_S = 1.0
"""While one waits, the clock is looked at so often: it may be set, and it goes on while a machine sleeps."""


class GraceTimes:
    """The forgettings that wait. They lie in the log, so a start of ingest changes nothing."""

    def __init__(self, *, client: Client, store: Store, lanes: Mapping[Slot, OwnRecorder], clock: Clock) -> None:
        self._client = client
        self._store = store
        self._lanes = lanes
        self._clock = clock
        self._sent: dict[Scope, int] = {}  # the last message that came in time, of those whose time is over

    async def run(self) -> None:
        """End them for ever, each when its time has come."""
        while True:
            seen = self._store.forgettings.count
            try:
                await self.end_due()
            except (Unavailable, VersionConflict) as error:
                log.info("grace.postponed", reason=error.message)
            if (pause_s := self.pause_s()) is None:
                await self._store.forgettings.beyond(seen)
            else:
                await self._store.forgettings.within(pause_s, seen)

    def pause_s(self) -> float | None:
        """Seconds until the next one is due, or is tried again; None if none waits."""
        ends = [each.erase_at for each in self._store.waiting() if each.erase_at is not None]
        if not ends:
            return None
        left_s = (min(ends) - microseconds(self._clock.now())) / _MICROSECONDS
        return min(left_s, _LONGEST_S) if left_s > 0 else _PERIOD_S

    async def end_due(self) -> None:
        """End those whose time is over. Raises Unavailable or VersionConflict.

        Whoever takes one back in time is obeyed, however long it takes until the message is decided.
        """
        due: dict[tuple[Scope, Slot], set[str]] = {}
        for each in self._store.waiting():
            if each.erase_at is not None and each.erase_at <= microseconds(self._clock.now()):
                due.setdefault((each.scope, each.slot), set()).add(each.forget_id)
        self._sent = {scope: self._sent.get(scope) or await last_sequence(self._client, slot) for scope, slot in due}
        for (scope, slot), forget_ids in due.items():
            if self._lanes[slot].has_decided(scope, slot, self._sent[scope]):
                try:
                    await self._end(scope, slot, forget_ids)
                except (*ENDING, Unavailable, VersionConflict):
                    raise
                except Exception as error:  # noqa: BLE001 - those of others end all the same
                    note_failure(error, what="grace", scope=scope)

    async def _end(self, scope: Scope, slot: Slot, forget_ids: set[str]) -> None:
        forgotten = {
            each.event.data.forget_id: each.event
            for each in await read_scope(self._client, scope, slot=slot)
            if isinstance(each.event.data, MemoryForgotten)
        }

        def ended(state: ScopeState, now: datetime) -> Sequence[Envelope]:
            over = [each for each in state.privacy.waiting if each in forget_ids]
            return [
                own_event(forgotten[each], GraceEnded(forget_id=each), number=state.number + number, now=now)
                for number, each in enumerate(over, start=1)
            ]

        await self._lanes[slot].record(scope, slot, ended)
        log.info("grace.ended", scope=scope, forgettings=len(forget_ids))
