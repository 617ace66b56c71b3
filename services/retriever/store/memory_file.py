"""One person's file: applies events to its rows, and keeps how far it has come."""

import threading
from collections.abc import Iterator, Sequence
from functools import reduce
from pathlib import Path

from sqlalchemy import Connection, Engine, select

from services.retriever.store import schema
from services.retriever.store.changes import FileChanges
from services.retriever.store.schema import memories, metadata, texts
from services.retriever.store.search.columns import ChangedMemories
from services.retriever.store.search.index import INDEX
from services.retriever.store.search.searched_file import HeldInMemory, SearchedFile
from services.retriever.store.shared_tags import recipients
from services.retriever.store.unchanged import Unchanged
from services.retriever.store.write_events import write, write_metadata
from shared.contracts.envelope import Envelope
from shared.contracts.errors import EventsLost
from shared.contracts.privacy import MemoryForgotten
from shared.runtime.private_files import private_file
from shared.runtime.projector import Recorded
from shared.runtime.row_digests import digest_of
from shared.runtime.sqlite import SQLITE_ERRORS, delete_database, driver, open_database, rows

_PAGE_BYTES = 1024
"""An empty file has 23 KB instead of 80: most users say little."""

_CONTENT = (
    *("id", "kind", "content", "session_id", "source_ids", "source_role", "tags", "manually_saved"),
    *("pinned", "repeat_count", "supersedes", "superseded_by"),
)
"""What the content digest covers, with the texts of repeats: no clock times, positions or scores, nor their effects."""

_REACHED = {"number", "position"}
"""The keys of how far the file has come: of the last event that it holds."""

NOTHING_KNOWN = digest_of(())
"""The content digest of a person of whom nothing is remembered."""


