"""Named arrays in one file: mapped for reading, written in place, with a checksum for every block.

A file whose writer stopped halfway, that was cut, or in which a bit has changed, is refused when it is opened.
"""

from __future__ import annotations

import json
import mmap
import os
import zlib
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from services.retriever.store.arrays.columns import Extent, VectorModel, bytes_of, extents
from shared.domain.arrays import NDArray, np
from shared.runtime.private_files import private_file

FORMAT = 10
_HEADER_BYTES = 8192
_BLOCK_BYTES = 16_384
_CHECK = "<u8"
_CHECK_BYTES = 8
"""The sum of a block's numbers of 8 bytes: no changed bit leaves it, and it takes a third of the time of a CRC."""

_UNFINISHED = -1
_LEAST_ROOM = 64


class ArraysUnsound(Exception):
    """The file is damaged, of another format, or was not written to the end: derive it anew."""


class Header(NamedTuple):
    """What the file says of itself: of which event it knows last, how much it holds and has room for."""

    number: int
    counts: Mapping[str, int]
    capacity: Mapping[str, int]
    models: Sequence[VectorModel] = ()
    sorted_words: int = 0
    version: int = FORMAT

    def packed(self) -> bytes:
        """The header with its checksum, as it lies in the file."""
        told = json.dumps(self._asdict()).encode()
        return f"{zlib.crc32(told):08x}".encode() + told + b"\n"

    @staticmethod
    def unpacked(raw: bytes) -> Header:
        """Read a header. Raises ArraysUnsound."""
        check, told = raw[:8], raw[8:].partition(b"\n")[0]
        if check != f"{zlib.crc32(told):08x}".encode():
            raise ArraysUnsound
        read = json.loads(told)
        if read["version"] != FORMAT:
            raise ArraysUnsound
        return Header(**{**read, "models": tuple(VectorModel(*model) for model in read["models"])})


def is_of_todays_format(path: Path) -> bool:
    """Whether a file is there that says that it is of the format of today. Nothing of it is checked."""
    try:
        with path.open("rb") as file:
            return f'"version": {FORMAT}'.encode() in file.read(_HEADER_BYTES)
    except FileNotFoundError:
        return False


