"""All files of the retriever, with their index: what is applied where, and which file must be read from the log again."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from services.retriever.store.index import ScopeIndex
from services.retriever.store.memory_file import MemoryFile
from services.retriever.store.open_files import OpenFiles
from shared.contracts.errors import EventsLost
from shared.contracts.ids import Scope
from shared.contracts.privacy import UserForgotten
from shared.runtime.projector import Recorded
from shared.runtime.sqlite import DatabaseError, is_damage

_MEMORIES = "memories"


class FileBehind(Exception):
    """A user's file lacks events that were applied, or is damaged: read the scope from the log again."""

    def __init__(self, scope: Scope, after: int) -> None:
        super().__init__(scope)
        self.scope = scope
        self.after = after


class MemoryFolder:
    """The files under one folder. Safe for several threads."""

    def __init__(self, folder: Path, *, open_files: int, allow_gaps: bool = False) -> None:
        self.index = ScopeIndex(folder)
        self._open = OpenFiles(folder / _MEMORIES, capacity=open_files)
        self._pending: dict[Scope, list[Recorded]] = {}
        self._behind: set[Scope] = set()
        self._allow_gaps = allow_gaps  # in a rebuild: what no event explains is told by the index in the end
        self._lock = threading.RLock()

    @property
    def pending_events(self) -> int:
        """Events that wait for their file to be opened."""
        return sum(map(len, self._pending.values()))

    @property
    def first_pending(self) -> int | None:
        """The position of the oldest of them."""
        with self._lock:
            return min((events[0].position for events in self._pending.values()), default=None)

    @contextmanager
    def changing(self) -> Iterator[None]:
        """While the index and then the files take in the same events: whoever begins to read waits until both agree."""
        with self._lock:
            yield

    def add(self, scope: Scope, events: Sequence[Recorded]) -> None:
        """Apply to a file that is open; put aside for one that is closed, to be applied in a group or when asked."""
        with self._lock:
            if self._open.is_open(scope) and scope not in self._pending:
                self._apply(scope, events)
            else:
                self._pending.setdefault(scope, []).extend(events)

    def flush(self, scope: Scope | None = None) -> None:
        """Apply what was put aside, of one scope or of all."""
        with self._lock:
            for waiting in [scope] if scope else list(self._pending):
                if events := self._pending.pop(waiting, None):
                    self._apply(waiting, events)

    @contextmanager
    def reading(self, scope: Scope) -> Iterator[MemoryFile | None]:
        """The scope's file, with everything applied that was added; None where nothing is known of the scope.

        Raises FileBehind.
        """
        with self._lock:  # between an event's entry in the index and its row in the file a file looks as if it were behind
            self.flush(scope)
            last = self.index.last([scope]).get(scope)
        if last is None:
            yield None
            return
        try:
            with self._open.use(scope) as file:
                if scope in self._behind or file.number < last.number:
                    raise FileBehind(scope, file.position)
                yield file
        except DatabaseError as error:
            if not is_damage(error):
                raise
            self._open.discard(scope)
            raise FileBehind(scope, 0) from error

    def repair(self, scope: Scope, events: Sequence[Recorded]) -> None:
        """Apply what the log holds of a scope after its file; numbers that are missing are missing in the log."""
        events = self._after_forgetting(scope, events)
        with self._open.use(scope) as file:
            file.apply(events, allow_gaps=True)
        self._behind.discard(scope)

    def beside(self, scope: Scope) -> MemoryFile:
        """An empty file in which the scope can be built anew, while its own still answers."""
        return self._open.beside(scope)

    def replace(self, scope: Scope, fresh: MemoryFile, asked: int) -> None:
        """Put the new file in the place of the scope's own. What it lacks still is read from the log when it is asked for.

        `asked`: how often a rebuild of the scope had been asked for before the log was read.
        """
        with self._lock:
            self._pending.pop(scope, None)
            self._behind.discard(scope)  # if the index knows later events, its number says that it is behind
            self._open.replace(scope, fresh)
        self.index.scope_rebuilt(scope, asked)

    def each_file(self, digest: Callable[[MemoryFile], str]) -> str:
        """One digest over a digest of every file. Raises FileBehind."""
        return digest_of_files(self.digests(digest))

    def digests(self, digest: Callable[[MemoryFile], str]) -> dict[Scope, str]:
        """A digest of every file. Raises FileBehind."""
        found = {}
        for scope in self.index.scopes():
            with self.reading(scope) as file:
                found[scope] = digest(file) if file else ""
        return found

    def take_over(self, folder: Path) -> None:
        """Move the files of another folder here, which has other scopes and is closed, with what its index knows of them."""
        self.index.take_over(folder)
        self._open.take_over(folder / _MEMORIES)

    def close(self) -> None:
        """Apply what waits, and close all files."""
        self.flush()
        self._open.close()
        self.index.close()

    def _after_forgetting(self, scope: Scope, events: Sequence[Recorded]) -> Sequence[Recorded]:
        """The events from the last one on that forgets the user; then the file itself goes, and with it every byte of it."""
        start = place_of_user_forgotten(events)
        if start is None:
            return events
        self._open.discard(scope)
        return events[start:]

    def _apply(self, scope: Scope, events: Sequence[Recorded]) -> None:
        kept = self._after_forgetting(scope, events)
        try:
            with self._open.use(scope) as file:
                file.apply(kept, allow_gaps=self._allow_gaps or len(kept) < len(events) or _is_beginning(kept))
        except EventsLost:
            self._behind.add(scope)
        except DatabaseError as error:
            if not is_damage(error):
                raise
            self._open.discard(scope)
            self._behind.add(scope)


def digest_of_files(digests: Mapping[Scope, str]) -> str:
    """One digest over those of the files."""
    hashed = hashlib.blake2b(digest_size=16)
    for scope, digest in sorted(digests.items()):
        hashed.update(f"{scope} {digest}\n".encode())
    return hashed.hexdigest()


def place_of_user_forgotten(events: Sequence[Recorded]) -> int | None:
    """Where the last event stands that forgets the user: nothing before it counts."""
    places = (index for index in reversed(range(len(events))) if isinstance(events[index].event.data, UserForgotten))
    return next(places, None)


def _is_beginning(events: Sequence[Recorded]) -> bool:
    """Whether nothing before these events is left of the scope."""
    return bool(events) and isinstance(events[0].event.data, UserForgotten)
