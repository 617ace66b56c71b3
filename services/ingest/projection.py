"""Builds ingest.db from the log: the same `evolve` that decisions rest on, folded over events and saved with the checkpoint."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from services.ingest.domain.state import ScopeState, evolve
from services.ingest.store import Aspect, Changes, Decision, Needs, Store
from shared.contracts.errors import Poison
from shared.contracts.events import CommandRejected, MemoriesRecalled
from shared.contracts.ids import Position, Scope, Slot, User
from shared.contracts.subjects import slot_of
from shared.domain.digests import Digester
from shared.runtime.eventlog.read import Record
from shared.runtime.logs import log
from shared.runtime.metrics import EVENTS_MISSING
from shared.runtime.projector import Checkpoint, Recorded

_LOG_ID = "log_id"


class IngestProjection:
    """The projection of some slots: one for each lane, or one of all slots for a rebuild."""

    def __init__(self, store: Store, digester: Digester, *, slots: Iterable[Slot], send_id: str) -> None:
        self._store = store
        self._digester = digester
        self._slots = tuple(slots)
        self._send_id = send_id

    @property
    def name(self) -> str:
        """For logs and metrics."""
        return "ingest"

    def checkpoint(self) -> Checkpoint:
        """The lowest of its slots: events after it that a slot knows already change nothing."""
        known = self._store.slots()
        position = min(known.get(slot, (0, 0))[0] for slot in self._slots)
        return Checkpoint(position, self._store.meta(_LOG_ID), self._store.last_position())

    def adopt(self, log_id: str) -> None:
        """Remember which log this is built from."""
        self._store.set_meta(_LOG_ID, log_id)

    def decided(self) -> dict[Slot, int]:
        """How far SEND is decided, by slot."""
        known = self._store.slots()
        return {slot: known.get(slot, (0, 0))[1] for slot in self._slots}

    def quarantine(self, record: Record, reason: str) -> None:
        """Never: what ingest cannot read it must not decide on."""
        raise Poison(f"position {record.position}: {reason}")

    def apply(
        self, events: Sequence[Recorded], position: Position, *, before: Mapping[Scope, ScopeState] | None = None
    ) -> dict[Scope, ScopeState]:
        """Fold the events into their scopes' states and save them; return the states after.

        `before` spares loading them, where the caller knows them.
        """
        if before is None:
            before = self._store.load(_needs(events))
        after = {event.scope: before[event.scope] for event in events}
        missing: list[tuple[Scope, int, int]] = []
        decisions: list[Decision] = []
        reached: dict[Slot, int] = {}
        for recorded in events:
            state = after[recorded.scope]
            number = recorded.event.number
            if number > state.number:
                if number > state.number + 1:
                    missing.append(self._lost(recorded.scope, state, number))
                after[recorded.scope] = evolve(state, recorded.event, position=recorded.position, digester=self._digester)
            if sequence := self._sequence(recorded.sent):
                slot = slot_of(User(recorded.event.user))
                reached[slot] = max(reached.get(slot, 0), sequence)
                decisions.append(_decision(sequence, recorded))
        self._store.save(Changes(before, after, self._slots, position, reached, decisions, missing))
        return after

    def skip(self, decided: Mapping[Slot, int]) -> None:
        """Remember how far SEND is decided where the last commands led to no event."""
        self._store.save(Changes({}, {}, self._slots, 0, decided))

    def _sequence(self, sent: str) -> int:
        stream_id, _, sequence = sent.partition(".")
        return int(sequence) if stream_id == self._send_id else 0

    def _lost(self, scope: Scope, state: ScopeState, number: int) -> tuple[Scope, int, int]:
        log.error("events.missing", projection=self.name, scope=scope, first=state.number + 1, last=number - 1)
        EVENTS_MISSING.labels(self.name).inc(number - state.number - 1)
        return scope, state.number + 1, number - 1


def _needs(events: Iterable[Recorded]) -> dict[Scope, Needs]:
    needs: dict[Scope, Needs] = {}
    for recorded in events:
        need = needs.setdefault(recorded.scope, Needs())
        if session_id := getattr(recorded.event.data, "session_id", None):
            need.sessions.add(session_id)
        if isinstance(recorded.event.data, MemoriesRecalled):
            need.aspects.add(Aspect.HANDED_OUT)
    return needs


def _decision(sequence: int, recorded: Recorded) -> Decision:
    event = recorded.event
    code = event.data.code if isinstance(event.data, CommandRejected) else None
    single = event.correlation_id == event.causation_id
    memory_id = getattr(event.data, "memory_id", None) if single else None
    return Decision(sequence, recorded.scope, event.number, recorded.position, memory_id, code)
