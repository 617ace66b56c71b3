"""A table of one's own, made of the events of a space: what is known of people, and which conversations are over."""

import sqlite3
from collections.abc import Iterable
from pathlib import Path

from memstream import FollowedEvent

_TABLES = """
PRAGMA journal_mode = WAL;
PRAGMA synchronous = NORMAL;
PRAGMA secure_delete = ON;
CREATE TABLE IF NOT EXISTS fact (memory_id TEXT PRIMARY KEY, scope TEXT, user TEXT, text TEXT, holds INTEGER);
CREATE TABLE IF NOT EXISTS conversation (
    scope TEXT, session_id TEXT, user TEXT, turns INTEGER, PRIMARY KEY (scope, session_id)
);
CREATE TABLE IF NOT EXISTS position (one INTEGER PRIMARY KEY CHECK (one = 1), value INTEGER);
"""
_COUNTED = """
INSERT INTO conversation VALUES (?, ?, ?, ?)
ON CONFLICT (scope, session_id) DO UPDATE SET turns = turns + excluded.turns
"""


class Knowledge:
    """Rows and position change in one transaction: each event counts exactly once, whenever this process is killed."""

    def __init__(self, path: Path | str) -> None:
        self.db = sqlite3.connect(path)
        self.db.executescript(_TABLES)

    @property
    def position(self) -> int:
        """The event up to which the tables are made; 0: none."""
        row = self.db.execute("SELECT value FROM position").fetchone()
        return row[0] if row else 0

    def apply(self, event: FollowedEvent) -> None:
        """Change the rows as the next event says."""
        with self.db:
            self._change(event)
            self._reach(event)
        if event.type == "user_forgotten":
            self._leave_no_byte()

    def make_anew(self, event: FollowedEvent, of_person: Iterable[FollowedEvent]) -> None:
        """Replace the rows of the person of whom something was forgotten, or is known again."""
        with self.db:
            self._drop(event.scope)
            for each in of_person:
                self._change(each)
            self._reach(event)
        self._leave_no_byte()

    def _change(self, event: FollowedEvent) -> None:
        data = event.data
        match event.type:
            case "fact_remembered" | "fact_corrected":
                row = (data["memory_id"], event.scope, event.user, data["text"])
                self.db.execute("INSERT OR REPLACE INTO fact VALUES (?, ?, ?, ?, 1)", row)
            case "fact_superseded" | "memory_retired":
                self._holds(data["memory_id"], holds=False)
            case "memory_restored":
                self._holds(data["memory_id"], holds=True)
            case "session_completed":
                self.db.execute(_COUNTED, (event.scope, data["session_id"], event.user, data["turns"]))
            case "user_forgotten":
                self._drop(event.scope)

    def _holds(self, memory_id: str, *, holds: bool) -> None:
        self.db.execute("UPDATE fact SET holds = ? WHERE memory_id = ?", (holds, memory_id))

    def _drop(self, scope: str) -> None:
        self.db.execute("DELETE FROM fact WHERE scope = ?", (scope,))
        self.db.execute("DELETE FROM conversation WHERE scope = ?", (scope,))

    def _reach(self, event: FollowedEvent) -> None:
        self.db.execute("INSERT OR REPLACE INTO position VALUES (1, ?)", (event.position,))

    def _leave_no_byte(self) -> None:
        """Empty the write-ahead log, which holds rows as they were; in the file itself deleted ones are overwritten."""
        self.db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
