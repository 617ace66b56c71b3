"""A file that keeps what a bot sends while the server is away. It holds text, so it goes as soon as all of it is sent."""

import json
import os
from collections import deque
from dataclasses import asdict, dataclass
from pathlib import Path

from memstream._contracts import Misconfigured, Unavailable

MAX_OUTBOX_BYTES = 67_108_864


@dataclass(frozen=True, slots=True)
class Letter:
    """A message that is to be sent. Its payload names it, so that sending it twice does no harm."""

    subject: str
    payload: str
    headers: dict[str, str]
    message_id: str


class OutboxFile:
    """Letters in their order, one a line. Appended to the disk before `add` returns, read back after a kill.

    Only its owner can read it, and only one process can have it open. An empty one has no file.
    """

    def __init__(self, path: Path, max_bytes: int = MAX_OUTBOX_BYTES) -> None:
        self._path = path
        self._max_bytes = max_bytes
        self._file: int | None = None
        self._lock: int | None = None
        self._lines = deque[bytes]()  # that wait

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
            whole, _, torn = self._path.read_bytes().rpartition(b"\n") if self._path.exists() else (b"", b"", b"")
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
        self._lines = deque(whole.split(b"\n") if whole else ())
        if torn:  # it was never said to be kept
            os.truncate(self._path, self._path.stat().st_size - len(torn))

    def close(self) -> None:
        """Let another process have it. What waits stays in the file."""
        for descriptor in (self._file, self._lock):
            if descriptor is not None:
                os.close(descriptor)
        self._file = self._lock = None

    def add(self, letter: Letter) -> None:
        """Append a letter; it is on disk when this returns. Raises Unavailable if there is no room for it."""
        line = json.dumps(asdict(letter), ensure_ascii=False).encode()
        if self._file is None:
            self._file = os.open(self._path, os.O_CREAT | os.O_APPEND | os.O_WRONLY | os.O_CLOEXEC, 0o600)
        if os.fstat(self._file).st_size + len(line) >= self._max_bytes:
            raise Unavailable(f"the server is away and the outbox {self._path} is full: {len(self)} messages wait in it")
        os.write(self._file, line + b"\n")
        os.fsync(self._file)
        self._lines.append(line)

    def first(self) -> Letter:
        """The letter that has waited longest. Raises Misconfigured if it cannot be read."""
        try:
            return Letter(**json.loads(self._lines[0]))
        except (ValueError, TypeError) as error:
            raise Misconfigured(f"the outbox {self._path} is damaged; move it away") from error

    def remove_first(self) -> None:
        """Forget the first letter; with the last one the file goes. Those before it may be sent again after a kill."""
        self._lines.popleft()
        if self._lines:
            return
        os.truncate(self._path, 0)
        self._path.unlink()
        if self._file is not None:
            os.close(self._file)
            self._file = None