class MemoryFile:
    """The memories of one person in one space. Use it under its lock. `is_draft`: it is thrown away if writing it fails.

    A file of another version of the tables counts as damaged: it is built anew before it is read next.
    """

    def __init__(self, path: Path, *, is_draft: bool = False) -> None:
        self.path = path
        self.lock = threading.Lock()
        self.is_closed = False
        self._held: HeldInMemory | None = None
        self.unchanged = Unchanged()
        self.number = self.position = 0
        self.is_damaged = False
        is_new = not path.exists()
        if is_new:
            delete_file(path)  # and what a crash left beside it: SQLite would read an old write-ahead log into it
            private_file(path)
            path.write_bytes(schema.empty_file(_PAGE_BYTES))
        self._engine: Engine = open_database(path, page_size=_PAGE_BYTES, sync=False, is_draft=is_draft, has_vectors=True)
        try:
            if not is_new:
                self._load()
        except SQLITE_ERRORS:
            self._engine.dispose()
            raise

    def _load(self) -> None:
        with self._engine.connect() as db:  # a transaction begins with what is written, if anything is
            is_todays = str(db.exec_driver_sql("PRAGMA user_version").scalar()) == schema.SCHEMA_VERSION
            if (lost := schema.missing(db)) and is_todays:
                schema.create(db)
            known = dict[str, str](rows(db, f"SELECT key, value FROM {metadata.name}"))
            is_lost = not known.keys() >= _REACHED and schema.has_rows(db)
            db.commit()
        number, position = (known.get(key, "0") for key in ("number", "position"))
        is_sound = number.isdecimal() and position.isdecimal() and not is_lost
        self.number, self.position = (int(number), int(position)) if is_sound else (0, 0)
        self.is_damaged = bool(lost and self.number) or not is_sound or not is_todays

    def close(self) -> None:
        """Close the file; its write-ahead log goes with it."""
        self.is_closed = True
        self._let_go()
        self._engine.dispose()

    def connect(self) -> Connection:
        """A connection for reading; close it."""
        return self._engine.connect()

    def searched(self, db: Connection) -> SearchedFile:
        """The file as questions are asked of it."""
        self._held = self._held or HeldInMemory(db)
        return SearchedFile.of(db, self._held, self.unchanged)

    def _let_go(self) -> None:
        if self._held is not None:
            self._held.close()
            self._held = None

    def _change_held(self, changes: Sequence[FileChanges]) -> None:
        """Update what is in memory of the file. If memories are gone, release it, so that the next question reads it again."""
        if (held := self._held) is None:
            return
        changed = reduce(ChangedMemories.joined, (change.searched for change in changes))
        if changed.has_lost:
            self._let_go()
            return
        self._held = None  # if reading fails, the next question reads all of it again
        with self._engine.connect() as db:
            held.change(db, changed)
        self._held = held

    def apply(self, events: Sequence[Recorded], *, allow_gaps: bool = False) -> None:
        """Apply the events that are new, in one transaction with the checkpoint.

        Raises EventsLost if a number is missing, unless gaps are allowed (then the log itself lacks it).
        """
        fresh = list(_new(events, self.number))
        if not fresh:
            return
        if not allow_gaps:
            self._require_gapless(fresh)
        self.unchanged.forget_after({type(recorded.event.data) for recorded in fresh})
        with self._engine.begin() as db:
            portions = _up_to_forgettings([recorded.event for recorded in fresh])
            changes = [write(db, portion) for portion in portions]
            last = fresh[-1]
            write_metadata(db, {"number": str(last.event.number), "position": str(last.position)})
        self.number, self.position = int(last.event.number), int(last.position)
        self._change_held(changes)

    def examine(self) -> None:
        """Find out whether the file is damaged; a damaged one is built again before it is read next."""
        try:
            with self._engine.connect() as db:
                self.is_damaged = not _is_sound(db)
        except SQLITE_ERRORS:
            self.is_damaged = True

    def is_sound(self) -> bool:
        """True if SQLite finds no damage, and the index holds every memory that may be found, and every vector."""
        with self._engine.connect() as db:
            return _is_sound(db)

    def digest(self) -> str:
        """The projection digest of this file: a hash of every row."""
        with self._engine.connect() as db:
            return digest_of(
                (table, *row) for table, statement in schema.EVERY_ROW.items() for row in driver(db).execute(statement)
            )

    def content_digest(self) -> str:
        """A hash of what is remembered, whatever disturbed the way there: in the order of each session."""
        columns = [memories.c[name] for name in _CONTENT]
        remembered = select(*columns).order_by(memories.c.session_id, memories.c.event_time, memories.c.id)
        told_again = select(memories.c.id, texts.c.content).join(memories, memories.c.number == texts.c.memory)
        told_again = told_again.order_by(memories.c.id, texts.c.content)
        with self._engine.connect() as db:
            return digest_of(row for query in (remembered, told_again) for row in db.execute(query))

    def recipients(self) -> frozenset[str]:
        """To whom anything of the file was ever given."""
        with self._engine.connect() as db:
            return recipients(db)

    def _require_gapless(self, events: Sequence[Recorded]) -> None:
        expected = self.number
        for recorded in events:
            expected += 1
            if recorded.event.number != expected:
                raise EventsLost(f"event {expected} of this scope is missing before position {recorded.position}")


def _is_sound(db: Connection) -> bool:
    return schema.is_sound(db) and INDEX.words.is_whole(db) and INDEX.vectors.is_whole(db)


def delete_file(path: Path) -> None:
    """Remove a person's file and the files that SQLite keeps beside it."""
    delete_database(path)


def _new(events: Sequence[Recorded], reached: int) -> Iterator[Recorded]:
    """The events after this number, each once: one that waited for its file may have come twice meanwhile."""
    for recorded in events:
        if recorded.event.number > reached:
            reached = recorded.event.number
            yield recorded


def _up_to_forgettings(events: Sequence[Envelope]) -> Iterator[Sequence[Envelope]]:
    """The events in portions that end with a forgetting: what follows must not be written as if the forgotten were there."""
    start = 0
    for end, event in enumerate(events, start=1):
        if isinstance(event.data, MemoryForgotten):
            yield events[start:end]
            start = end
    if start < len(events):
        yield events[start:]
