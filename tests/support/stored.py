"""ingest without a server: commands are decided in groups on what ingest.db says, and what they lead to goes into it."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from services.ingest.command_group import CommandGroup, Decided, ReadMessage, unchanged
from services.ingest.domain.lacks import Aspect, Needs
from services.ingest.domain.policy import SHIPPED, Policy
from services.ingest.domain.recollection import recollect
from services.ingest.domain.state import ScopeState
from services.ingest.projection import IngestProjection
from services.ingest.store import Store
from shared.contracts.command import Command
from shared.contracts.envelope import Envelope
from shared.contracts.ids import Position, Scope, Slot, User
from shared.contracts.subjects import SLOTS
from shared.runtime.projector import Recorded, without_taken_back
from tests.support.scopes import ANNA, KEYS, SEND_ID, T0
from tests.support.sent import sent


class StoredLog:
    """The same as a lane does it, with a list in place of the log."""

    def __init__(self, store: Store, policy: Policy = SHIPPED) -> None:
        self.store = store
        self.policy = policy
        self.records: list[Recorded] = []
        self.sent = 0
        self.rounds = 0
        self.needed: dict[Scope, Needs] = {}
        """What the last group that concerned a scope had to know of it."""
        slots = [Slot(slot) for slot in range(SLOTS)]
        self.projection = IngestProjection(store, KEYS.digester, slots=slots, send_id=SEND_ID)

    @property
    def events(self) -> list[Envelope]:
        """Every event, in order."""
        return [record.event for record in self.records]

    def tell(self, *commands: Command, user: User = ANNA, now: datetime = T0) -> list[Decided]:
        """Decide these in one group, and record what they lead to."""
        group = CommandGroup([self._item(command, user, now) for command in commands])
        while group.needs:
            self.needed |= group.needs
            self.rounds += 1
            group.decide(self._look_up(group))
        decided, states, after = group.decided, group.before, group.after
        recorded = [record for result in decided for record in self._recorded(result)]
        names = {r.sent.delivery.sequence: bytes.fromhex(r.command_id) for r in decided if r.command_id}
        if recorded:
            states |= self.projection.apply(recorded, Position(0), before=states, after=after, command_ids=names)
        self.projection.skip({}, unchanged(decided, states))
        self._rebuild_rows()
        return decided

    def settled(self) -> list[Recorded]:
        """The events as they are read from the log: what was taken back is forgotten by none of them."""
        return without_taken_back(self.records)

    def _rebuild_rows(self) -> None:
        """Of those of whom something was taken back."""
        for scope in self.store.scopes_to_rebuild():
            self.store.wipe(scope)
            self.projection.apply([r for r in self.settled() if r.scope == scope], Position(0), is_rebuild=True)
            self.store.scope_rebuilt(scope)

    def _look_up(self, group: CommandGroup) -> dict[Scope, ScopeState]:
        states = self.store.load(group.needs)
        for scope, needs in group.needs.items():
            if Aspect.WORDS in needs.aspects:
                words = recollect(record.event for record in self.settled() if record.scope == scope)
                states[scope] = replace(states[scope], recollection=words)
        return states

    def _item(self, command: Command, user: User, now: datetime) -> ReadMessage:
        self.sent += 1
        return ReadMessage(sent(command, sequence=self.sent, user=user, now=now, policy=self.policy), command)

    def _recorded(self, result: Decided) -> Sequence[Recorded]:
        for index, event in enumerate(result.events):
            header = result.sent.sent_header if index == len(result.events) - 1 else ""
            self.records.append(Recorded(Position(len(self.records) + 1), result.sent.scope, event, header, result.sent.slot))
        return self.records[len(self.records) - len(result.events) :]
