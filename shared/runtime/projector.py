"""Feeds a projection from the log, exactly once in effect.

Delivery is at least once; the projection keeps its checkpoint in the same transaction as its rows. A poison event is
quarantined when live, with an alarm, and stops a rebuild.
"""

import asyncio
import functools
from collections.abc import AsyncGenerator, Awaitable, Callable, Collection, Iterator, Sequence
from contextlib import aclosing
from functools import partial
from typing import NamedTuple, Protocol

from nats.aio.client import Client

from shared.contracts.envelope import Envelope
from shared.contracts.errors import MemstreamError, NotCaughtUp, Poison, ProjectionDamaged, Unavailable
from shared.contracts.event import EventData
from shared.contracts.events import decode
from shared.contracts.ids import Position, Scope, Slot, User
from shared.contracts.subjects import scope_filter, slot_of
from shared.domain.taking_back import emptied, taken_back
from shared.runtime.anchors import Anchor, require_same_history
from shared.runtime.background import BACKGROUND
from shared.runtime.eventlog.read import LogReader, Record
from shared.runtime.full_disk import until_there_is_room
from shared.runtime.import_watch import IMPORTS
from shared.runtime.logs import log, trace_of
from shared.runtime.long_work import LongWork
from shared.runtime.metrics import EVENTS_APPLIED, EVENTS_QUARANTINED, PROJECTION_LAG
from shared.runtime.tasks import in_thread
from shared.runtime.topology import LogIdentity, guard, identify_log
from shared.runtime.tracing import is_tracing, moment_ns, note, parent_of

_DECODED = 64
_DECODED_AT_ONCE = 64
"""So many events are kept decoded: each service of a process reads the log, and those that nobody waits for a little later."""

_MANY = 32
"""So many events at once may be those of an import."""

_RESTS = 6
"""So many times as long as a batch took, a projection rests that nobody waits for, while somebody asks."""


class Recorded(NamedTuple):
    """An event of the log, decoded and of the newest version."""

    position: Position
    scope: Scope
    event: Envelope
    sent: str = ""  # the SENT_HEADER: how far SEND was decided
    slot: Slot | None = None  # from the subject: an event that forgets a user does not name them

    @property
    def anchor(self) -> Anchor:
        """Where the event lies."""
        return Anchor(self.position, self.event.event_id)

    @property
    def slot_of_scope(self) -> Slot:
        """The slot of the event's user; computed if the record came without one."""
        return slot_of(User(self.event.user)) if self.slot is None else self.slot

    @property
    def sent_sequence(self) -> int:
        """Sequence in SEND of the command that this event is the last of; 0 if the event does not say."""
        return int(self.sent.partition(".")[2] or 0)


class Checkpoint(NamedTuple):
    """How far a projection has applied which log."""

    position: int
    log_id: str | None
    newest: int = 0  # the newest event that it knows, where it knows some beyond the position
    anchors: Sequence[Anchor] = ()  # events that it has applied


class Aside(NamedTuple):
    """What is left out where a scope is read for a live projection: what it has put aside, and what cannot be read."""

    positions: Collection[int] = ()
    put: Callable[[Record, str], object] | None = None
    """Keeps an event's position and why it cannot be read; None: it is raised."""


NOTHING_ASIDE = Aside()


class Projection(Protocol):
    """State built from events alone. All calls come from one thread at a time."""

    @property
    def name(self) -> str:
        """Name of the projection in logs and metrics."""

    def checkpoint(self) -> Checkpoint:
        """The checkpoint that was saved last."""

    def adopt(self, log_id: str) -> None:
        """Store the id of the log that this is built from."""

    def apply(self, events: Sequence[Recorded], position: Position) -> object:
        """Apply events in order, and save the checkpoint `position` with them. Events applied before change nothing."""

    def quarantine(self, record: Record, reason: str) -> None:
        """Store the position of an event that cannot be applied, and why; never its text."""


