"""The people of whom facts may have become due, so that nobody looks through those of everybody again and again."""

import threading
from collections.abc import Iterable

from shared.contracts.events import MemoryEmbedded, MemoryRestored
from shared.contracts.ids import Scope
from shared.runtime.news import News
from shared.runtime.projector import Recorded

_MOST = 10_000
"""People; of more, everybody is looked at."""


class DuePeople:
    """Noted as events are applied, in any thread; taken by whoever looks. At first everybody: nobody has looked yet."""

    def __init__(self) -> None:
        self.news = News()
        self._lock = threading.Lock()
        self._scopes: set[Scope] | None = None

    def follow(self, recorded: Recorded) -> None:
        """Note the person of an event by which a fact may become due: one more has a vector, or is live again."""
        if isinstance(recorded.event.data, MemoryEmbedded | MemoryRestored):
            self.note([recorded.scope])

    def note(self, scopes: Iterable[Scope] | None) -> None:
        """Note these people, or everybody."""
        with self._lock:
            if scopes is None:
                self._scopes = None
            elif self._scopes is not None:
                self._scopes.update(scopes)
                if len(self._scopes) > _MOST:
                    self._scopes = None
        self.news.tell()

    def take(self) -> frozenset[Scope] | None:
        """Whom to look at, None: at everybody; from now on nobody, until somebody is noted."""
        with self._lock:
            taken, self._scopes = self._scopes, set()
        return None if taken is None else frozenset(taken)
