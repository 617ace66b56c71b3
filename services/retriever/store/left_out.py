"""Which files lack events that nobody keeps for them: they are read from the log again."""

import threading
from collections.abc import Sequence
from itertools import chain
from typing import NamedTuple

from services.retriever.store.forgetting_events import forgets
from shared.contracts.events import EpisodeRecorded, SessionCompleted, SessionStarted
from shared.contracts.ids import Position, Scope
from shared.runtime.projector import Recorded

_OF_IMPORTS = frozenset((EpisodeRecorded, SessionStarted, SessionCompleted))


class _Lack(NamedTuple):
    """What a file lacks."""

    first: Position
    events: int
    hides: bool  # something is forgotten that the file still holds


class LeftOut:
    """The people whose files were left behind, each with what the file lacks. Safe for several threads."""

    def __init__(self) -> None:
        self._lacks: dict[Scope, _Lack] = {}
        self._lock = threading.Lock()

    def __contains__(self, scope: Scope) -> bool:
        return scope in self._lacks

    @property
    def first(self) -> Position | None:
        """The position of the first event that a file lacks; None where none lacks any."""
        with self._lock:
            return min((lack.first for lack in self._lacks.values()), default=None)

    def may_be(self, scope: Scope, events: Sequence[Recorded]) -> bool:
        """True if events may be left out: those of an import, and whatever follows upon some that were."""
        return scope in self or all(type(recorded.event.data) in _OF_IMPORTS for recorded in events)

    def add(self, scope: Scope, events: Sequence[Recorded]) -> None:
        """Leave these events out of the person's file."""
        with self._lock:
            before = self._lacks.get(scope) or _Lack(events[0].position, 0, hides=False)
            self._lacks[scope] = _Lack(before.first, before.events + len(events), before.hides or forgets(events))

    def next(self, least: int) -> Scope | None:
        """Somebody whose file holds what is forgotten, or lacks at least so many events; None if there is nobody."""
        with self._lock:
            lacks = self._lacks.items()
            hiding = (scope for scope, lack in lacks if lack.hides)
            return next(chain(hiding, (scope for scope, lack in lacks if lack.events >= least)), None)

    def drop(self, scope: Scope) -> None:
        """The file was brought up, or is made anew."""
        with self._lock:
            self._lacks.pop(scope, None)
