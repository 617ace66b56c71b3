"""What every question reads of a person's file, whatever it asks, kept until something of it changes."""

from collections.abc import Callable, Hashable
from collections.abc import Set as AbstractSet
from typing import Any, TypeVar, cast

from sqlalchemy import Connection

from shared.contracts.event import EventData
from shared.contracts.events import EpisodeRecorded, MemoriesRecalled, MemoryEmbedded, SessionCompleted, SessionStarted
from shared.runtime.sqlite import rows

T = TypeVar("T")
_LEAVE_ALL: frozenset[type[EventData]] = frozenset((MemoriesRecalled, MemoryEmbedded))
"""What comes with every question and every turn: scores and vectors, of which nothing is kept."""

_LEAVE_FACTS = _LEAVE_ALL | {EpisodeRecorded, SessionStarted, SessionCompleted}
"""What a conversation leads to by itself: no fact comes, ends or is doubted by it, and nothing is pinned."""


class Unchanged:
    """What was read of a file as a whole. Use it under the file's lock.

    A question ran 14 or 15 statements, ten of which had the same result as for the question before. Whatever depends on the
    moment of the question, or on what it asks, does not belong here; nor do scores and vectors, which come with every question
    and every turn.
    """

    def __init__(self) -> None:
        self._known: dict[Hashable, Any] = {}
        self._of_facts: dict[Hashable, Any] = {}

    def of(self, what: Hashable, read: Callable[[], T]) -> T:
        """What was read under this key; it is read now if nothing was since anything but scores and vectors has changed."""
        if what not in self._known:
            self._known[what] = read()
        return cast("T", self._known[what])

    def of_facts(self, what: Hashable, read: Callable[[], T]) -> T:
        """What was read under this key of facts and what is said of them; it is read now if nothing was since one changed."""
        if what not in self._of_facts:
            self._of_facts[what] = read()
        return cast("T", self._of_facts[what])

    def is_any(self, db: Connection, statement: str) -> bool:
        """Whether a `SELECT EXISTS` finds anything, so that it need be looked up: in most files there is nothing."""
        return self.of(statement, lambda: bool(rows(db, statement)[0][0]))

    def forget_after(self, told: AbstractSet[type[EventData]]) -> None:
        """Forget what events of these kinds may change."""
        if not told <= _LEAVE_ALL:
            self.forget(facts=not told <= _LEAVE_FACTS)

    def forget(self, *, facts: bool = True) -> None:
        """Forget all of it: the file changes. `facts`: what was read of facts, too."""
        self._known.clear()
        if facts:
            self._of_facts.clear()
