"""A lane: takes the commands of its slots in order, decides them in groups, and appends their events.

It reads SEND with a consumer of its own, without acknowledgements: if two shared one, a second ingest could take messages and
drop them. The log, in the last event of each command, and ingest.db say how far it has come.

However it failed, it begins in one way: apply MEMORY to its end, then go on after the last command that the log or ingest.db
says is decided. So a lost acknowledgement, a lost reply, a second writer and a crash are one case.
"""

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import aclosing
from dataclasses import replace
from functools import partial
from types import MappingProxyType

from services.ingest.alarms import raise_alarm
from services.ingest.command_group import (
    CommandGroup,
    Decided,
    EventToAppend,
    ReadMessage,
    batches,
    in_portions,
    read,
    unchanged,
)
from services.ingest.domain.lacks import Aspect, Needs
from services.ingest.domain.policy import Policy
from services.ingest.domain.recollection import recollect
from services.ingest.domain.state import ScopeState
from services.ingest.eraser import Erased, receipt_event
from services.ingest.projection import IngestProjection
from services.ingest.rejected import keep_rejected, without_the_forgotten
from services.ingest.sent_message import SentMessage
from services.ingest.store import Store
from shared.contracts.commands import COMMANDS
from shared.contracts.errors import InvalidToken, NoEvidence, OtherWriter, Rejected, Unavailable, VersionConflict
from shared.contracts.ids import Position, Scope, Slot
from shared.contracts.privacy import UserForgotten
from shared.contracts.subjects import SentSubject, memory_subject, scope_filter, slot_filter
from shared.runtime.clock import Clock
from shared.runtime.connection import Client
from shared.runtime.erasing import erase, sequences_of
from shared.runtime.eventlog.append import MAX_BATCH, SENT_HEADER, Expected, NewEvent, append
from shared.runtime.eventlog.pull import Delivery
from shared.runtime.eventlog.read import LogReader, StreamReader
from shared.runtime.keys import Keys
from shared.runtime.logs import log
from shared.runtime.metrics import COMMAND_BACKLOG, COMMANDS_DECIDED, EVENTS_APPENDED, FACTS_REFUSED
from shared.runtime.projector import Projector, Recorded, read_scope
from shared.runtime.sending import LaneProgress, first_sequence, lane_subjects, worded_subjects
from shared.runtime.tasks import honour_cancellation, in_thread
from shared.runtime.topology import SEND

