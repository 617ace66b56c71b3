"""Answers what became of a command, and lets the asker wait for it."""

from collections.abc import Callable, Mapping

from services.ingest.domain.lacks import Needs
from services.ingest.lane import Lane
from services.ingest.store import CommandOutcome, Store
from shared.contracts.errors import NotRecorded, Rejected, Unavailable, error_classes
from shared.contracts.ids import MessageId, Scope, Slot
from shared.contracts.queries import OutcomeAnswer, Verdict
from shared.runtime.keys import Keys
from shared.runtime.news import News


class Outcomes:
    """Answers from what the lanes have decided so far. `lanes` has none while ingest is starting.

    `reason_of` says why a message of SEND was refused, where that is known more exactly than its code says.
    """

    def __init__(self, store: Store, keys: Keys, lanes: Mapping[Slot, Lane], reason_of: Callable[[int], str | None]) -> None:
        self.keys = keys
        self._store = store
        self._lanes = lanes
        self._reason_of = reason_of
        self.decided = News()
        """Told by the lanes when they have decided something."""

    async def of_sequence(self, scope: Scope, slot: Slot, sequence: int) -> OutcomeAnswer | None:
        """Wait until this message of SEND is decided; None if it led to no event of this scope."""
        while not self._lane(slot).has_decided(scope, slot, sequence):
            await self.decided.beyond(self.decided.count)
        decision = self._store.decision(scope, sequence)
        return self._answer(decision) if decision else None

    async def of_message(self, scope: Scope, what: str, message_id: MessageId) -> OutcomeAnswer:
        """Wait until a command with this id is decided: had its effect, found nothing to do, or was refused."""
        while not (answer := self.known(scope, what, message_id)):
            await self.decided.beyond(self.decided.count)
        return answer

    def known(self, scope: Scope, what: str, message_id: MessageId) -> OutcomeAnswer | None:
        """The outcome of a command with this id: its effect, whenever it had one; else that of the newest with this id."""
        command_id = self.keys.digester.command_id(scope, what, message_id)
        state = self._store.load({scope: Needs(commands={command_id})})[scope]
        seen = state.seen.get(command_id)
        decision = self._store.decision_of(scope, command_id)
        if seen is None:
            return self._answer(decision) if decision else None
        if decision and decision.number != seen.number:
            decision = None  # of another message with this id
        if decision and decision.code:  # it only made its session incognito
            return self._answer(decision)
        return OutcomeAnswer(
            verdict=Verdict.RECORDED,
            position=seen.position,
            number=seen.number,
            memory_id=seen.memory_id,
            lifted=bool(decision and decision.lifted),
            held_back=bool(decision and decision.held_back),
            masked=_kinds(decision),
        )

    def unchanged(self, scope: Scope) -> OutcomeAnswer:
        """The outcome of a command that was decided and led to no event."""
        state = self._store.load({scope: Needs()})[scope]
        return OutcomeAnswer(verdict=Verdict.UNCHANGED, position=state.position, number=state.number or None)

    def _answer(self, decision: CommandOutcome) -> OutcomeAnswer:
        kind = error_classes().get(decision.code, Rejected) if decision.code else None
        return OutcomeAnswer(
            verdict=_verdict(decision),
            position=decision.position,
            number=decision.number,
            memory_id=decision.memory_id,
            code=decision.code,
            lifted=decision.lifted,
            held_back=decision.held_back,
            masked=_kinds(decision),
            reason=(self._reason_of(decision.sequence) or kind().message) if kind else None,
        )

    def _lane(self, slot: Slot) -> Lane:
        lane = self._lanes.get(slot)
        if lane is None:
            raise Unavailable("ingest is starting; ask again")
        return lane


def _kinds(decision: CommandOutcome | None) -> tuple[str, ...]:
    return tuple(decision.masked.split(",")) if decision and decision.masked else ()


def _verdict(decision: CommandOutcome) -> Verdict:
    if decision.code is None:
        return Verdict.UNCHANGED if decision.is_unchanged else Verdict.RECORDED
    kind = error_classes().get(decision.code, Rejected)
    return Verdict.NOT_RECORDED if issubclass(kind, NotRecorded) else Verdict.REJECTED
