"""Which files lack events that nobody keeps for them: they are read from the log again."""

import threading
from collections.abc import Sequence

from services.retriever.store.forgetting_events import forgets
from shared.contracts.events import EpisodeRecorded, SessionCompleted, SessionStarted
from shared.contracts.ids import Position, Scope
from shared.runtime.projector import Recorded

_OF_IMPORTS = frozenset((EpisodeRecorded, SessionStarted, SessionCompleted))


class LeftOut:
    """The people whose files were left behind, each with the first event that the file lacks. Safe for several threads."""

    def __init__(self) -> None:
        self._first: dict[Scope, Position] = {}
        self._hiding: set[Scope] = set()  # something is forgotten that their files still hold
        self._events: dict[Scope, int] = {}
        self._lock = threading.Lock()

    def __contains__(self, scope: Scope) -> bool:
        return scope in self._first

    @property
    def first(self) -> Position | None:
        """The position of the first event that a file lacks; None where none lacks any."""
        with self._lock:
            return min(self._first.values(), default=None)

    def may_be(self, scope: Scope, events: Sequence[Recorded]) -> bool:
        """True if events may be left out: those of an import, and whatever follows upon some that were."""
        return scope in self or all(type(recorded.event.data) in _OF_IMPORTS for recorded in events)

    def add(self, scope: Scope, events: Sequence[Recorded]) -> None:
        """Leave these events out of the person's file."""
        with self._lock:
            self._first.setdefault(scope, events[0].position)
            self._events[scope] = self._events.get(scope, 0) + len(events)
            if forgets(events):
                self._hiding.add(scope)

    def next(self, least: int) -> Scope | None:
        """Somebody whose file holds what is forgotten, or lacks at least so many events; None if there is nobody."""
        with self._lock:
            if self._hiding:
                return next(iter(self._hiding))
            return next((scope for scope, events in self._events.items() if events >= least), None)

    def drop(self, scope: Scope) -> None:
        """The file was brought up, or is made anew."""
        with self._lock:
            self._first.pop(scope, None)
            self._events.pop(scope, None)
            self._hiding.discard(scope)

    def clear(self) -> None:
        """Nobody's file lacks anything any more."""
        with self._lock:
            self._first.clear()
            self._events.clear()
            self._hiding.clear()
