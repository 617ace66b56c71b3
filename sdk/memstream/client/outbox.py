"""A file that keeps what a bot sends while the server is away. It holds text, so it goes as soon as all of it is sent."""

import json
import logging
import os
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path

from memstream._contracts import Misconfigured, Unavailable

MAX_OUTBOX_BYTES = 67_108_864
_BEGINNING = b'{"subject": "'
"""Of a letter; within one it does not occur, where quotes are escaped."""
_log = logging.getLogger("memstream")


@dataclass(frozen=True, slots=True)
class Letter:
    """A message that is to be sent. Its payload names it, so that sending it twice does no harm."""

    subject: str
    payload: str
    headers: dict[str, str]
    message_id: str


class OutboxFile:
    """Letters in their order, one a line. Appended to the disk before `add` returns, read back after a kill.

    Only its owner can read it, and only one process can have it open. An empty one has no file. A line that cannot be read is
    put aside, in a file beside it, and those after it are sent.
    """

    def __init__(self, path: Path, max_bytes: int = MAX_OUTBOX_BYTES) -> None:
        self._path = path
        self._max_bytes = max_bytes
        self._file: int | None = None
        self._lock: int | None = None
        self._lines = deque[bytes]()  # that wait
        self._end = 0  # of the last line that is whole

    def __len__(self) -> int:
        return len(self._lines)

    def open(self) -> None:
        """Read what an earlier process left. Raises Misconfigured if another one has it open, or it cannot be read."""
        if self._lock is not None:
            return
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            import fcntl  # noqa: PLC0415 - Windows has none, and needs the client

            self._lock = os.open(f"{self._path}.lock", os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600)
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            self._read()
        except ModuleNotFoundError as error:
            raise Misconfigured(
                "an outbox needs locks of files, which this system lacks; use the client without one"
            ) from error
        except BlockingIOError as error:
            self.close()
            raise Misconfigured(f"another process uses the outbox {self._path}; give each process one of its own") from error
        except OSError as error:
            self.close()
            raise Misconfigured(f"the outbox {self._path} cannot be used: {error.strerror}") from error

    def _read(self) -> None:
        """Read the letters, and put aside what is none. What has no end of a line was never said to be kept."""
        found = self._path.read_bytes() if self._path.exists() else b""
        *lines, tail = found.split(b"\n")
        starts = [max(0, line.rfind(_BEGINNING)) for line in lines]  # a torn letter may stand before a whole one
        whole = [line[start:] for line, start in zip(lines, starts, strict=True)]
        self._lines = deque(line for line in whole if _is_letter(line))
        torn = [line[:start] if _is_letter(line[start:]) else line for line, start in zip(lines, starts, strict=True)]
        self._end = len(found) - len(tail)
        if torn := [*filter(None, (*torn, tail))]:
            aside = f"{self._path}.torn"
            _log.warning("outbox.torn: %s lines cannot be read, and go to %s", len(torn), aside)
            try:
                file = os.open(aside, os.O_CREAT | os.O_WRONLY | os.O_APPEND | os.O_CLOEXEC, 0o600)
                try:
                    _write_all(file, b"".join(each + b"\n" for each in torn))
                finally:
                    os.close(file)
            except OSError:
                if torn != [tail]:
                    raise
            os.truncate(self._path, self._end)

    def close(self) -> None:
        """Let another process have it. What waits stays in the file."""
        for descriptor in (self._file, self._lock):
            if descriptor is not None:
                os.close(descriptor)
        self._file = self._lock = None

    def add(self, letter: Letter) -> None:
        """Append a letter; it is on disk when this returns. Raises Unavailable if there is no room for it."""
        line = json.dumps(asdict(letter), ensure_ascii=False).encode() + b"\n"
        if self._end + len(line) > self._max_bytes:
            raise Unavailable(f"the server is away and the outbox {self._path} is full: {len(self)} messages wait in it")
        with self._kept():
            if self._file is None:
                self._file = os.open(self._path, os.O_CREAT | os.O_WRONLY | os.O_CLOEXEC, 0o600)
            try:
                os.lseek(self._file, self._end, os.SEEK_SET)
                _write_all(self._file, line)
            except OSError:
                os.ftruncate(self._file, self._end)  # of a part nobody shall think that it is kept
                raise
        self._end += len(line)
        self._lines.append(line[:-1])

    @contextmanager
    def _kept(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise Unavailable(f"the outbox {self._path} cannot be written: {error.strerror}") from error

    def first(self) -> Letter:
        """The letter that has waited longest."""
        return Letter(**json.loads(self._lines[0]))

    def remove_first(self) -> None:
        """Forget the first letter; with the last one the file goes. Those before it may be sent again after a kill."""
        if len(self) == 1:
            with self._kept():
                os.truncate(self._path, 0)
                self._path.unlink()
            self._end = 0
            if self._file is not None:
                os.close(self._file)
                self._file = None
        self._lines.popleft()


def _is_letter(line: bytes) -> bool:
    try:
        Letter(**json.loads(line))
    except (ValueError, TypeError, RecursionError):
        return False
    return True


def _write_all(file: int, data: bytes) -> None:
    """Write all of it to the disk: a disk that is nearly full takes a part, and says so by a number alone."""
    left = memoryview(data)
    while left:
        left = left[os.write(file, left) :]
    os.fsync(file)
