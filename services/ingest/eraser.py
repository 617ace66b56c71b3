"""Erases what was forgotten from SEND, REJECTED and the log, in the background; then scans, and has the receipt recorded.

All that it needs is in the log, so it can be stopped anywhere and begin again: erasing twice is no error.
"""

import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import NamedTuple

from services.ingest.domain.state import ScopeState
from services.ingest.open_forgettings import OpenForgetting, unfinished
from services.ingest.own_events import OwnRecorder, own_event
from services.ingest.store import Store
from services.ingest.trace_search import TraceSearch
from services.ingest.traces import Traces
from shared.contracts.envelope import Envelope
from shared.contracts.errors import ENDING, Unavailable, VersionConflict
from shared.contracts.ids import Scope, Slot, Space, User
from shared.contracts.privacy import ForgettingCompleted, Scan
from shared.contracts.subjects import SentSubject, may_mean, scope_filter
from shared.runtime.background import BACKGROUND
from shared.runtime.connection import Client
from shared.runtime.erasing import erase, keys_used, sequences_of, subjects_of
from shared.runtime.eventlog.append import MAX_BATCH
from shared.runtime.logs import log
from shared.runtime.metrics import ERASURES_OLDEST_SECONDS, ERASURES_PENDING
from shared.runtime.person_keys import keys_of
from shared.runtime.projector import Recorded, read_scope
from shared.runtime.tasks import in_thread, note_failure
from shared.runtime.topology import MEMORY, REJECTED, SEND, identify_log, replicas_of

_PERIOD_S = 0.2
_RETRY_S = 1.0
_RESTS = 3
"""So many times as long as an erasure took that no person asked for, the next one waits while somebody asks: it writes 4 MB."""


class Erased(NamedTuple):
    """A forgetting whose events are erased, with its receipt."""

    event: Envelope  # its first
    receipt: ForgettingCompleted


