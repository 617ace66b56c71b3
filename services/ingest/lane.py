"""A lane: takes the commands of its slots in order, decides them in groups, and appends their events.

It reads SEND with a consumer of its own, without acknowledgements: if two shared one, a second ingest could take messages and
drop them. It reads ahead, and those who wait take turns; the messages of one scope are decided in their order. So of each scope
everything is decided up to a last message: the log, in the last event of each command, and ingest.db say which.

However it failed, it begins in one way: apply MEMORY to its end, read SEND again from where not all is decided, and leave out
what the log or ingest.db says is decided. So a lost acknowledgement, a lost reply, a second writer and a crash are one case.
"""

import asyncio
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import aclosing, nullcontext
from dataclasses import replace
from functools import partial

from services.ingest.admission import Admission, Meters
from services.ingest.alarms import tell_appended
from services.ingest.appending import append_batch
from services.ingest.command_group import CommandGroup, Decided, ReadMessage, batches, in_portions, read, unchanged
from services.ingest.comparing import require_sent
from services.ingest.computing import computed, most_at_once, most_together, note_imports, size
from services.ingest.domain.lacks import Needs
from services.ingest.domain.policy import Policy
from services.ingest.domain.state import ScopeState
from services.ingest.import_pace import ImportPace
from services.ingest.left_over import erase_left_over
from services.ingest.look_up import LookUp
from services.ingest.measuring import Measuring, measure
from services.ingest.own_events import OwnEvents
from services.ingest.person_rows import PersonRows
from services.ingest.projection import IngestProjection
from services.ingest.quotations import Quotations
from services.ingest.rejected import OF_THE_LANE, DeadLetters, may_keep_unread, without_the_forgotten
from services.ingest.sent_message import SentMessage
from services.ingest.store import CommandOutcome, Store
from services.ingest.waiting import WaitingMessages
from shared.contracts.errors import (
    DiskFull,
    InvalidToken,
    MemstreamError,
    OtherWriter,
    Unavailable,
    VersionConflict,
)
from shared.contracts.ids import Position, Scope, Slot
from shared.contracts.portions import portions
from shared.contracts.privacy import UserForgotten
from shared.contracts.subjects import SentSubject, scope_filter, slot_filter
from shared.runtime.bounded_labels import SpaceLabels
from shared.runtime.clock import Clock
from shared.runtime.connection import Client
from shared.runtime.erasing import erase
from shared.runtime.eventlog.ahead import ReadAhead
from shared.runtime.eventlog.append import Expected, NewEvent, append
from shared.runtime.eventlog.pull import Delivery
from shared.runtime.eventlog.read import LogReader, StreamReader
from shared.runtime.full_disk import wait_for_room
from shared.runtime.keys import Keys
from shared.runtime.logs import log, trace_of
from shared.runtime.metrics import COMMAND_BACKLOG, EVENTS_APPENDED
from shared.runtime.projector import Projector, Recorded
from shared.runtime.sending import LaneProgress, first_sequence, lane_subjects
from shared.runtime.tasks import honour_cancellation, in_thread, note_failure
from shared.runtime.topology import SEND

_MOST_CONFLICTS = 3
_IDS_ARE_TAKEN = 2
"""After so many conflicts in a row ids are made anew: the server knows the id of an erased event for two minutes."""
_RETRY_S = 0.1
_UNREAD = Position(0)
"""Position that leaves the checkpoint where it is. Own events are applied when they are appended, but moving the checkpoint
there could skip another writer's events."""

_MOST_DECIDED_BYTES = 65_536
"""So much is decided in one go: those who wait for it, and the other lanes, wait for all of it."""

_MOST_UNREAD = 5_000
"""Own events after which the checkpoint is moved, so that a restart reads no more than these."""


