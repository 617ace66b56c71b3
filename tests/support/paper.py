"""A log on paper: commands are decided one after the other by the real rules, and what they lead to is kept in a list."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime, timedelta

from services.ingest.command_group import CommandGroup, ReadMessage
from services.ingest.domain.decide import decide, reject
from services.ingest.domain.policy import SHIPPED, Policy
from services.ingest.domain.recollection import Recollection, recollect
from services.ingest.domain.ruling import Ruling
from services.ingest.domain.state import NOTHING_RECORDED, Fold, ScopeState
from services.ingest.open_forgettings import unfinished
from services.ingest.own_events import own_event
from shared.contracts.command import Command
from shared.contracts.envelope import Envelope
from shared.contracts.errors import Rejected
from shared.contracts.events import decode
from shared.contracts.ids import MemoryId, Position, Scope, Space, User
from shared.contracts.privacy import GraceEnded, MemoryForgotten
from shared.domain.taking_back import taken_back
from shared.runtime.projector import Recorded, without_taken_back
from tests.support.commands import remember
from tests.support.scopes import ANNA, ANNAS_SCOPE, KEYS, SPACE, T0
from tests.support.sent import sent

AT_ONCE = replace(SHIPPED, grace=timedelta(0))
"""The shipped policy, but that what is forgotten in chat is erased at once."""


class PaperLog:
    """What ingest does, without a server and without a database."""

    def __init__(self, policy: Policy = SHIPPED) -> None:
        self.policy = policy
        self.records: list[Recorded] = []
        self.states: dict[Scope, ScopeState] = {}
        self.sent = 0
        self.passages: dict[MemoryId, bytes] = {}  # of what is handed out, as ingest makes them of the words in the log

    @property
    def events(self) -> list[Envelope]:
        """Every event, in order."""
        return [record.event for record in self.records]

    @property
    def state(self) -> ScopeState:
        """What is known of Anna at home."""
        return self.states.get(ANNAS_SCOPE, NOTHING_RECORDED)

    def tell(self, command: Command, *, user: User = ANNA, space: Space = SPACE, now: datetime = T0) -> list[Envelope]:
        """Decide and record. Raises a Rejected, which leaves no trace here."""
        self.sent += 1
        message = sent(command, sequence=self.sent, user=user, space=space, now=now, policy=self.policy)
        state = replace(self.states.get(message.scope, NOTHING_RECORDED), passages=self.passages)
        events = decide(command, state, message.circumstances(command)).events
        self._record(events, message.scope, message.sent_header)
        return events

    def decide(self, rule: Callable[[Ruling], None]) -> list[Envelope]:
        """Record what a part of some rule of Anna's decides, as if a command of its own had led to it."""
        self.sent += 1
        message = sent(remember("nothing of this is told"), sequence=self.sent, policy=self.policy)
        ruling = Ruling(self.state, message.circumstances_of(message.delivery_id))
        rule(ruling)
        self._record(ruling.events, message.scope, message.sent_header)
        return ruling.events

    def settle(self, command: Command) -> None:
        """Decide and record one of Anna's commands as a lane does it: what is refused leaves its trace."""
        self.sent += 1
        message = sent(command, sequence=self.sent, policy=self.policy)
        group = CommandGroup([ReadMessage(message, command)])
        group.decide({message.scope: self.state})
        [decided] = group.decided
        self._record(decided.events, message.scope, message.sent_header)

    def words(self, scope: Scope = ANNAS_SCOPE) -> Recollection:
        """What the log says of a scope, as ingest reads it for a forgetting."""
        return recollect(record.event for record in self.settled(scope))

    def settled(self, scope: Scope = ANNAS_SCOPE) -> list[Recorded]:
        """The events of a scope as they are read from the log: what was taken back is forgotten by none of them."""
        return without_taken_back([record for record in self.records if record.scope == scope])

    def erase(self) -> None:
        """What was forgotten leaves the log, but for what waits; the states are made anew from the rest: as after a receipt."""
        for scope in list(self.states):
            todo = unfinished(self.settled(scope))
            self.records = [r for r in self.records if r.scope != scope or not any(each.takes(r.event) for each in todo)]
            self.states[scope] = self.rebuilt(scope)

    def append(self, events: Sequence[Envelope]) -> None:
        """Record events of ingest's own."""
        self._record(events)

    def end_graces(self, *, now: datetime = T0) -> None:
        """What waits to be erased waits no more."""
        forgotten = {r.event.data.forget_id: r.event for r in self.records if isinstance(r.event.data, MemoryForgotten)}
        for forget_id in self.state.privacy.waiting:
            number = self.state.number + 1
            self._record([own_event(forgotten[forget_id], GraceEnded(forget_id=forget_id), number=number, now=now)])

    def rebuilt(self, scope: Scope = ANNAS_SCOPE) -> ScopeState:
        """The state that the log leads to."""
        fold = Fold(NOTHING_RECORDED)
        for record in self.settled(scope):
            fold.add(record.event, position=record.position, digester=KEYS.digester)
        return fold.state

    def refuse(self, command: Command, error: Rejected, *, user: User = ANNA, now: datetime = T0) -> None:
        """Record the trace that a refused command leaves."""
        self.sent += 1
        message = sent(command, sequence=self.sent, user=user, now=now)
        state = self.states.get(message.scope, NOTHING_RECORDED)
        given = message.circumstances_of(message.delivery_id)
        named = message.command_id(command) if command.message_id else None
        self._record(reject(error.code, state=state, given=given, command_id=named).events, message.scope, message.sent_header)

    def _record(self, events: Sequence[Envelope], scope: Scope = ANNAS_SCOPE, header: str = "") -> None:
        fold = Fold(self.states.get(scope, NOTHING_RECORDED))
        for index, event in enumerate(events):
            assert decode(event.encode()).encode() == event.encode()  # it fits its contract, byte for byte
            position = Position(self.records[-1].position + 1 if self.records else 1)
            fold.add(event, position=position, digester=KEYS.digester)
            self.records.append(Recorded(position, scope, event, header if index == len(events) - 1 else ""))
        if events:
            self.states[scope] = self.rebuilt(scope) if taken_back(events) else fold.state