class Progress:
    """The position of a projection, for those who wait for it."""

    def __init__(self) -> None:
        self.position = Position(0)
        self._moved = asyncio.Condition()

    async def advance(self, position: int) -> None:
        """Set the position, and wake everyone who waits for one up to it."""
        async with self._moved:
            self.position = Position(max(self.position, position))
            self._moved.notify_all()

    async def wait_for(self, position: int, timeout_s: float) -> None:
        """Return when the position is reached. Raises NotCaughtUp after `timeout_s`."""
        if self.position >= position:
            return
        try:
            async with asyncio.timeout(timeout_s), self._moved:
                await self._moved.wait_for(lambda: self.position >= position)
        except TimeoutError as error:
            raise NotCaughtUp(
                f"position {position} was not reached within {timeout_s:g} s; it is at {self.position}"
            ) from error

    async def wait_until(self, is_known: Callable[[], Awaitable[bool]], timeout_s: float) -> None:
        """Return when this holds; it is asked whenever the position has moved. Raises NotCaughtUp after `timeout_s`."""
        try:
            async with asyncio.timeout(timeout_s):
                position = self.position
                while not await is_known():
                    position = await self.beyond(position)
        except TimeoutError as error:
            raise NotCaughtUp(f"what is asked for was not known within {timeout_s:g} s; ask again") from error

    async def beyond(self, position: int) -> Position:
        """The position, once it is beyond this one."""
        async with self._moved:
            await self._moved.wait_for(lambda: self.position > position)
            return self.position


class Projector:
    """Reads the log for one projection."""

    def __init__(
        self,
        client: Client,
        projection: Projection,
        *,
        subjects: Sequence[str] = (),
        slots: range | None = None,
        live: bool = True,
    ) -> None:
        """`slots`: those of whose people it applies events. All are read, so its position is a position of the whole log."""
        self._client = client
        self._projection = projection
        self._subjects = subjects
        self._slots = slots
        self._live = live
        self.progress = Progress()
        self.reader: LogReader | None = None

    @property
    def lag(self) -> int:
        """Events in the log that are not applied yet."""
        return self.reader.pending if self.reader else 0

    async def _opened(self) -> LogReader:
        """The reader, opened after the checkpoint. Raises LogDiverged if the log is another, or ends before it."""
        if self.reader is not None:
            return self.reader
        identity = await self._require_same_log()
        position = (await in_thread(self._projection.checkpoint)).position
        await in_thread(self._projection.adopt, identity.log_id)
        self.reader = LogReader(self._client, after=position, subjects=self._subjects)
        self.reader.on_restart = self._require_same_log
        await self.progress.advance(position)
        return self.reader

    async def _require_same_log(self) -> LogIdentity:
        """The identity of the log. Raises LogDiverged if the projection was built from another, or from more of it."""
        known = await in_thread(self._projection.checkpoint)
        position = max(known.position, known.newest)
        # After it: else events of these very moments would look like a lost end.
        identity = await identify_log(self._client, at_least=position)
        if known.log_id == identity.log_id:
            await require_same_history(self._client, known.anchors, end=identity.last_position)
        guard(identity, log_id=known.log_id, position=position)
        return identity

    async def run(self, *, linger_s: float = 0.0) -> None:
        """Follow the log for ever.

        `linger_s`: for a projection that nobody waits for. It follows so many seconds later, in fewer batches, and leaves the
        processor to what is waited for.
        """
        reader = await self._opened()
        # Closed before it leaves: a subscription that nobody reads any more holds up the end of its connection.
        async with aclosing(reader.batches(linger_s=linger_s)) as batches:
            clock = asyncio.get_running_loop().time
            async for batch in batches:
                began = clock()
                await self._apply(batch)
                if linger_s:
                    await IMPORTS.rest(clock() - began)
                elif self.lag or len(batch) >= _MANY:
                    await IMPORTS.look()
                if self.lag:  # a flood
                    await BACKGROUND.give_way((_RESTS if linger_s else 1) * (clock() - began))

    async def catch_up(self) -> None:
        """Apply the log to its present end; what takes long is told in the log, with the time that is left."""
        reader = await self._opened()
        applied, told = 0, LongWork("projection.catching_up", self._projection.name)
        async with aclosing(reader.to_end()) as batches:
            async for batch in batches:
                await self._apply(batch)
                applied += len(batch)
                told(applied, self.lag)

    async def _apply(self, batch: Sequence[Record]) -> None:
        began_ns = moment_ns()
        await until_there_is_room(partial(in_thread, self._apply_now, batch), what=self._projection.name, waits=self._live)
        if self._live and is_tracing():
            self._trace(batch, began_ns)
        PROJECTION_LAG.labels(self._projection.name).set(self.lag)
        await self.progress.advance(batch[-1].position)

    def _trace(self, batch: Sequence[Record], began_ns: int) -> None:
        """Tell of what bears a trace: it ends in each projection."""
        for record in batch if self._slots is None else [record for record in batch if record.slot in self._slots]:
            if parent := parent_of(record.headers):
                note(f"apply {self._projection.name}", parent, began_ns=began_ns, verdict="applied")

    def _apply_now(self, batch: Sequence[Record]) -> None:
        own = batch if self._slots is None else [record for record in batch if record.slot in self._slots]
        events = [event for record in own if (event := self._decoded(record)) is not None]
        try:
            self._projection.apply(events, batch[-1].position)
        except (ProjectionDamaged, Unavailable):  # no event is to blame
            raise
        except Exception as error:
            if not self._live:
                raise Poison(f"the rebuild stopped between positions {batch[0].position} and {batch[-1].position}") from error
            log.warning("projection.batch_failed", projection=self._projection.name, trace=trace_of(error))
            self._apply_singly({record.position: record for record in batch}, events)
        EVENTS_APPLIED.labels(self._projection.name).inc(len(events))

    def _apply_singly(self, records: dict[Position, Record], events: Sequence[Recorded]) -> None:
        """Apply the events of a failed batch one by one, and quarantine those that fail."""
        for event in events:
            try:
                self._projection.apply([event], event.position)
            except (ProjectionDamaged, Unavailable):
                raise
            except Exception as error:  # noqa: BLE001 - whatever it is, it must not stop the others; it is kept and alarmed
                self._put_aside(records[event.position], error)
        self._projection.apply([], max(records))

    def _decoded(self, record: Record) -> Recorded | None:
        try:
            return decoded(record)
        except Poison as error:
            if not self._live:
                raise Poison(f"position {record.position}: {error.message}") from error
            self._put_aside(record, error)
            return None

    def _put_aside(self, record: Record, error: Exception) -> None:
        self._projection.quarantine(record, put_aside(self._projection.name, record, error))


