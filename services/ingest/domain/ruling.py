"""The result of deciding a command: its events, with numbers and ids, and the state after them."""

from collections.abc import Iterable
from datetime import UTC, datetime

from services.ingest.domain.circumstances import Circumstances
from services.ingest.domain.state import Fold, ScopeState
from shared.contracts.envelope import Envelope
from shared.contracts.errors import IdReused
from shared.contracts.event import EventData
from shared.contracts.ids import EventNumber, MemoryId
from shared.domain.pauses import may_pause


class Ruling:
    """The events of one command. A rule adds them one by one, and sees the state after each."""

    def __init__(self, state: ScopeState, given: Circumstances) -> None:
        self.given = given
        self.events: list[Envelope] = []
        self.unfounded = 0  # facts of the command that rest on nothing that was said
        self.names_before = state.names
        self._state = state
        self._is_behind = False  # the state, after the events that were added
        self._fold: Fold | None = None
        self._number = state.number
        self._first = 0  # the index of the first event of the command, or of the part of it that is decided

    @property
    def state(self) -> ScopeState:
        """The state after the events so far, valid until the next is added."""
        if self._is_behind and self._fold:
            self._state, self._is_behind = self._fold.state, False
        return self._state

    @property
    def added(self) -> int:
        """How many events the command led to so far, or the part of it that is decided."""
        return len(self.events) - self._first

    def add(self, data: EventData, occurred_at: datetime | None = None) -> None:
        """Add an event. Without `occurred_at` it happened when the server took the command."""
        if self._fold is None:
            self._fold = Fold(self._state)
        self._number += 1
        event = self._sealed(data, occurred_at)
        self._fold.add(event, position=0, digester=self.given.digester)
        self.events.append(event)
        self._is_behind = True

    def add_all(self, events: Iterable[EventData], occurred_at: datetime | None = None) -> None:
        """Add events in order, all of one time."""
        for data in events:
            self.add(data, occurred_at)

    def begin_part(self, given: Circumstances) -> None:
        """Add further events as those of one turn, record or vector of several, as if it had been sent by itself."""
        may_pause()
        self.given = given
        self._first = len(self.events)

    def new_memory_id(self, prefix: str) -> MemoryId:
        """The id of the memory that the next event makes."""
        return self.given.memory_id(prefix, self.added)

    def is_known(self, content: str | None) -> bool:
        """True if this command had its effect already. Raises IdReused if its id stands for another content.

        A command without content is known by its id alone; an id whose events have no content matches any.
        """
        seen = self.state.seen.get(self.given.command_id)
        if seen is None:
            return False
        if content is not None and seen.content not in {None, self.given.digester.digest("content", content)}:
            raise IdReused
        return True

    def _sealed(self, data: EventData, occurred_at: datetime | None) -> Envelope:
        given = self.given
        return Envelope.of_valid(
            event_id=given.event_id(self.added),
            type=data.event_type,
            version=data.event_version,
            space=given.space,
            user=given.user,
            number=EventNumber(self._number),
            occurred_at=occurred_at.astimezone(UTC) if occurred_at else given.now,
            recorded_at=given.now,
            actor=given.actor,
            correlation_id=given.correlation_id,
            causation_id=given.command_id,
            data=data,
        )