class Eraser:
    """Works through the forgettings that have no receipt yet."""

    def __init__(
        self,
        *,
        client: Client,
        store: Store,
        lanes: Mapping[Slot, OwnRecorder],
        backups: Callable[[], Sequence[str]],
        traces: Traces,
    ) -> None:
        self._client = client
        self._store = store
        self._lanes = lanes
        self._backups = backups
        self._traces = traces
        self._keys = keys_of(client)
        self._searches: dict[Scope, TraceSearch] = {}
        self._since: dict[Scope, float] = {}  # when it was first seen that something is to be erased
        self.erased: dict[tuple[Scope, str], int] = {}
        """Progress of the forgettings in work: events erased by now, by scope and forget_id."""

    async def run(self) -> None:
        """Erase for ever."""
        ERASURES_OLDEST_SECONDS.set_function(self._oldest_s)
        while True:
            seen, pause_s = self._store.forgettings.count, _PERIOD_S
            for scope, slot in await self._to_erase():
                try:
                    await self._work_off(scope, slot)
                except (Unavailable, VersionConflict) as error:
                    log.info("erasing.postponed", scope=scope, reason=error.message)
                    pause_s = _RETRY_S
                except ENDING:
                    raise
                except Exception as error:  # noqa: BLE001 - what others had forgotten is erased all the same
                    note_failure(error, what="erasing", scope=scope)
            if await self._waiting():
                await self._store.forgettings.within(pause_s, seen)
            else:
                await self._store.forgettings.beyond(seen)

    async def _waiting(self) -> Sequence[tuple[Scope, Slot]]:
        """The people of whom something is to be erased; tells the metrics how many they are, and since when."""
        waiting, now = await in_thread(self._store.to_erase), time.monotonic()
        self._since = {scope: self._since.get(scope, now) for scope, _ in waiting}
        ERASURES_PENDING.set(len(waiting))
        return waiting

    def _oldest_s(self) -> float:
        """Asked when the metrics are: an erasure that hangs must be seen to grow old."""
        now = time.monotonic()
        return now - min([*self._since.values()], default=now)

    async def _to_erase(self) -> Sequence[tuple[Scope, Slot]]:
        waiting = await self._waiting()
        return [(scope, slot) for scope, slot in waiting if scope not in self._searches or self._searches[scope].is_due]

    async def _work_off(self, scope: Scope, slot: Slot) -> None:
        events = await read_scope(self._client, scope, slot=slot)
        todo = unfinished(events)
        if not todo:  # the answer to the receipt's append was lost
            await self._lanes[slot].catch_up()
            return
        search = self._searches.setdefault(scope, TraceSearch())
        search.learn(events, todo)
        await self._erase_keys(scope, slot, events, todo)
        through = await self._erase_messages(slot, search, todo)
        await self._erase_events(scope, slot, events, todo)
        left = await read_scope(self._client, scope, slot=slot)
        replicas = await replicas_of(self._client, MEMORY)
        looked = await in_thread(self._traces.look, search.erasure(scope, left, through, replicas))
        if (looked.places or replicas.away) and search.may_wait():
            log.info("erasing.waits", scope=scope, places=looked.places, away=replicas.away)
            return
        await self._record(scope, slot, todo, left, search.scan(left, looked))
        self._keys.let_go(scope)
        del self._searches[scope]

    async def _erase_keys(self, scope: Scope, slot: Slot, events: Sequence[Recorded], todo: Sequence[OpenForgetting]) -> None:
        """Erase what is left of the keys of a person who is forgotten as a whole, as after a crash right before."""
        through = _last_of_whole(events, todo)
        if through and self._keys.numbers_of(scope):
            sealed = await keys_used(self._client, scope, slot=slot, through=through)
            await in_thread(self._keys.erase, scope, sealed)

    async def _erase_events(self, scope: Scope, slot: Slot, events: Sequence[Recorded], todo: Sequence[OpenForgetting]) -> None:
        """Erase from the log what these forgettings take, and tell their progress."""
        takers = ((position, [each for each in todo if each.takes(event)]) for position, _, event, *_ in events)
        doomed = {int(position): found for position, found in takers if found}
        if self._keys.is_used and (through := _last_of_whole(events, todo)):  # some may be sealed by a key that is gone
            whole = [each for each in todo if each.through]
            there = await sequences_of(self._client, MEMORY, [scope_filter(slot, scope)], through=through)
            known = {int(recorded.position) for recorded in events}
            doomed |= {position: whole for position in there if position not in known}
        gone = progress(doomed)

        def tell(position: int) -> None:
            self.erased |= {(scope, forget_id): count for forget_id, count in gone(position).items()}

        pause = self._give_way if all(each.can_wait for each in todo) else None
        await erase(self._client, MEMORY, list(doomed), on_erased=tell, pause=pause)

    async def _give_way(self, worked_s: float) -> None:
        """Rest while somebody asks, unless somebody else waits for a forgetting."""
        if BACKGROUND.is_asked and len(await self._waiting()) <= 1:
            await BACKGROUND.give_way(_RESTS * worked_s)

    async def _record(
        self, scope: Scope, slot: Slot, todo: Sequence[OpenForgetting], left: Sequence[Recorded], scan: Scan
    ) -> None:
        """Have the receipts recorded of those forgettings of which nothing is left in the log; the others come next."""
        done = [self._done(each, scan) for each in todo if not _found(each, left, scope)][:MAX_BATCH]

        def receipts(state: ScopeState, now: datetime) -> Sequence[Envelope]:
            """None of those that were forgotten with the whole person meanwhile: they would name the user again."""
            open_still = [each for each in done if self._store.is_to_erase(scope, each.receipt.forget_id)]
            return [receipt_event(each, number=state.number + i, now=now) for i, each in enumerate(open_still, start=1)]

        await self._lanes[slot].record(scope, slot, receipts, left)
        for _, receipt in done:
            self.erased.pop((scope, receipt.forget_id), None)
        log.info("erasing.completed", scope=scope, places=scan.places)

    def _done(self, each: OpenForgetting, scan: Scan) -> Erased:
        backups = tuple(self._backups())
        return Erased(each.event, ForgettingCompleted(forget_id=each.forget_id, erased=each.size, scan=scan, backups=backups))

    async def _erase_messages(self, slot: Slot, search: TraceSearch, todo: Sequence[OpenForgetting]) -> dict[str, int]:
        """Erase a person's decided messages in SEND and all in REJECTED; return how far each was looked through.

        Call it before erasing the log, which names the person.
        """
        decided = max(self._lanes[slot].decided.get(slot, 0), *(each.sent for each in todo))
        through = {SEND: decided, REJECTED: (await identify_log(self._client, REJECTED)).last_position}
        if search.owner is not None:  # else the log names nobody any more: this was done
            for stream, last in through.items():
                messages = await self._messages_of(stream, *search.owner, through=last)
                search.messages[stream] += await erase(self._client, stream, messages)
        return through

    async def _messages_of(self, stream: str, space: Space, user: User, *, through: int) -> list[int]:
        """The sequences of the messages in a stream whose subjects mean this person, in whatever spelling."""
        subjects = [each for each in await subjects_of(self._client, stream) if may_mean(SentSubject.parse(each), space, user)]
        return await sequences_of(self._client, stream, subjects, through=through) if subjects else []


def _last_of_whole(events: Sequence[Recorded], todo: Sequence[OpenForgetting]) -> int:
    """The position of the newest event that forgets the person as a whole; 0 if none does."""
    whole = {each.event.event_id for each in todo if each.through}
    return max((int(recorded.position) for recorded in events if recorded.event.event_id in whole), default=0)


def progress(doomed: Mapping[int, Sequence[OpenForgetting]]) -> Callable[[int], dict[str, int]]:
    """A function to call with each erased position; it returns how many events of each of its forgettings are gone.

    `doomed`: the events that are left to erase, by position, with the forgettings that take them.
    """
    left = Counter(each.forget_id for takers in doomed.values() for each in takers)

    def gone(position: int) -> dict[str, int]:
        left.subtract(each.forget_id for each in doomed[position])
        return {each.forget_id: each.size - left[each.forget_id] for each in doomed[position]}

    return gone


def _found(each: OpenForgetting, left: Sequence[Recorded], scope: Scope) -> int:
    """The number of events that still say something of a forgetting; it is tried again in the next round."""
    found = sum(each.still_in(recorded.event) for recorded in left)
    if found:
        log.error("erasing.incomplete", scope=scope, found=found)
    return found


def receipt_event(done: Erased, *, number: int, now: datetime) -> Envelope:
    """The event of a receipt."""
    return own_event(done.event, done.receipt, number=number, now=now)