class Lane:
    """One of ingest's lanes. `on_decided` is called after each group."""

    def __init__(
        self,
        *,
        name: str,
        client: Client,
        store: Store,
        keys: Keys,
        send_id: str,
        slots: Sequence[Slot],
        fetch: int,
        clock: Clock,
        policy: Policy,
        on_decided: Callable[[], None],
        meters: Meters,
        pace: ImportPace,
        letters: DeadLetters,
        spaces: SpaceLabels | None = None,
    ) -> None:
        self.name = name
        self.slots = tuple(slots)
        self.decided: dict[Slot, int] = {}
        self.is_caught_up = False
        self._client = client
        self._store = store
        self._keys = keys
        self._send_id = send_id
        self._fetch = fetch
        self._clock = clock
        self._policy = policy
        self._read_sent = partial(SentMessage.read, keys=keys, send_id=send_id, policy=policy)
        self._on_decided = on_decided
        self._admission = Admission(meters)
        self._letters = letters
        self._pace = pace
        self._projection = IngestProjection(store, keys.digester, slots=slots, send_id=send_id)
        quotations = Quotations(client, store, keys.digester)
        self.look_up = LookUp(client, store, quotations)
        self._measuring = Measuring(quotations, spaces)
        self._conflicts = 0
        self._reader: StreamReader | None = None
        self._subjects = [slot_filter(slot) for slot in slots]
        self._unread = 0  # own events after the checkpoint
        self._own_end = Position(0)
        self._waiting = WaitingMessages()
        self._deciding = 0
        self._floor = 0  # up to here all is decided, and erased where it must be
        self._read_to = 0
        self._ahead: dict[Scope, int] = {}  # the last decided message of a scope, beyond the floor
        self._rows = PersonRows(client, store, self._projection, slots)
        self._turn = asyncio.Lock()  # decisions and receipts take turns

    @property
    def progress(self) -> LaneProgress:
        """How far the lane has read and decided SEND, for purging."""
        reader, undecided = self._reader, len(self._waiting) + self._deciding
        handled = reader.handled - undecided if reader else 0
        return LaneProgress(reader.consumer if reader else None, handled, self._floor, self.slots)

    def has_decided(self, scope: Scope, slot: Slot, sequence: int) -> bool:
        """True if a message of this scope is decided."""
        return sequence <= max(self.decided.get(slot, 0), self._ahead.get(scope, 0))

    async def run(self) -> None:
        """Decide commands for ever. Raises OtherWriter, Poison, LogDiverged and the like: a person must look."""
        while True:
            try:
                async with self._turn:
                    await self._catch_up()
                await self._follow()
            except VersionConflict as error:
                self._conflicts += 1
                if self._conflicts > _MOST_CONFLICTS:
                    raise OtherWriter from error
                log.warning("lane.conflict_met", lane=self.name, conflicts=self._conflicts)
            except DiskFull as error:
                await wait_for_room(error, what=self.name)
            except Unavailable as error:
                if self._client.is_closed:
                    raise
                log.info("lane.interrupted", lane=self.name, reason=type(error).__name__)
                await asyncio.sleep(_RETRY_S)

    async def _follow(self) -> None:
        """Decide what is not decided yet, for ever."""
        self._floor = self._read_to = min(self.decided.values())
        self._waiting, self._deciding = WaitingMessages(), 0
        reader = self._reader = StreamReader(
            self._client, SEND, after=self._floor, subjects=lane_subjects(self.slots), batch=self._fetch, name=self.name
        )
        clock = asyncio.get_running_loop().time
        async with aclosing(reader.batches()) as batches, aclosing(ReadAhead(batches)) as coming:
            while True:
                while not self._waiting or (self._waiting.has_room and (coming.is_there or reader.pending)):
                    await self._take_in(coming)
                    if not self._waiting:
                        self._note_decided()
                if self._waiting.is_patient and (pause_s := self._pace.pause_s):
                    await coming.within(pause_s)
                    continue
                began = clock()
                with self._pace.deciding() if self._waiting.is_patient else nullcontext():
                    most = most_at_once(self._fetch, can_wait=self._waiting.is_patient)
                    await self._handle(self._waiting.take(self._fetch, most_bytes=_MOST_DECIDED_BYTES, most_weight=most))
                honour_cancellation()
                await self._pace.rest(self.name, clock() - began, self._waiting, partial(self._within, coming))
                if self._unread >= _MOST_UNREAD:
                    async with self._turn:
                        await self._pass_own_events()

    async def _take_in(self, coming: ReadAhead[list[Delivery]]) -> None:
        for delivery in await coming.next():
            self._read_to = delivery.sequence
            if sent := await self._readable(delivery):
                self._admission.judge(sent)
                self._waiting.wait_for(sent)

    async def _within(self, coming: ReadAhead[list[Delivery]], seconds: float) -> None:
        """Take in what comes within so many seconds; return when something has."""
        await (coming.within(seconds) if self._waiting.has_room else asyncio.sleep(seconds))
        if coming.is_there and self._waiting.has_room:
            await self._take_in(coming)

    async def _catch_up(self) -> None:
        """Apply the log to its end, also what an append did whose reply was lost."""
        await Projector(self._client, self._projection, subjects=self._subjects).catch_up()
        self._unread = 0
        gone = await first_sequence(self._client) - 1  # what is not in SEND any more is decided, or was erased
        await require_sent(self._client, self._store)
        self.decided = {slot: max(known, gone) for slot, known in self._projection.decided().items()}
        self._ahead = self._store.decided_ahead(min(self.decided.values()))
        await self._rows.rebuild()
        await erase_left_over(self._client, self._store, self.slots, after=min(self.decided.values()))
        self.is_caught_up = True
        self._on_decided()

    async def _pass_own_events(self) -> None:
        """Move the checkpoint past own events; unread, if the log has just as many after it, for then all are own."""
        after = self._projection.checkpoint().position
        if await LogReader(self._client, after=after, subjects=self._subjects).count() != self._unread:
            await self._catch_up()
            return
        self._projection.apply([], self._own_end)
        self._unread = 0

    async def _handle(self, group: Sequence[SentMessage]) -> None:
        self._deciding = len(group)
        note_imports(group)
        async with self._turn:
            group = self._rows.without_held(group)
            try:
                await self._decide_all(group)
            except OF_THE_LANE:
                raise
            except Exception:  # noqa: BLE001 - one message is to blame, and must not stop the others
                await self._decide_singly(group)
            self._ahead |= {sent.scope: sent.delivery.sequence for sent in group}
            self._deciding = 0
            self._note_decided()
            await asyncio.sleep(0)
            await self._rows.rebuild()

    async def _decide_all(self, group: Sequence[SentMessage]) -> None:
        for some in portions(group, size, most_weight=most_together()):
            for items in in_portions(await computed(some, self._read, some)):
                while items := await self._decide(items):
                    await self._rows.rebuild()
                await asyncio.sleep(0)  # a long import must not starve the other lanes and the heartbeats
            note_imports(some)

    async def _decide_singly(self, group: Sequence[SentMessage]) -> None:
        """Decide the messages of a failed group one by one, and put aside those that fail."""
        await self._catch_up()
        for sent in self._rows.without_held(group):
            if not self.has_decided(sent.scope, sent.slot, sent.delivery.sequence):
                try:
                    await self._decide_all([sent])
                except OF_THE_LANE:
                    raise
                except Exception as error:  # noqa: BLE001 - as above
                    await self._put_aside(sent, error)

    async def _put_aside(self, sent: SentMessage, error: Exception) -> None:
        """Refuse a message as `internal`, with the trace of an error of memstream's own but without a word of the message."""
        note_failure(error, what="deciding", lane=self.name, sequence=sent.delivery.sequence)
        await self._catch_up()  # it may have failed after its events were appended
        if self.has_decided(sent.scope, sent.slot, sent.delivery.sequence):
            return
        failure = _internal(error)
        try:
            await self._decide([replace(read(sent), failure=failure)])
        except OF_THE_LANE:
            raise
        except Exception as again:  # noqa: BLE001 - not even its refusal can be recorded
            note_failure(again, what="refusing", lane=self.name, sequence=sent.delivery.sequence)
            await self._letters.keep(self._client, sent.delivery, failure, send_id=self._send_id, with_body=False)
            outcome = CommandOutcome(sent.delivery.sequence, sent.scope, 0, 0, None, failure.code)
            self._projection.skip(dict.fromkeys(self.slots, self._floor), [outcome])

    def _read(self, group: Sequence[SentMessage]) -> list[ReadMessage]:
        return [read(sent, self._admission.refusal(sent)) for sent in group]

    async def _decide(self, items: Sequence[ReadMessage]) -> list[ReadMessage]:
        """Decide these commands, and append their events; return those that must wait until rows are made anew."""
        group = CommandGroup(items)
        while group.needs:
            await computed([item.sent for item in items], group.decide, await self.look_up(group.needs, group.slots))
        decided = await without_the_forgotten(group.decided, self._store)
        for result in decided:
            if result.refusal and result.is_rejected:
                await self._letters.keep(
                    self._client, result.sent.delivery, result.refusal, send_id=self._send_id, with_body=not result.is_private
                )
        # Before anything is recorded: after a crash it would not be met again. What is refused is in REJECTED already.
        await self._erase_sent(result for result in decided if not result.is_recorded and result.keeps_no_words)
        await self._append(decided, group.before, group.after)
        await self._erase_sent(result for result in decided if result.is_recorded and result.keeps_no_words)
        for result in decided:
            measure(result)
        return group.left

    async def _erase_sent(self, decided: Iterable[Decided]) -> None:
        """Erase from SEND the messages of these commands."""
        if sequences := [result.sent.delivery.sequence for result in decided]:
            await erase(self._client, SEND, sequences)

    async def _readable(self, delivery: Delivery) -> SentMessage | None:
        """The message, or None if it is decided already, or names no scope and is rejected."""
        if delivery.sequence <= self.decided[SentSubject.parse(delivery.subject).slot]:
            return None
        try:
            sent = self._read_sent(delivery, ids_are_taken=self._conflicts >= _IDS_ARE_TAKEN)
        except Exception as error:  # noqa: BLE001 - nobody can be told, and it must not stop the others
            refusal = error if isinstance(error, InvalidToken) else _internal(error)
            with_body = may_keep_unread(delivery, self._store, self._keys, self._policy)
            await self._letters.keep(self._client, delivery, refusal, send_id=self._send_id, with_body=with_body)
            return None
        return None if self.has_decided(sent.scope, sent.slot, delivery.sequence) else sent

    async def _append(
        self, decided: Sequence[Decided], states: dict[Scope, ScopeState], after: Mapping[Scope, ScopeState]
    ) -> None:
        command_ids = {r.sent.delivery.sequence: bytes.fromhex(r.command_id) for r in decided if r.command_id}
        packed = list(batches(decided))
        whole = after if len(packed) == 1 else None  # of a part of the events the states after it are folded anew
        floors = dict.fromkeys(self.slots, self._floor)
        apply = partial(self._projection.apply, after=whole, command_ids=command_ids, decided=floors)
        for batch in packed:
            appended = await append_batch(self._client, batch, states)
            self._conflicts = 0
            recorded = [
                Recorded(position, sent.scope, event, sent.sent_header if is_last else "", sent.slot)
                for position, (sent, event, is_last) in zip(appended, batch, strict=True)
            ]
            if any(isinstance(event.data, UserForgotten) for _, event, _ in batch):  # long: others must hide it meanwhile
                states = states | await in_thread(apply, recorded, _UNREAD, before=states)
            else:
                states = states | apply(recorded, _UNREAD, before=states)
            self._unread += len(recorded)
            self._own_end = appended[-1]
            tell_appended(batch)
            self._measuring.add(batch, states)
        if settled := unchanged(decided, states):
            self._projection.skip(floors, settled)

    async def record(self, scope: Scope, slot: Slot, make: OwnEvents, known: Sequence[Recorded] = ()) -> None:
        """Append events of ingest's own as one, and rebuild the scope's rows where they ask for it.

        `known`: events that the log holds of the scope, perhaps without the latest. Raises Unavailable or VersionConflict.
        """
        async with self._turn:
            state = self._store.load({scope: Needs()})[scope]
            events = make(state, self._clock.now())
            if not events:
                return
            new = [NewEvent.of(event, slot=slot, scope=scope) for event in events]
            new[0] = new[0]._replace(expected=Expected(scope_filter(slot, scope), state.position))
            try:
                positions = await append(self._client, new)
            except VersionConflict:  # perhaps an earlier try of ours landed: know it
                await self._catch_up()
                raise
            recorded = [Recorded(*both, slot=slot) for both in zip(positions, [scope] * len(events), events, strict=True)]
            self._projection.apply(recorded, _UNREAD)
            self._unread += len(events)
            self._own_end = positions[-1]
            EVENTS_APPENDED.labels(events[0].type).inc(len(events))
            await self._rows.rebuild({scope: known})

    async def catch_up(self) -> None:
        """Apply the log to its end. Raises Unavailable."""
        async with self._turn:
            await self._catch_up()

    def _note_decided(self) -> None:
        """Note up to where all is decided now, and wake those who wait for what was."""
        first = min((each for each in (self._waiting.first, self._rows.first_held) if each is not None), default=None)
        if self._reader is not None:
            COMMAND_BACKLOG.labels(self.name).set(self._reader.pending + len(self._waiting))
        self._floor = max(self._floor, self._read_to if first is None else first - 1)
        self.decided = {slot: max(known, self._floor) for slot, known in self.decided.items()}
        self._admission.forget(self._floor)
        if first is None:
            self._ahead = {scope: last for scope, last in self._ahead.items() if last > self._floor}
        self._on_decided()


def _internal(error: Exception) -> MemstreamError:
    return MemstreamError(f"an error inside memstream; `memstream rejected retry` after an upgrade: {trace_of(error)}")