class Layout(NamedTuple):
    """Where each column lies, and where the last one ends."""

    extents: Mapping[str, Extent]
    end: int

    @classmethod
    def of(cls, header: Header) -> Layout:
        """The layout of a file with this header."""
        found = extents(header.capacity, header.models, start=_HEADER_BYTES)
        last = list(found.values())[-1]
        end = last.offset + last.capacity * bytes_of(last.column)
        return cls(found, -(-end // _CHECK_BYTES) * _CHECK_BYTES)

    @property
    def length(self) -> int:
        """The length of the file: its columns, and a checksum for each block of them."""
        return self.end + _blocks(self.end) * _CHECK_BYTES


class ArrayFile:
    """One open file. What is written counts once `commit` tells up to which event it is complete."""

    def __init__(self, path: Path, header: Header, layout: Layout, *, unchecked: Iterable[int] = ()) -> None:
        """Map a file that is there. `unchecked`: the blocks whose checksums are not right."""
        self.path = path
        self.header = header
        self._extents, self._end = layout
        self._file = os.open(path, os.O_RDWR)
        self._map = mmap.mmap(self._file, 0, prot=mmap.PROT_READ)
        self._blocks = set(unchecked)  # that were written since the last commit
        self._stamp = _stamp(path)

    @classmethod
    def make(cls, path: Path, header: Header) -> ArrayFile:
        """Make a file of zeros, in the place of one that is there."""
        path.unlink(missing_ok=True)
        private_file(path)
        layout = Layout.of(header)
        os.truncate(path, layout.length)
        return cls(path, header._replace(number=_UNFINISHED), layout, unchecked=range(_blocks(layout.end)))

    @classmethod
    def open(cls, path: Path, number: int) -> ArrayFile:
        """Open a file that holds all up to just this event. Raises ArraysUnsound, and FileNotFoundError where there is none."""
        with path.open("rb") as file:
            header = Header.unpacked(file.read(_HEADER_BYTES))
        layout = Layout.of(header)
        if header.number != number or path.stat().st_size != layout.length:
            raise ArraysUnsound
        opened = cls(path, header, layout)
        try:
            opened.require_whole()
        except ArraysUnsound:
            opened.close()
            raise
        return opened

    def close(self) -> None:
        """Close the file; arrays that were read from it stay valid."""
        os.close(self._file)

    @property
    def is_as_left(self) -> bool:
        """False if somebody else has written, cut or removed the file since the last commit."""
        with suppress(FileNotFoundError):
            return _stamp(self.path) == self._stamp
        return False

    def count(self, table: str) -> int:
        """The number of rows of a table."""
        return self.header.counts[table]

    def __getitem__(self, name: str) -> NDArray[np.generic]:
        """A column, for reading."""
        extent = self._extents[name]
        count, width = self.count(extent.column.table), extent.column.width
        found = np.frombuffer(self._map, extent.column.type, count * width, extent.offset)
        return found.reshape(count, width) if width > 1 else found

    def has_room(self, table: str, more: int) -> bool:
        """True if so many more rows fit."""
        return self.count(table) + more <= self.header.capacity[table]

    def begin(self) -> None:
        """Tell the file that it is being written: should the writer stop now, nobody believes it."""
        if self.header.number != _UNFINISHED:
            self._write_header(self.header._replace(number=_UNFINISHED))

    def append(self, table: str, columns: Mapping[str, NDArray[np.generic]]) -> None:
        """Add rows to a table, all columns of which are given but those that are to be zero."""
        start = self.count(table)
        more = {len(values) for values in columns.values()}.pop()
        self.header = self.header._replace(counts={**self.header.counts, table: start + more})
        for name, values in columns.items():
            self._write(self._extents[name], start, values)

    def fill(self, name: str, values: NDArray[np.generic]) -> None:
        """Write a column from its first row on."""
        self._write(self._extents[name], 0, values)

    def put(self, name: str, rows: NDArray[np.integer], values: NDArray[np.generic]) -> None:
        """Write the values of some rows, whose places are given in ascending order."""
        for run in np.split(np.arange(len(rows)), np.flatnonzero(np.diff(rows) != 1) + 1):
            if len(run):
                self._write(self._extents[name], int(rows[run[0]]), values[run[0] : run[-1] + 1])

    def refill(self, table: str, columns: Mapping[str, NDArray[np.generic]], *, sorted_words: int | None = None) -> None:
        """Write a table anew."""
        counts = {**self.header.counts, table: 0}
        kept = self.header.sorted_words if sorted_words is None else sorted_words
        self.header = self.header._replace(counts=counts, sorted_words=kept)
        self.append(table, columns)

    def commit(self, number: int) -> None:
        """Tell that the file holds all up to this event."""
        checks = _blocks(self._end) * _CHECK_BYTES
        for block in sorted(self._blocks):
            os.pwrite(self._file, self._check(block), len(self._map) - checks + block * _CHECK_BYTES)
        self._blocks.clear()
        self._write_header(self.header._replace(number=number))
        self._stamp = _stamp(self.path)

    def with_room(self, more: Mapping[str, int], models: Iterable[VectorModel] = ()) -> ArrayFile:
        """A file in the place of this one with room for so many more rows, some to spare, and for vectors of other models."""
        old = self.header
        counts = {table: count + more.get(table, 0) for table, count in old.counts.items()}
        capacity = {table: count + count // 4 + _LEAST_ROOM for table, count in counts.items()}
        made = ArrayFile.make(longer(self.path), old._replace(capacity=capacity, models=tuple(sorted({*old.models, *models}))))
        for name in self._extents:
            made.fill(name, self[name])
        return made.instead_of(self)

    def instead_of(self, old: ArrayFile) -> ArrayFile:
        """This file in the place of the old one, which is closed."""
        self.path = self.path.replace(old.path)
        old.close()
        return self

    def _write(self, extent: Extent, row: int, values: NDArray[np.generic]) -> None:
        raw = np.ascontiguousarray(values, extent.column.type).data.cast("B") if len(values) else b""
        offset = extent.offset + row * bytes_of(extent.column)
        _write_all(self._file, raw, offset)
        self._blocks.update(range(offset // _BLOCK_BYTES, (offset + len(raw) - 1) // _BLOCK_BYTES + 1))

    def _write_header(self, header: Header) -> None:
        _write_all(self._file, header.packed(), 0)
        self.header = header

    def _check(self, block: int) -> bytes:
        """The checksum of a block, without the header, which has one of its own."""
        start, end = max(block * _BLOCK_BYTES, _HEADER_BYTES), min((block + 1) * _BLOCK_BYTES, self._end)
        numbers = np.frombuffer(self._map, _CHECK, (end - start) // _CHECK_BYTES, start)
        return bytes(np.sum(numbers, dtype=_CHECK).tobytes())

    def require_whole(self) -> None:
        """Raises ArraysUnsound if a block is not as its checksum says."""
        if self._end == _HEADER_BYTES:  # nothing is in it
            return
        blocks = _blocks(self._end)
        checks = np.frombuffer(self._map, _CHECK, blocks, len(self._map) - blocks * _CHECK_BYTES)
        numbers = np.frombuffer(self._map, _CHECK, self._end // _CHECK_BYTES)
        begins = np.maximum(np.arange(blocks) * _BLOCK_BYTES, _HEADER_BYTES) // _CHECK_BYTES
        if not np.array_equal(np.add.reduceat(numbers, begins, dtype=_CHECK), checks):
            raise ArraysUnsound


def longer(path: Path) -> Path:
    """Where a longer file is written that is to take the place of this one."""
    return path.with_name(f"{path.name}.new")


def _blocks(end: int) -> int:
    return -(-end // _BLOCK_BYTES)


def _write_all(file: int, raw: bytes | memoryview, offset: int) -> None:
    left = memoryview(raw)
    while left:
        written = os.pwrite(file, left, offset)
        left, offset = left[written:], offset + written


def _stamp(path: Path) -> tuple[int, int, int]:
    found = path.stat()
    return found.st_ino, found.st_size, found.st_mtime_ns
