"""Keeps the most recently used files open, and closes the others."""

import threading
from collections import OrderedDict
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from itertools import islice
from pathlib import Path

from services.retriever.store.memory_file import MemoryFile, delete_file
from shared.contracts.errors import Unavailable
from shared.contracts.ids import Scope
from shared.runtime.private_files import private_folder

FILES_EACH = 3
"""Of the system's: the database with its two files for writing ahead."""

_DRAFT = ".new"


class OpenFiles:
    """Open files by scope, least recently used first. `are_drafts`: they are thrown away if writing one fails."""

    def __init__(self, folder: Path, *, capacity: int, are_drafts: bool = False) -> None:
        self._folder = folder
        self._capacity = capacity
        self._are_drafts = are_drafts
        self._open: OrderedDict[Scope, MemoryFile] = OrderedDict()
        self._is_closed = False
        self._lock = threading.Lock()

    def path(self, scope: Scope) -> Path:
        """The path of a scope's file; files are spread over 256 folders."""
        return self._folder / scope[:2] / f"{scope}.db"

    def exists(self, scope: Scope) -> bool:
        """True if the scope has a file."""
        return self.path(scope).exists()

    def is_open(self, scope: Scope) -> bool:
        """True while the file is open: applying to it is cheap."""
        return scope in self._open

    @contextmanager
    def use(self, scope: Scope, *, even_damaged: bool = False) -> Iterator[MemoryFile]:
        """The scope's file, for this thread alone; an empty one where it is missing or known to be damaged.

        `even_damaged`: the file as it is, for who only looks. Raises Unavailable after `close`.
        """
        while True:
            file = self._take(scope)
            with file.lock:
                if file.is_closed:  # between taking and locking it
                    continue
                if even_damaged or not file.is_damaged:
                    yield file
                    return
            self.discard(scope, only=file)

    def discard(self, scope: Scope, only: MemoryFile | None = None) -> None:
        """Close and delete a scope's file, after waiting for its reader; with `only`, unless another has taken its place."""
        with self._lock:
            if only is None or self._open.get(scope) is only:
                self._delete(scope)

    def _delete(self, scope: Scope) -> None:
        """Close and delete a file. The caller holds the lock of all files, so nobody opens it again in between."""
        file = self._open.pop(scope, None)
        with file.lock if file is not None else nullcontext():
            if file is not None:
                file.close()
            delete_file(self.path(scope))

    def beside(self, scope: Scope) -> MemoryFile:
        """A new, empty file beside the scope's own, in place of any left there by an earlier try."""
        path = self.path(scope)
        path = path.with_name(f"{path.name}{_DRAFT}")
        delete_file(path)
        return MemoryFile(path)

    def drafts(self) -> dict[Scope, Path]:
        """The files beside, by the scope whose file each was to replace. What is left of one that is gone counts as well."""
        found = self._folder.glob(f"*/*.db{_DRAFT}*")
        return {Scope(path.name.partition(".")[0]): path.with_name(path.name.partition(_DRAFT)[0] + _DRAFT) for path in found}

    def replace(self, scope: Scope, fresh: MemoryFile) -> None:
        """Put the file beside in the place of the scope's own, whose bytes are deleted after waiting for its reader."""
        fresh.close()
        with self._lock:
            self._delete(scope)
            fresh.path.replace(self.path(scope))

    def take_over(self, folder: Path) -> None:
        """Move the files of another folder here. They must be closed, and of other scopes."""
        for file in folder.glob("*/*.db"):
            place = self.path(Scope(file.stem))
            private_folder(place.parent)
            file.rename(place)

    def let_go(self, scope: Scope) -> None:
        """Close a file that nobody uses just now: it was opened to look at once."""
        with self._lock:
            if scope in self._open:
                self._close_unused(scope)

    def close(self) -> None:
        """Close all files, after waiting for their readers; none is opened again."""
        with self._lock:
            self._is_closed = True
            files, self._open = list(self._open.values()), OrderedDict()
        for file in files:
            with file.lock:
                file.close()

    def _take(self, scope: Scope) -> MemoryFile:
        with self._lock:
            if self._is_closed:
                raise Unavailable("the retriever is stopping; ask again")
            file = self._open.get(scope)
            if file is None:
                file = self._open[scope] = MemoryFile(self.path(scope), is_draft=self._are_drafts)
            self._open.move_to_end(scope)
            self._close_surplus()
            return file

    def _close_surplus(self) -> None:
        if (surplus := len(self._open) - self._capacity) > 0:  # hardly ever; and every look at a file asks
            for scope in list(islice(self._open, surplus)):
                self._close_unused(scope)

    def _close_unused(self, scope: Scope) -> None:
        """Close an open file; one in use is closed another time. The caller holds the lock of all files."""
        file = self._open[scope]
        if file.lock.acquire(blocking=False):
            try:
                del self._open[scope]
                file.close()
            finally:
                file.lock.release()
