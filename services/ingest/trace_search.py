"""What is looked for in the files while the erasure of a scope goes on, and how long a receipt waits for it to be gone."""

import asyncio
from collections import Counter
from collections.abc import Mapping, Sequence

from services.ingest.domain.marks import marks_of, marks_of_person, said_in
from services.ingest.open_forgettings import OpenForgetting
from services.ingest.traces import Erasure, FileScan
from shared.contracts.ids import Scope, Space, User
from shared.contracts.privacy import MemoryForgotten, Scan
from shared.runtime.projector import Recorded
from shared.runtime.topology import ALONE, MEMORY, REJECTED, SEND, Replicas

_PATIENCE_S = 10.0
"""The retriever drops the file of whom is forgotten within a second, if it runs."""

_FIRST_PAUSE_S = 0.2
_CLOCKS_APART_S = 60.0


class TraceSearch:
    """What the events of a scope said that are erased, learned before they are, in memory only."""

    def __init__(self) -> None:
        self.owner: tuple[Space, User] | None = None
        self.messages: Counter[str] = Counter()  # erased, by stream
        self._said: set[str] = set()
        self._whole = False
        self._began_s: float | None = None  # to wait
        self._pause_s = _FIRST_PAUSE_S
        self._next_s = 0.0

    @property
    def is_due(self) -> bool:
        """False while the receipt waits for what was found to go."""
        return _now() >= self._next_s

    def learn(self, events: Sequence[Recorded], todo: Sequence[OpenForgetting]) -> None:
        """Add what is about to be erased of a scope's events by these forgettings."""
        named = next((recorded.event for recorded in events if recorded.event.user), None)
        if named is not None:
            self.owner = Space(named.space), User(named.user)
        self._whole = self._whole or any(each.through for each in todo)
        self._said |= said_in(recorded.event for recorded in events if any(each.takes(recorded.event) for each in todo))

    def erasure(
        self, scope: Scope, left: Sequence[Recorded], through: Mapping[str, int], replicas: Replicas = ALONE
    ) -> Erasure:
        """What to look for, now that these events are left. `through`: how far SEND and REJECTED were looked through."""
        marks = marks_of(self._said - said_in(recorded.event for recorded in left))
        if self._whole and self.owner is not None:
            marks |= marks_of_person(*self.owner)
        forgotten = [recorded.event.recorded_at for recorded in left if isinstance(recorded.event.data, MemoryForgotten)]
        since_s = max(forgotten).timestamp() - _CLOCKS_APART_S if forgotten and not self._whole else 0.0
        positions = frozenset(recorded.position for recorded in left)
        through = {**through, MEMORY: max(positions, default=0)}
        return Erasure(scope, self.owner, self._whole, marks, positions, through, since_s, replicas)

    def scan(self, left: Sequence[Recorded], looked: FileScan) -> Scan:
        """What the receipt says was looked through."""
        return Scan(
            events=len(left), found=0, rejected=self.messages[REJECTED], in_transit=self.messages[SEND], **looked._asdict()
        )

    def may_wait(self) -> bool:
        """True if the receipt waits once more for what was found; each time twice as long, ten seconds in all."""
        now = _now()
        self._began_s = now if self._began_s is None else self._began_s
        self._next_s, self._pause_s = now + self._pause_s, 2 * self._pause_s
        return self._next_s < self._began_s + _PATIENCE_S


def _now() -> float:
    return asyncio.get_running_loop().time()