def put_aside(projection: str, record: Record, error: Exception) -> str:
    """Raise the alarm that a projection cannot apply an event; return why, without a word of the event."""
    reason = error.message if isinstance(error, MemstreamError) else type(error).__name__
    log.error("event.quarantined", projection=projection, position=record.position, reason=reason)
    EVENTS_QUARANTINED.labels(projection).inc()
    return reason


_decode = functools.lru_cache(_DECODED)(decode)


def decoded(record: Record, decode: Callable[[bytes], Envelope] = _decode) -> Recorded:
    """Decode the event in a record, by default for several that read the same. Raises Poison."""
    return Recorded(record.position, record.scope, decode(record.data), record.headers.get("Memstream-Sent", ""), record.slot)


async def scope_batches(
    client: Client,
    scope: Scope,
    *,
    slot: Slot | None = None,
    after: int = 0,
    types: Sequence[type[EventData]] = (),
    aside: Aside = NOTHING_ASIDE,
) -> AsyncGenerator[list[Recorded]]:
    """The events of a scope, all or of some types, that are in the log now, in order. Raises Unavailable or Poison."""
    subjects = [scope_filter(slot, scope, each.event_type) for each in types] or [scope_filter(slot, scope)]
    async with aclosing(LogReader(client, after=after, subjects=subjects).to_end()) as batches:
        async for batch in batches:
            events: list[Recorded] = []
            for start in range(0, len(batch), _DECODED_AT_ONCE):
                events += _readable(batch[start : start + _DECODED_AT_ONCE], aside)
                await asyncio.sleep(0)  # whoever asks comes between
            yield events


def _readable(batch: Sequence[Record], aside: Aside) -> Iterator[Recorded]:
    for record in batch:
        if record.position not in aside.positions:
            try:
                yield decoded(record)
            except Poison as error:
                if aside.put is None:
                    raise
                aside.put(record, error.message)


async def read_scope(
    client: Client, scope: Scope, *, slot: Slot | None = None, after: int = 0, aside: Aside = NOTHING_ASIDE
) -> list[Recorded]:
    """All events of a scope as one list, in log order; forgettings that they take back are empty.

    Raises Unavailable or Poison.
    """
    return without_taken_back(
        [recorded async for batch in scope_batches(client, scope, slot=slot, after=after, aside=aside) for recorded in batch]
    )


def without_taken_back(events: Sequence[Recorded], forget_ids: Collection[str] | None = None) -> list[Recorded]:
    """These events, with empty ones in place of these forgettings; without `forget_ids` of those that they take back."""
    gone = taken_back(recorded.event for recorded in events) if forget_ids is None else forget_ids
    return [each._replace(event=emptied(each.event, gone)) for each in events] if gone else list(events)
