"""All files of the retriever with their index: applies events to files, and tells which must be read from the log again."""

import hashlib
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from services.retriever.store.forgetting_events import forgets, is_beginning, place_of_user_forgotten, takes_back
from services.retriever.store.index import ALL_SLOTS, Last, ScopeIndex
from services.retriever.store.left_out import LeftOut
from services.retriever.store.memory_file import MemoryFile, delete_file
from services.retriever.store.open_files import OpenFiles
from shared.contracts.errors import DiskFull, EventsLost, Unavailable
from shared.contracts.ids import Scope
from shared.contracts.portions import portions
from shared.runtime.projection_file import leaves_files
from shared.runtime.projector import Recorded
from shared.runtime.sqlite import SQLITE_ERRORS, is_damage, telling_full

_MEMORIES = "memories"
_A_FILE = "a person's file"
_AT_ONCE = 16_384
"""Characters of events that are written in one go; more of a scope wait for its reader, or for a flush."""

_LEAST_WEIGHT = 100
_DIGEST_BYTES = 16
_STRIPES = 64


class FileBehind(Exception):
    """A user's file lacks events that were applied, or is damaged: read the scope from the log again."""

    def __init__(self, scope: Scope, after: int) -> None:
        super().__init__(scope)
        self.scope = scope
        self.after = after


class FileDamaged(FileBehind):
    """A user's file makes no sense."""


