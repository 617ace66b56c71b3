"""A file that is read again when it has changed, so that what is revoked in it counts at the next request."""

from collections.abc import Callable
from pathlib import Path
from typing import Generic, TypeVar

from shared.contracts.errors import Misconfigured

_Content = TypeVar("_Content")


class WatchedFile(Generic[_Content]):
    """What a file says now. A file that is not there is empty."""

    def __init__(self, path: Path, read: Callable[[bytes], _Content]) -> None:
        self._path = path
        self._read = read
        self._seen: tuple[object, _Content] | None = None

    def now(self) -> _Content:
        """What the file says. Raises Misconfigured where it cannot be read."""
        mark = self._mark()
        if self._seen is None or self._seen[0] != mark:
            self._seen = (mark, self._read(self._bytes()))
        return self._seen[1]

    def _mark(self) -> object:
        try:
            found = self._path.stat()
        except FileNotFoundError:
            return None
        return found.st_ino, found.st_mtime_ns, found.st_size

    def _bytes(self) -> bytes:
        try:
            return self._path.read_bytes()
        except FileNotFoundError:
            return b""
        except OSError as error:
            raise Misconfigured(f"{self._path} cannot be read: {error.strerror}") from error
