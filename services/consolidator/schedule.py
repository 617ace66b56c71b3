"""Which sessions are to be learned from now: so many at once, of each person one, in the order in which they ended."""

from collections.abc import Sequence
from typing import TypeAlias

from services.consolidator.store import PendingCompletion
from shared.contracts.ids import Position, Scope

_Attempt: TypeAlias = tuple[Position, int]


class Schedule:
    """Follows which sessions are being learned from, which wait for their next attempt, and which were sent.

    `in_order`: a person's next session waits until the facts of the one before are recorded, and while that one waits for a
    server that did not answer; it does not wait for one that fails by its own fault. Moments are the event loop's.
    """

    def __init__(self, *, parallel: int, in_order: bool) -> None:
        self._parallel = parallel
        self._in_order = in_order
        self._pending: list[PendingCompletion] = []
        self._running: dict[Scope, PendingCompletion] = {}
        self._not_before: dict[_Attempt, float] = {}
        self._sent: set[_Attempt] = set()
        self._holding: set[_Attempt] = set()  # nobody answered: the person's next ones wait until it is tried again
        self._told: dict[_Attempt, tuple[int, float]] = {}  # failures that were sent, and how long they are waited for
        self._rests_until = 0.0
        self._rests_for: str | None = None

    def update(self, pending: Sequence[PendingCompletion]) -> None:
        """Replace what is pending, the oldest first."""
        self._pending = list(pending)
        known = {_attempt(session) for session in pending}
        self._not_before = {attempt: due for attempt, due in self._not_before.items() if attempt in known}
        self._told = {attempt: told for attempt, told in self._told.items() if attempt in known}
        self._sent &= known
        self._holding &= known

    def start(self, now: float, *, imports_in_turn: bool = False) -> list[PendingCompletion]:
        """The sessions to begin with now, which are then under way; where imports have their turn, one imported at a time."""
        started = []
        held = {session.scope for session in self._pending if self._in_order and self._holds(session)}
        for session in self._pending:
            if len(self._running) >= self._parallel or self.rests(now):
                break
            if imports_in_turn and session.imported and any(each.imported for each in self._running.values()):
                continue
            if session.scope not in self._running and self._is_due(session, now, held):
                self._running[session.scope] = session
                started.append(session)
        return started

    def _is_due(self, session: PendingCompletion, now: float, held: set[Scope]) -> bool:
        if session.scope in held and not self._holds(session):
            return False
        attempts, waits_until = self._told.get(_attempt(session), (0, 0.0))
        if session.attempts < attempts and now < waits_until:
            return False
        return now >= self._not_before.get(_attempt(session), 0.0)

    def _holds(self, session: PendingCompletion) -> bool:
        attempt = _attempt(session)
        return attempt in self._sent or attempt in self._holding

    def ended(self, session: PendingCompletion) -> None:
        """A session is not under way any more."""
        self._running.pop(session.scope, None)

    def postpone(self, session: PendingCompletion, until: float, *, in_order: bool = False) -> None:
        """Begin with a session no sooner than this; `in_order`: nor with what comes after it in the person's order."""
        self._not_before[_attempt(session)] = until
        if in_order:
            self._holding.add(_attempt(session))
        else:
            self._holding.discard(_attempt(session))

    def answered(self) -> None:
        """Nobody is out of reach any more: what was put off because nobody answered is due at once."""
        for attempt in self._holding:
            self._not_before.pop(attempt, None)

    def failed(self, session: PendingCompletion, attempts: int, until: float) -> None:
        """Note that a failure was sent: the session waits at least so long for its event, so that each failure counts."""
        self._told[_attempt(session)] = (attempts, until)

    def sent(self, session: PendingCompletion, until: float) -> None:
        """What a session taught was sent; its events are waited for until then."""
        self._sent.add(_attempt(session))
        self.postpone(session, until)

    def was_sent(self, session: PendingCompletion) -> bool:
        """True, once, if what the session taught was sent and its events did not come."""
        attempt = _attempt(session)
        was = attempt in self._sent
        self._sent.discard(attempt)
        return was

    def rest(self, until: float, why: str) -> None:
        """Begin with nothing before this, and tell this code of what is wrong."""
        self._rests_until, self._rests_for = until, why

    def rests(self, now: float) -> str | None:
        """Why nothing is begun now; None if nothing hinders."""
        return self._rests_for if now < self._rests_until else None


def _attempt(session: PendingCompletion) -> _Attempt:
    """Names a session until it is tried again by hand: then its pauses are over."""
    return session.position, session.retried