class MemoryFolder:
    """The files under one folder, those of the people of some slots. Safe for several threads.

    Of other slots another folder object takes care, in this process or in another; no file has two.
    """

    def __init__(self, folder: Path, *, open_files: int, is_rebuild: bool = False, slots: range = ALL_SLOTS) -> None:
        self.folder = folder
        """Where they lie."""
        self._slots = slots
        self.index = ScopeIndex(folder, slots)
        self._open = OpenFiles(folder / _MEMORIES, capacity=open_files, are_drafts=is_rebuild)
        self._pending: dict[Scope, list[Recorded]] = {}
        self._characters = 0  # of what waits
        self._behind: set[Scope] = set()
        self.left_out = LeftOut()  # whose files lack events that do not wait here
        self._is_rebuild = is_rebuild  # what no event explains is told by the index in the end
        self._lock = threading.RLock()
        self._applying = [threading.Lock() for _ in range(_STRIPES)]  # of a scope one thread at a time

    def begin(self) -> None:
        """Read the index again, which another may have written, and delete the drafts that a crash left of these people.

        For who has become the owner of these files, before it reads or writes any.
        """
        self.index.read_again()
        drafts = self._open.drafts()
        last = self.index.last(list(drafts))
        for scope, path in drafts.items():
            if scope not in last or last[scope].slot in self._slots:
                delete_file(path)

    @property
    def pending_events(self) -> int:
        """The number of events that wait for their file."""
        with self._lock:
            return sum(map(len, self._pending.values()))

    @property
    def is_hiding(self) -> bool:
        """True while something is forgotten that a file may still hold, as the event waits."""
        with self._lock:
            return any(map(forgets, self._pending.values()))

    @property
    def pending_characters(self) -> int:
        """The length of what waits."""
        return self._characters

    @property
    def first_pending(self) -> int | None:
        """The position of the oldest event that is not in its file yet; None if there is none."""
        with self._lock:
            waiting = [events[0].position for events in self._pending.values()]
        return min(filter(None, (*waiting, self.left_out.first)), default=None)

    @contextmanager
    def changing(self) -> Iterator[None]:
        """Keep readers waiting while the index takes up events that are then added."""
        with self._lock:
            yield

    def add(self, scope: Scope, events: Sequence[Recorded]) -> None:
        """Let events wait until `write`, a flush, or until their file is read."""
        with self._lock:
            self._pending.setdefault(scope, []).extend(events)
            self._characters += self._characters_of(events)

    def _characters_of(self, events: Iterable[Recorded]) -> int:
        return 0 if self._is_rebuild else _characters(events)  # there nothing waits, however little it is

    def write(self, scopes: Iterable[Scope]) -> None:
        """Apply what waits for those of these files that are open, and is short."""
        for scope in scopes:
            if self._open.is_open(scope) and not self.is_much_pending(scope):
                self._flush(scope)

    def leave_out(self) -> None:
        """Keep what waits for closed files no longer, where it came with an import: it is read from the log when needed."""
        with self._lock:
            waiting = [scope for scope in self._pending if not self._open.is_open(scope)]
        for scope in waiting:
            with self._applying[hash(scope) % _STRIPES], self._lock:
                events = self._pending.get(scope)
                if events and self.left_out.may_be(scope, events):
                    self.left_out.add(scope, events)
                    self._take_away(scope, len(events))

    def is_much_pending(self, scope: Scope) -> bool:
        """True if so much waits for a file that it is better written piece by piece."""
        with self._lock:
            return _characters(self._pending.get(scope, ())) > _AT_ONCE

    def much_pending(self) -> Scope | None:
        """A scope of which so much waits; None if there is none."""
        with self._lock:
            return next((scope for scope in self._pending if self.is_much_pending(scope)), None)

    def flush(self, *, also_much: bool = True) -> None:
        """Apply the events that wait; `also_much`: those too of which so much waits that it is better done piece by piece."""
        with self._lock:
            waiting = [scope for scope in self._pending if also_much or not self.is_much_pending(scope)]
        for scope in waiting:
            self._flush(scope)

    def flush_some(self, scope: Scope) -> bool:
        """Apply about so many of the waiting events of a scope as go in one piece; return True if more are left."""
        with self._applying[hash(scope) % _STRIPES]:
            with self._lock:
                events = list(self._pending.get(scope, ()))
            if not events:
                return False
            some = events if self._is_rebuild else next(portions(events, _weight, most_weight=_AT_ONCE))
            taken = len(some)
            try:
                self._apply(scope, some)
            except DiskFull:  # they wait until there is room
                taken = 0
                raise
            finally:
                self._take_away(scope, taken)
            return len(some) < len(events)

    def _flush(self, scope: Scope) -> None:
        while self.flush_some(scope):
            pass

    def _take_away(self, scope: Scope, count: int) -> None:
        """Take away what is applied; the scope may have been rebuilt meanwhile."""
        with self._lock:
            events = self._pending.pop(scope, [])
            self._characters -= self._characters_of(events[:count])
            if left := events[count:]:
                self._pending[scope] = left  # behind others

    @contextmanager
    def reading(self, scope: Scope) -> Iterator[MemoryFile | None]:
        """The scope's file with all events applied that were added; None if the scope is unknown.

        Raises FileBehind; ProjectionDamaged where the index does not know a person who has a file. A damaged file is deleted,
        unless within `leaving_files`.
        """
        last = self._last_written(scope)
        if last is None:
            self._require_unknown(scope)
            yield None
            return
        try:
            with telling_full(_A_FILE), self._open.use(scope, even_damaged=leaves_files()) as file:
                if file.is_damaged:
                    raise FileDamaged(scope, 0)
                if scope in self._behind or file.number < last.number:
                    raise FileBehind(scope, file.position)
                yield file
        except SQLITE_ERRORS as error:
            if not is_damage(error):
                raise
            if not leaves_files():
                self._open.discard(scope)
            raise FileDamaged(scope, 0) from error

    def _require_unknown(self, scope: Scope) -> None:
        """Raises ProjectionDamaged where there is a file of whom the index knows nothing; Unavailable while it catches up."""
        if not self._open.exists(scope):
            return
        with self._open.use(scope, even_damaged=True) as file:
            is_ahead = file.position > self.index.position
        if is_ahead:
            raise Unavailable("the retriever has not read the log so far yet; ask again")
        raise self.index.damaged("it knows nothing of people who have files")

    def _last_written(self, scope: Scope) -> Last | None:
        """The last event of a scope that is not waiting; None if the scope is unknown."""
        while True:
            with self._lock:
                if scope not in self._pending:  # else one came since they were written: its file would look as if behind
                    return self.index.last([scope]).get(scope)
            self._flush(scope)

    def repair(self, scope: Scope, events: Sequence[Recorded]) -> None:
        """Apply the events of a scope after its file's last, as read from the log; gaps are allowed.

        Where they take a forgetting back, all of its events are needed: then the file is behind again, from the first.
        """
        events = self._after_forgetting(scope, events)
        with self._open.use(scope) as file:
            is_stale = bool(file.number) and takes_back(events)
            if not is_stale:
                file.apply(events, allow_gaps=True)
                self._behind.discard(scope)
                self.left_out.drop(scope)
        if is_stale:
            self._start_again(scope)

    def beside(self, scope: Scope) -> MemoryFile:
        """A new file in which the scope can be rebuilt while the old file still answers."""
        return self._open.beside(scope)

    def replace(self, scope: Scope, fresh: MemoryFile) -> None:
        """Replace the scope's file by the rebuilt one. Events that it lacks are read from the log when it is next read."""
        with self._applying[hash(scope) % _STRIPES], self._lock:
            self._characters -= self._characters_of(self._pending.pop(scope, ()))
            self.left_out.drop(scope)
            self._behind.discard(scope)  # if the index knows later events, its number says that it is behind
            self._open.replace(scope, fresh)

    def take_up_recipients(self, scope: Scope) -> None:
        """Have the index know to whom the scope's file ever gave something, after it was rebuilt without what was erased."""
        number = -1
        while number < self.index.number(scope):  # it may be behind a file that holds what had been put aside
            with self.reading(scope) as file:
                if file is None:
                    return
                number, found = file.number, file.recipients()
            with self._lock:  # nothing comes meanwhile
                if number >= self.index.number(scope) and found != self.index.recipients(scope):
                    self.index.set_recipients(scope, found)

    def each_file(self, digest: Callable[[MemoryFile], str]) -> str:
        """One digest over a digest of every file: a sum, so that those of several workers add up. Raises FileBehind."""
        return add_digests(self._digests(digest))

    def _digests(self, digest: Callable[[MemoryFile], str]) -> Iterator[str]:
        for scope in self.index.scopes():
            with self.reading(scope) as file:
                line = f"{scope} {digest(file) if file else ''}\n"
            yield hashlib.blake2b(line.encode(), digest_size=_DIGEST_BYTES).hexdigest()

    def digest(self, scope: Scope, digest: Callable[[MemoryFile], str]) -> tuple[int, str] | None:
        """The number of the last event of a person's file with a digest of it; None if nothing is known. Raises FileBehind."""
        with self._reading_once(scope) as file:
            return (file.number, digest(file)) if file else None

    @contextmanager
    def _reading_once(self, scope: Scope) -> Iterator[MemoryFile | None]:
        """As `reading`; a file that was not open is closed again, so that those which are asked for stay open."""
        was_open = self._open.is_open(scope)
        try:
            with self.reading(scope) as file:
                yield file
        finally:
            if not was_open:
                self._open.let_go(scope)

    def take_over(self, folder: Path) -> None:
        """Take over the files and index rows of another folder, which must be closed and have other scopes."""
        self.index.take_over(folder)
        self._open.take_over(folder / _MEMORIES)

    def close(self) -> None:
        """Apply all waiting events, and close all files; where the disk is full they are read from the log again."""
        with suppress(DiskFull):
            self.flush()
        self._open.close()
        self.index.close()

    def _after_forgetting(self, scope: Scope, events: Sequence[Recorded]) -> Sequence[Recorded]:
        """The events from the last one on that forgets the user, if there is one; then the file is deleted."""
        start = place_of_user_forgotten(events)
        if start is None:
            return events
        self._open.discard(scope)
        return events[start:]

    def _start_again(self, scope: Scope) -> None:
        """Delete the file: it is made anew from the log when it is read next."""
        self._open.discard(scope)
        self._behind.add(scope)

    def _apply(self, scope: Scope, events: Sequence[Recorded]) -> None:
        kept = self._after_forgetting(scope, events)
        if takes_back(kept) and not self._is_rebuild:
            self._start_again(scope)
            return
        try:
            with telling_full(_A_FILE), self._open.use(scope) as file:
                file.apply(kept, allow_gaps=self._is_rebuild or len(kept) < len(events) or is_beginning(kept))
        except EventsLost:
            self._behind.add(scope)
            if scope in self.left_out:
                self.left_out.add(scope, events)
        except SQLITE_ERRORS as error:
            if not is_damage(error):
                raise
            self._start_again(scope)


def add_digests(digests: Iterable[str]) -> str:
    """The digest of all files that these digests are of."""
    return f"{sum(int(digest, 16) for digest in digests) % 256**_DIGEST_BYTES:0{2 * _DIGEST_BYTES}x}"


def _weight(recorded: Recorded) -> int:
    """About how long it takes to write an event, in characters of a turn."""
    return _LEAST_WEIGHT + len(vars(recorded.event.data).get("text") or "")  # of a model without it, getattr is slow


def _characters(events: Iterable[Recorded]) -> int:
    return sum(map(_weight, events))
