"""Builds ingest.db from the log: events are folded into states, as decisions do it, and saved with the checkpoint."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from services.ingest.domain.lacks import Aspect, Needs
from services.ingest.domain.state import Fold, ScopeState
from services.ingest.erasures import erasures_of
from services.ingest.store import CommandOutcome, ScopeChanges, Store
from shared.contracts.content import Content, strings
from shared.contracts.errors import Incognito, NotThis, Poison
from shared.contracts.event import EventData
from shared.contracts.events import CommandRejected, MemoriesRecalled, MemoryEmbedded
from shared.contracts.ids import Position, Scope, Slot
from shared.contracts.privacy import ChatCommandRead, IncognitoStarted, MemoryForgotten, TombstoneLifted
from shared.domain.digests import Digester
from shared.domain.gaps import Range
from shared.language.commands.command import ChatCommandName
from shared.language.text.secrets import kinds_masked
from shared.runtime.eventlog.read import Record
from shared.runtime.projector import Checkpoint, Recorded


class IngestProjection:
    """The projection of some slots: one for each lane, or one of all slots for a rebuild."""

    name = "ingest"

    def __init__(self, store: Store, digester: Digester, *, slots: Iterable[Slot], send_id: str, live: bool = True) -> None:
        self._store = store
        self._digester = digester
        self._slots = tuple(slots)
        self._send_id = send_id
        self._live = live

    def checkpoint(self) -> Checkpoint:
        """The lowest position of the slots: events after it that a slot has applied already change nothing."""
        known = self._store.slots()
        position = min(known.get(slot, (0, 0))[0] for slot in self._slots)
        return Checkpoint(position, self._store.log_id, self._store.last_position(), self._store.anchors)

    def adopt(self, log_id: str) -> None:
        """Store the id of the log that this is built from."""
        self._store.adopt(log_id)

    def decided(self) -> dict[Slot, int]:
        """The sequence of SEND up to which all is decided, by slot; of some people more is, as `Store.decided_ahead` tells."""
        known = self._store.slots()
        return {slot: known.get(slot, (0, 0))[1] for slot in self._slots}

    def quarantine(self, record: Record, reason: str) -> None:
        """Request a rebuild of the person's rows: ingest must not decide for them without an event that it cannot apply.

        Raises Poison where nothing is decided, as in a rebuild of the whole.
        """
        if not self._live or record.slot is None:
            raise Poison(f"position {record.position}: {reason}")
        self._store.ask_rebuild_of(record.scope, record.slot)

    def apply(
        self,
        events: Sequence[Recorded],
        position: Position,
        *,
        before: Mapping[Scope, ScopeState] | None = None,
        after: Mapping[Scope, ScopeState] | None = None,
        command_ids: Mapping[int, bytes] | None = None,
        decided: Mapping[Slot, int] | None = None,
        is_rebuild: bool = False,
    ) -> dict[Scope, ScopeState]:
        """Fold the events into their scopes' states and save them; return the states after.

        `before` spares loading them and `after` folding the events, where the caller knows them. `command_ids` are those of the
        messages of SEND, by sequence, where their senders named them. SEND was `decided` so far before. `is_rebuild`: what was
        erased is accounted for already.
        """
        if before is None:
            before = self._store.load(_needs(events))
        gaps: dict[Scope, list[Range]] = {}
        new = list(events)
        if after is None:
            after, new = self._folded(events, before, gaps, is_rebuild=is_rebuild)
        positions: dict[Scope, dict[int, int]] = {}
        for recorded in new:
            positions.setdefault(recorded.scope, {})[recorded.event.number] = recorded.position
        after = {scope: replace(after[scope], position=max(of_scope.values())) for scope, of_scope in positions.items()}
        erasures = erasures_of(new, asks_rebuild=self._live, is_rebuild=is_rebuild)
        decisions = self._decisions(events, {**before, **after}, command_ids or {})
        newest = max((recorded.anchor for recorded in new), default=None)
        reached = decided or {}
        was, now = dict(before), dict(after)  # what is saved later is what it is here
        changes = ScopeChanges(was, now, self._slots, position, reached, decisions, gaps, positions, erasures, newest)
        self._store.save(changes)
        if gaps:
            self._store.tell_missing()
        return {**before, **after}

    def _folded(
        self,
        events: Sequence[Recorded],
        before: Mapping[Scope, ScopeState],
        gaps: dict[Scope, list[Range]],
        *,
        is_rebuild: bool,
    ) -> tuple[dict[Scope, ScopeState], list[Recorded]]:
        """The states after the events, and the events that were new; missing numbers are added to `gaps`."""
        folds = {scope: Fold(before[scope]) for scope in dict.fromkeys(recorded.scope for recorded in events)}
        new = []
        for recorded in events:
            fold, number = folds[recorded.scope], recorded.event.number
            if number <= fold.number:
                continue
            self._store.note_gap(recorded, fold.number, gaps, is_known=is_rebuild)
            fold.add(recorded.event, position=recorded.position, digester=self._digester)
            new.append(recorded)
        return {scope: fold.state for scope, fold in folds.items()}, new

    def _decisions(
        self, events: Sequence[Recorded], states: Mapping[Scope, ScopeState], command_ids: Mapping[int, bytes]
    ) -> list[CommandOutcome]:
        """The outcomes of the commands that these events end."""
        decisions: list[CommandOutcome] = []
        lifting = {recorded.event.causation_id for recorded in events if isinstance(recorded.event.data, TombstoneLifted)}
        held = {recorded.event.causation_id for recorded in events if vars(recorded.event.data).get("held_back")}
        kinds: dict[Scope, list[str]] = {}
        for recorded in events:
            told = kinds.setdefault(recorded.scope, [])
            told += _masked(recorded.event.data)
            if recorded.sent and (sequence := self._sequence(recorded.sent)):
                decision = _decision(sequence, recorded, states[recorded.scope], command_ids.get(sequence))
                masked = ",".join(dict.fromkeys(kinds.pop(recorded.scope)))
                cause = recorded.event.causation_id
                decisions.append(decision._replace(lifted=cause in lifting, held_back=cause in held, masked=masked))
        return decisions

    def skip(self, decided: Mapping[Slot, int], settled: Sequence[CommandOutcome] = ()) -> None:
        """Save how far SEND is decided, and the outcomes of commands that led to no event."""
        self._store.save(ScopeChanges({}, {}, self._slots, 0, decided, settled))

    def _sequence(self, sent: str) -> int:
        stream_id, _, sequence = sent.partition(".")
        return int(sequence) if stream_id == self._send_id else 0


def _needs(events: Iterable[Recorded]) -> dict[Scope, Needs]:
    """What the events name: the fold must know what stood there before."""
    needs: dict[Scope, Needs] = {}
    for recorded in events:
        need = needs.setdefault(recorded.scope, Needs())
        data = recorded.event.data
        need.commands.add(recorded.event.causation_id)
        is_recall = isinstance(data, MemoriesRecalled)
        (need.facts if is_recall else need.memories).update(data.named)
        if session_id := vars(data).get("session_id"):  # of a model that has no such field, getattr is slow
            need.sessions.add(session_id)
        if is_recall or isinstance(data, MemoryForgotten):
            need.aspects.add(Aspect.HANDED_OUT)
    return needs


def _decision(sequence: int, recorded: Recorded, state: ScopeState, command_id: bytes | None) -> CommandOutcome:
    event = recorded.event
    if isinstance(event.data, CommandRejected):
        named = bytes.fromhex(event.data.command_id) if event.data.command_id else None
        return CommandOutcome(
            sequence, recorded.scope, event.number, recorded.position, None, event.data.code, command_id=named
        )
    single = event.correlation_id == event.causation_id
    seen = state.seen.get(event.causation_id)  # not where the user was forgotten in the same batch
    memory_id = seen.memory_id if single and seen else None
    code = _why_withheld(event.data)
    return CommandOutcome(sequence, recorded.scope, event.number, recorded.position, memory_id, code, command_id=command_id)


def _masked(data: EventData) -> list[str]:
    """The kinds of the secrets that stand masked in an event; a vector has none."""
    if isinstance(data, MemoryEmbedded):
        return []
    return [
        kind for content in (Content.WORDS, Content.TRACE) for said in strings(data, content) for kind in kinds_masked(said)
    ]


def _why_withheld(data: EventData) -> str | None:
    """The code of the outcome of a turn of which only this event was recorded; None where it was recorded."""
    match data:
        case IncognitoStarted(by_default=True):
            return Incognito.code
        case ChatCommandRead(command=ChatCommandName.NOT_THIS, outcome="done" | "asked_back"):
            return NotThis.code
        case _:
            return None
