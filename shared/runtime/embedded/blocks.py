"""Reads the files in which nats-server keeps the messages of a stream, to tell whose a place in them is.

Source: nats-server 2.15 `server/filestore.go`, writeMsgRecord: length, sequence, time and length of the subject; the subject,
headers and body. An erased message keeps its sequence, with the highest bit set, and has no subject.
"""

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from pathlib import Path
from struct import Struct
from typing import NamedTuple

_HEAD = Struct("<IQQH")
_LENGTH = 0x7FFFFFFF  # the highest bit says that there are headers
_MARKED = 0x3 << 62  # erased, or a note that another message is


class BlockRecord(NamedTuple):
    """A message in a file, with the bytes that it takes."""

    start: int
    end: int
    sequence: int
    subject: str

    @property
    def is_message(self) -> bool:
        """False for an erased message, and for a note about one."""
        return not self.sequence & _MARKED and bool(self.subject)


def records(raw: bytes) -> Iterator[BlockRecord]:
    """The messages of a file, in order, up to the first that is none."""
    start = 0
    while start + _HEAD.size <= len(raw):
        length, sequence, _, subject_length = _HEAD.unpack_from(raw, start)
        end, body = start + (length & _LENGTH), start + _HEAD.size
        if end > len(raw) or body + subject_length > end:  # also where the length says less than the head takes
            return
        yield BlockRecord(start, end, sequence, raw[body : body + subject_length].decode("utf-8", "replace"))
        start = end


def record_at(place: int, known: Sequence[BlockRecord]) -> BlockRecord | None:
    """The message that takes the byte at a place; None if none does."""
    index = bisect_right(known, place, key=lambda record: record.start) - 1
    return known[index] if index >= 0 and place < known[index].end else None


def stream_of(path: Path) -> str | None:
    """The stream whose messages a file holds; None for any other file."""
    return path.parent.parent.name if path.suffix == ".blk" and path.parent.name == "msgs" else None
