"""Splits the log into parts for a rebuild: one file with all events of some persons each.

The files are in the folder of the projection that is being built, and each is deleted when it is built from. What a crash
leaves is removed by the next rebuild, and by the service when it starts.
"""

import struct
import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import BinaryIO, NamedTuple

from shared.contracts.ids import Position, Scope, Slot
from shared.contracts.privacy import ForgettingTakenBack
from shared.domain.taking_back import taken_back
from shared.runtime.eventlog.append import SENT_HEADER
from shared.runtime.eventlog.read import Record
from shared.runtime.private_files import private_folder
from shared.runtime.projector import decoded

_HEAD = struct.Struct("<qhHHI")  # position, slot, and the lengths of scope, header and event
_NO_SLOT = -1
_READ_BYTES = 262_144
_MOST_WAITING_BYTES = 67_108_864
_TAKING_BACK = f'"{ForgettingTakenBack.event_type}"'.encode()


class LogPart(NamedTuple):
    """The events of some scopes, each scope's in the order of the log."""

    folder: Path
    """Folder to build the part in; it does not exist yet."""
    file: Path
    events: int
    taken_back: frozenset[str] = frozenset()
    """The forgettings that its events take back."""

    def portions(self, most: int) -> Iterator[list[Record]]:
        """The events of the part, at most `most` at a time."""
        with self.file.open("rb", buffering=_READ_BYTES) as file:
            while portion := [record for _ in range(most) if (record := _read(file)) is not None]:
                yield portion


class LogPartWriter:
    """Writes events into `parts` files under `folder`, all events of a scope into the same."""

    def __init__(self, folder: Path, parts: int) -> None:
        private_folder(folder)
        self._folder = folder
        self._waiting: list[list[bytes]] = [[] for _ in range(parts)]
        self._bytes = [0] * parts
        self._most_bytes = _MOST_WAITING_BYTES // parts
        self._events = [0] * parts
        self._taken_back = [frozenset[str]()] * parts

    def add(self, records: Sequence[Record]) -> None:
        """Write each event into the part of its scope. Raises Poison."""
        for record in records:
            part = zlib.crc32(record.scope.encode()) % len(self._waiting)
            scope, sent = record.scope.encode(), record.headers.get(SENT_HEADER, "").encode()
            slot = _NO_SLOT if record.slot is None else record.slot
            frame = b"".join(
                (_HEAD.pack(record.position, slot, len(scope), len(sent), len(record.data)), scope, sent, record.data)
            )
            self._waiting[part].append(frame)
            self._events[part] += 1
            self._bytes[part] += len(frame)
            if _TAKING_BACK in record.data:
                self._taken_back[part] |= taken_back([decoded(record).event])
            if self._bytes[part] >= self._most_bytes:
                self._write(part)

    def parts(self) -> list[LogPart]:
        """Close the files and return the parts that have events. Call it once, at the end."""
        used = [part for part, events in enumerate(self._events) if events]
        for part in used:
            self._write(part)
        return [
            LogPart(self._folder / str(part), self._file(part), self._events[part], self._taken_back[part]) for part in used
        ]

    def _file(self, part: int) -> Path:
        return self._folder / f"{part}.events"

    def _write(self, part: int) -> None:
        with self._file(part).open("ab") as file:
            file.write(b"".join(self._waiting[part]))
        self._waiting[part] = []
        self._bytes[part] = 0


def _read(file: BinaryIO) -> Record | None:
    head = file.read(_HEAD.size)
    if not head:
        return None
    position, slot, of_scope, of_sent, of_data = _HEAD.unpack(head)
    body, of_both = file.read(of_scope + of_sent + of_data), of_scope + of_sent
    scope, sent = Scope(body[:of_scope].decode()), body[of_scope:of_both].decode()
    headers = {SENT_HEADER: sent} if sent else {}
    return Record(Position(position), scope, body[of_both:], headers, None if slot == _NO_SLOT else Slot(slot))
