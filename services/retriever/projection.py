"""Builds the files from the log. Open files are changed at once; closed ones in groups, or when they are asked for."""

from collections.abc import Mapping, Sequence

from services.retriever.store.index import Giving, Last
from services.retriever.store.memory_folder import MemoryFolder
from shared.contracts.errors import DiskFull
from shared.contracts.ids import Position, Scope
from shared.contracts.privacy import ForgettingCompleted, UserForgotten
from shared.contracts.sharing import TagShared
from shared.domain.gaps import Range
from shared.runtime.eventlog.read import Record
from shared.runtime.full_disk import tell_full
from shared.runtime.import_watch import IMPORTS
from shared.runtime.projector import Checkpoint, Recorded

_MOST_CHARACTERS = 33_554_432
"""Of events that wait in memory for their file."""

_MOST_OF_AN_IMPORT = 1_000
"""So many events wait while nobody is beside an import: whoever comes waits for them to be written."""


class RetrieverProjection:
    """The projection of the retriever. Its checkpoint never passes an event that still waits for its file."""

    name = "retriever"

    def __init__(
        self,
        memories: MemoryFolder,
        *,
        pending_events: int,
        live: bool = True,
    ) -> None:
        self._memories = memories
        self._live = live
        self._most_pending = pending_events
        self._position = 0
        self._saved = 0  # in the index

    @property
    def is_to_flush(self) -> bool:
        """True while events wait for their file, or the checkpoint waits to be moved."""
        return self._memories.pending_events > 0 or self._saved < self._position

    @property
    def can_wait(self) -> bool:
        """True while nobody is there to ask for what waits, as an import is alone, unless it hides what is forgotten."""
        return IMPORTS.is_alone and not self._memories.is_hiding

    def checkpoint(self) -> Checkpoint:
        """The position after which to go on reading, and the log that it belongs to."""
        index = self._memories.index
        self._position = self._saved = index.position
        return Checkpoint(self._position, index.log_id, anchors=index.anchors)

    def adopt(self, log_id: str) -> None:
        """Remember the id of the log that this projection is built from."""
        self._memories.index.adopt(log_id)

    def quarantine(self, record: Record, reason: str) -> None:
        """Store the position of an event that cannot be applied, and why."""
        self._memories.index.quarantine(record, reason)

    def apply(self, events: Sequence[Recorded], position: Position) -> None:
        """Hand events to their files. The checkpoint moves past them when the next ones come, or with a flush."""
        events = [recorded for recorded in events if recorded.event.is_of_person]
        if not events:  # all of them were of other workers, or of nobody
            self._position = max(self._position, position)
            return
        groups: dict[Scope, list[Recorded]] = {}
        for recorded in events:
            groups.setdefault(recorded.scope, []).append(recorded)
        last = self._memories.index.last(list(groups))
        gaps = self._gaps(groups, last)
        reached = {scope: _last(group[-1]) for scope, group in groups.items()}
        newer = {scope: end for scope, end in reached.items() if scope not in last or end.number > last[scope].number}
        erased = {recorded.scope for recorded in events if isinstance(recorded.event.data, ForgettingCompleted)}
        # The index first: were it behind a file, the file's events would look new and the scope unknown.
        self._saved = self._floor(groups)
        with self._memories.changing():
            to_rebuild = erased if self._live else ()
            newest = events[-1].anchor
            giving = _giving(events)
            self._memories.index.save(newer, self._saved, gaps=gaps, to_rebuild=to_rebuild, newest=newest, giving=giving)
            for scope, group in groups.items():
                self._memories.add(scope, group)
        self._memories.write(groups)
        if gaps:
            self._memories.index.tell_missing()
        self._position = max(self._position, position)  # not before: a flush beside this would pass them
        if self._live and IMPORTS.is_alone and self._memories.pending_events >= min(self._most_pending, _MOST_OF_AN_IMPORT):
            self._memories.leave_out()
        if self._memories.pending_events >= self._most_pending or self._memories.pending_characters >= _MOST_CHARACTERS:
            self.flush()

    def _gaps(self, groups: Mapping[Scope, Sequence[Recorded]], last: Mapping[Scope, Last]) -> dict[Scope, list[Range]]:
        """The numbers that each scope lacks after these events, where that has changed."""
        gaps: dict[Scope, list[Range]] = {}
        for scope, group in groups.items():
            known = last[scope].number if scope in last else 0
            for recorded in group:
                self._memories.index.note_gap(recorded, known, gaps)
                known = max(known, recorded.event.number)
        return gaps

    def flush(self, *, also_much: bool = True) -> None:
        """Apply the events that wait for their file, and move the checkpoint; see `MemoryFolder.flush`."""
        self._memories.flush(also_much=also_much)
        self._saved = self._floor({})
        self._memories.index.save({}, self._saved)

    def close(self) -> None:
        """Write all that waits, and close all files; where the disk is full, what waits is read from the log again."""
        try:
            if self.is_to_flush:
                self.flush()
        except DiskFull as error:
            tell_full(error, what=self.name)
        self._memories.close()

    def _floor(self, arriving: dict[Scope, list[Recorded]]) -> int:
        """The position up to which every event is in its file."""
        waiting = [group[0].position for group in arriving.values()]
        if (first := self._memories.first_pending) is not None:
            waiting.append(Position(first))
        return min(waiting) - 1 if waiting else self._position


def _last(recorded: Recorded) -> Last:
    return Last(int(recorded.event.number), int(recorded.position), int(recorded.slot_of_scope))


def _giving(events: Sequence[Recorded]) -> dict[Scope, Giving]:
    """To whom scopes began to give something, as these events say in their order."""
    found: dict[Scope, Giving] = {}
    for recorded in events:
        data, known = recorded.event.data, found.get(recorded.scope, Giving(frozenset(), is_all=False))
        if isinstance(data, UserForgotten):
            found[recorded.scope] = Giving(frozenset(), is_all=True)
        elif isinstance(data, TagShared):
            found[recorded.scope] = known._replace(recipients=known.recipients | {data.recipient})
    return found