_MOST_CONFLICTS = 3
_RETRY_S = 0.1
_UNREAD = Position(0)
"""Position that leaves the checkpoint where it is. Own events are applied when they are appended, but moving the checkpoint
there could skip another writer's events."""

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
        on_decided: Callable[[], Awaitable[None]],
    ) -> None:
        self.name = name
        self.slots = tuple(slots)
        self._erased_key = f"erased_from_send {name}"
        self.decided: dict[Slot, int] = {}
        self.is_caught_up = False
        self._client = client
        self._store = store
        self._keys = keys
        self._send_id = send_id
        self._fetch = fetch
        self._clock = clock
        self._policy = policy
        self._on_decided = on_decided
        self._projection = IngestProjection(store, keys.digester, slots=slots, send_id=send_id)
        self._conflicts = 0
        self._reader: StreamReader | None = None
        self._subjects = [slot_filter(slot) for slot in slots]
        self._unread = 0  # own events after the checkpoint
        self._own_end = Position(0)
        self._handled = 0
        self._turn = asyncio.Lock()  # decisions and receipts take turns

    @property
    def progress(self) -> LaneProgress:
        """How far the lane has read and decided SEND, for purging."""
        reader = self._reader
        return LaneProgress(reader.consumer if reader else None, reader.handled if reader else 0, self._handled)

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
            except Unavailable as error:
                if self._client.is_closed:
                    raise
                log.info("lane.interrupted", lane=self.name, reason=type(error).__name__)
                await asyncio.sleep(_RETRY_S)

    async def _follow(self) -> None:
        """Decide what comes after the last command that is decided, for ever."""
        after = self._handled = min(self.decided.values())
        reader = self._reader = StreamReader(
            self._client, SEND, after=after, subjects=lane_subjects(self.slots), batch=self._fetch, name=self.name
        )
        async with aclosing(reader.batches()) as batches:
            async for deliveries in batches:
                COMMAND_BACKLOG.labels(self.name).set(reader.pending)
                await self._handle(deliveries)
                honour_cancellation()
                if self._unread >= _MOST_UNREAD:
                    async with self._turn:
                        await self._pass_own_events()

    async def _catch_up(self) -> None:
        """Apply the log to its end, also what an append did whose reply was lost."""
        await Projector(self._client, self._projection, subjects=self._subjects, live=False).catch_up()
        self._unread = 0
        self.decided = self._projection.decided()
        await self._rebuild_scopes()
        await self._erase_left_over()
        self.is_caught_up = True
        await self._on_decided()

    async def _pass_own_events(self) -> None:
        """Move the checkpoint past own events; unread, if the log has just as many after it, for then all are own."""
        after = self._projection.checkpoint().position
        if await LogReader(self._client, after=after, subjects=self._subjects).count() != self._unread:
            await self._catch_up()
            return
        self._projection.apply([], self._own_end)
        self._unread = 0
        self._mark_erased()

    async def _handle(self, deliveries: Sequence[Delivery]) -> None:
        async with self._turn:
            waiting = [read(sent) for delivery in deliveries if (sent := await self._readable(delivery))]
            for number, items in enumerate(in_portions(waiting)):
                if number:
                    await asyncio.sleep(0)  # a long import must not starve the other lanes and the heartbeats
                await self._decide(items)
            await self._decided_up_to(deliveries)
            await asyncio.sleep(0)
            await self._rebuild_scopes()

    async def _decide(self, items: Sequence[ReadMessage]) -> None:
        group = CommandGroup(items)
        while group.needs:
            group.decide(await self._look_up(group))
        decided = await without_the_forgotten(group.decided, self._store)
        for result in decided:
            if isinstance(result.refusal, Rejected):
                await keep_rejected(
                    self._client,
                    result.sent.delivery,
                    result.refusal,
                    send_id=self._send_id,
                    with_body=not result.is_private,
                )
        # Before anything is recorded: after a crash it would not be met again.
        await self._erase_sent(result for result in decided if not result.events and result.keeps_no_words)
        await self._append(decided, group.before, group.after)
        await self._erase_sent(result for result in decided if result.events and result.keeps_no_words)
        for result in decided:
            COMMANDS_DECIDED.labels(_label(result), result.verdict).inc()
            if result.facts_refused:
                FACTS_REFUSED.labels(NoEvidence.code).inc(result.facts_refused)
                log.warning("facts.refused", reason=NoEvidence.code, count=result.facts_refused)

    async def _erase_sent(self, decided: Iterable[Decided]) -> None:
        """Erase from SEND the messages of these commands."""
        if sequences := [result.sent.delivery.sequence for result in decided]:
            await erase(self._client, SEND, sequences)

    async def _erase_left_over(self) -> None:
        """After a crash, erase from SEND what was decided since the last checkpoint and must leave no text."""
        first = await first_sequence(self._client)
        known = int(self._store.meta(self._erased_key) or 0)
        doubtful = self._store.settled_without_a_memory(after=known, since_sequence=first)
        if doubtful:
            there = await sequences_of(
                self._client, SEND, worded_subjects(self.slots), after=min(doubtful) - 1, through=max(doubtful)
            )
            await erase(self._client, SEND, [sequence for sequence in there if sequence in doubtful])
        self._mark_erased()

    def _mark_erased(self) -> None:
        """Save that up to the checkpoint nothing is left in SEND that must be erased."""
        self._store.set_meta(self._erased_key, str(self._projection.checkpoint().position))

    async def _look_up(self, group: CommandGroup) -> dict[Scope, ScopeState]:
        """Look up what the group needs; text is read from the log, for this one decision."""
        states = self._store.load(group.needs)
        for scope, needs in group.needs.items():
            if Aspect.WORDS in needs.aspects:
                events = await read_scope(self._client, scope, slot=group.slots[scope])
                known = states[scope].position
                words = recollect(each.event for each in events if each.position <= known)
                states[scope] = replace(states[scope], recollection=words)
        return states

    async def _readable(self, delivery: Delivery) -> SentMessage | None:
        """The message, or None if it is decided already, or names no scope and is rejected."""
        slot = SentSubject.parse(delivery.subject).slot
        if delivery.sequence <= self.decided[slot]:
            return None
        try:
            return SentMessage.read(delivery, keys=self._keys, send_id=self._send_id, policy=self._policy)
        except InvalidToken as error:
            await keep_rejected(self._client, delivery, error, send_id=self._send_id)
            return None

    async def _append(
        self, decided: Sequence[Decided], states: dict[Scope, ScopeState], after: Mapping[Scope, ScopeState]
    ) -> None:
        command_ids = {r.sent.delivery.sequence: bytes.fromhex(r.command_id) for r in decided if r.command_id}
        packed = list(batches(decided))
        whole = after if len(packed) == 1 else None  # of a part of the events the states after it are folded anew
        for batch in packed:
            appended = await append(self._client, list(_new_events(batch, states)))
            self._conflicts = 0
            recorded = [
                Recorded(position, sent.scope, event, sent.sent_header if is_last else "", sent.slot)
                for position, (sent, event, is_last) in zip(appended, batch, strict=True)
            ]
            apply = partial(self._projection.apply, before=states, after=whole, command_ids=command_ids)
            if any(isinstance(event.data, UserForgotten) for _, event, _ in batch):  # long: others must hide it meanwhile
                states |= await in_thread(apply, recorded, _UNREAD)
            else:
                states |= apply(recorded, _UNREAD)
            self._unread += len(recorded)
            self._own_end = appended[-1]
            _tell_appended(batch)
        if settled := unchanged(decided, states):
            self._projection.skip({result.sent.slot: result.sent.delivery.sequence for result in decided}, settled)

    async def record_receipts(self, scope: Scope, slot: Slot, done: Sequence[Erased], left: Sequence[Recorded]) -> None:
        """Append the receipts of a scope's forgettings as one, and rebuild its rows. Raises Unavailable or VersionConflict.

        Skips receipts if the whole person was forgotten meanwhile, for they would name the user again. `left`: the events that
        the log still holds of the scope, perhaps without the latest.
        """
        async with self._turn:
            open_still = [each for each in done if self._store.is_to_erase(scope, each.receipt.forget_id)]
            if not open_still:
                return
            state, now = self._store.load({scope: Needs()})[scope], self._clock.now()
            events = [receipt_event(each, number=state.number + 1 + i, now=now) for i, each in enumerate(open_still)]
            new = [NewEvent(memory_subject(slot, scope, event.type), event.event_id, event.encode()) for event in events]
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
            await self._rebuild_scopes({scope: left})

    async def catch_up(self) -> None:
        """Apply the log to its end. Raises Unavailable."""
        async with self._turn:
            await self._catch_up()

    async def _rebuild_scopes(self, known: Mapping[Scope, Sequence[Recorded]] = MappingProxyType({})) -> None:
        """Rebuild the rows of scopes of which something was erased, from what is left in the log.

        A scope of which more is still to be erased waits. `known`: events of a scope, perhaps without the latest.
        """
        for scope, slot in self._store.scopes_to_rebuild_in(self.slots):
            if self._store.is_to_erase(scope):
                continue
            self._store.wipe(scope)
            events = list(known.get(scope, ()))
            events += await read_scope(self._client, scope, slot=slot, after=events[-1].position if events else 0)
            for start in range(0, len(events), MAX_BATCH):
                self._projection.apply(events[start : start + MAX_BATCH], _UNREAD, is_rebuild=True)
            self._store.scope_rebuilt(scope)
            log.info("scope.rebuilt", scope=scope, events=len(events))

    async def _decided_up_to(self, deliveries: Sequence[Delivery]) -> None:
        """Note that these messages are decided, and wake those who wait for that."""
        for delivery in deliveries:
            slot = SentSubject.parse(delivery.subject).slot
            self.decided[slot] = max(self.decided[slot], delivery.sequence)
        self._handled = deliveries[-1].sequence
        await self._on_decided()


def _tell_appended(batch: Sequence[EventToAppend]) -> None:
    """Count appended events, and raise the alarms that they call for."""
    for event_type, count in Counter([event.type for _, event, _ in batch]).items():
        EVENTS_APPENDED.labels(event_type).inc(count)
    for sent, event, _ in batch:
        raise_alarm(sent.scope, event)


def _new_events(batch: Sequence[EventToAppend], states: Mapping[Scope, ScopeState]) -> Iterator[NewEvent]:
    """The events as they are appended; the first of each scope carries its expected version."""
    fenced: set[Scope] = set()
    for sent, event, is_last in batch:
        expected = None
        if sent.scope not in fenced:
            fenced.add(sent.scope)
            expected = Expected(scope_filter(sent.slot, sent.scope), states[sent.scope].position)
        subject = memory_subject(sent.slot, sent.scope, event.type)
        headers = {SENT_HEADER: sent.sent_header} if is_last else {}
        yield NewEvent(subject, event.event_id, event.encode(), expected, headers)


def _label(decided: Decided) -> str:
    what = decided.sent.subject.what
    return what if what in COMMANDS else "unknown"
