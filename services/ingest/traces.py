"""Looks through the bytes of the files that memstream writes, for what was erased."""

import os
from collections.abc import Collection, Iterable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from services.ingest.domain.marks import is_telling
from shared.contracts.ids import Scope, Space, User
from shared.contracts.subjects import SentSubject, may_mean, scope_of_subject
from shared.runtime.byte_search import SHORTEST, ByteSearch
from shared.runtime.datadir import DataDir
from shared.runtime.embedded.blocks import BlockRecord, record_at, records, stream_of
from shared.runtime.embedded.server_log import mask_subjects
from shared.runtime.logs import log
from shared.runtime.side_folder import path_of_side, remove_dead_side
from shared.runtime.topology import ALONE, MEMORY, Replicas

_INDEX_FILE = "index.db"
"""nats-server (2.15) writes it anew every two minutes, and by no request."""

OWN_FILE = "the person's own file, which is built anew after this"
INDEX = "nats-server's index of each stream, which it writes anew within two minutes"
OTHER_SERVER = "the files of a NATS server elsewhere"
RAFT_LOGS = "what a cluster's servers keep of each stream to agree, which they drop by themselves within minutes"
_RAFT_FOLDER = "_js_"
OTHER_PEOPLE = "other people's own files"
SHORT = f"names shorter than {SHORTEST} bytes, and plain words: they stand elsewhere by chance"


class Erasure(NamedTuple):
    """What was erased, of whom, and what to look for."""

    scope: Scope
    owner: tuple[Space, User] | None  # None: nobody remembers
    whole: bool  # everything of the person
    marks: Collection[bytes]
    left: Collection[int]  # positions of the person's events that stay in the log
    through: Mapping[str, int]  # by stream, the last sequence that was looked at: what comes later is new
    since_s: float  # seconds since 1970: of the log, what was not written since then was not touched
    replicas: Replicas = ALONE


class FileScan(NamedTuple):
    """What was looked through, and where something was found."""

    files: int
    sought: int
    places: tuple[str, ...]  # paths in the data folder
    unread: tuple[str, ...]  # what was not looked at, and paths of what could not be read


class Traces:
    """The files of a data folder."""

    def __init__(self, data: DataDir) -> None:
        self._data = data
        self._settings = {data.keys, data.credentials, data.ranking}

    def look(self, erasure: Erasure) -> FileScan:
        """Look for the marks in every file but those that hold only what other people said.

        Where a whole person was erased, it first takes all names out of the log of the server, if that lies here.
        """
        remove_dead_side(self._data)
        if erasure.whole:
            try:
                mask_subjects(self._data.nats_log)
            except OSError as error:
                log.warning("server_log.unmasked", reason=type(error).__name__)
        marks = [each for each in erasure.marks if len(each) >= SHORTEST]
        everywhere, telling = ByteSearch(marks), ByteSearch([each for each in marks if is_telling(each)])
        side = path_of_side(self._data)
        held = {
            path: _holds(path, erasure, everywhere, telling, is_beside=path.is_relative_to(side))
            for path in self._files(erasure)
        }
        closed = self._names(path for path, holds in held.items() if holds is None)
        unread = (OTHER_PEOPLE, INDEX, *self._unread(erasure), *([SHORT] if len(marks) < len(erasure.marks) else []), *closed)
        places = self._names(path for path, holds in held.items() if holds)
        return FileScan(len(held) - len(closed), len(marks), places, unread)

    def _names(self, paths: Iterable[Path]) -> tuple[str, ...]:
        return tuple(sorted(str(path.relative_to(self._data.root)) for path in paths))

    def _files(self, erasure: Erasure) -> Iterator[Path]:
        people = self._data.projection("retriever") / "memories"
        skipped = {self._data.backups, people, self._data.scratch("retriever")}
        for name, folders, files in os.walk(self._data.root):  # not where there may be a hundred thousand files
            folder = Path(name)
            has_index = folder.is_relative_to(self._data.nats_store)
            folders[:] = [each for each in folders if folder / each not in skipped and not (has_index and each == _RAFT_FOLDER)]
            for path in (folder / each for each in files if not (has_index and each == _INDEX_FILE)):
                if path not in self._settings and not self._data.is_of_a_server(path):
                    yield path
        if erasure.whole:
            yield from people.glob(f"{erasure.scope[:2]}/{erasure.scope}.db*")

    def _unread(self, erasure: Erasure) -> Iterator[str]:
        if not erasure.whole:
            yield OWN_FILE
        if not self._data.nats_store.is_dir():
            yield OTHER_SERVER
        elif elsewhere := [name for name in erasure.replicas.names if not self._data.of_server(name).store.is_dir()]:
            yield f"{OTHER_SERVER}: {', '.join(elsewhere)}"
        if erasure.replicas.names:
            yield RAFT_LOGS
        if erasure.replicas.away:
            yield f"the files of a NATS server that was away meanwhile: {', '.join(erasure.replicas.away)}"


def _holds(path: Path, erasure: Erasure, everywhere: ByteSearch, telling: ByteSearch, *, is_beside: bool) -> bool | None:
    """True if a file holds one of the marks; among the messages of a stream, in one of the person's or in nobody's.

    None for a file that is there, but cannot be read. `is_beside`: of a what-if, whose streams have other scopes.
    """
    stream = None if is_beside else stream_of(path)
    try:
        if stream is None:
            return telling.is_in(path)
        if stream == MEMORY and path.stat().st_mtime < erasure.since_s:
            return False
        raw = path.read_bytes()
    except FileNotFoundError:  # it went meanwhile, as the server's files do
        return False
    except OSError as error:
        log.warning("traces.unread", file=path.name, reason=type(error).__name__)
        return None
    known: list[BlockRecord] = []
    for place in everywhere.places(raw):
        known = known or list(records(raw))
        record = record_at(place, known)
        if record is None or not record.is_message or _is_meant(record, stream, erasure):
            return True
    return False


def _is_meant(record: BlockRecord, stream: str, erasure: Erasure) -> bool:
    """True if a message of a stream should have been erased, going by its subject."""
    if record.sequence > erasure.through.get(stream, 0):
        return False
    if stream == MEMORY:
        return scope_of_subject(record.subject) == erasure.scope and record.sequence not in erasure.left
    return erasure.owner is not None and may_mean(SentSubject.parse(record.subject), *erasure.owner)
