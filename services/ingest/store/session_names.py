"""The ids of sessions in ingest.db: there they are keyed hashes; the ids themselves are in memory only."""

from collections.abc import Iterable

from sqlalchemy import Column, LargeBinary

from shared.contracts.ids import SessionId
from shared.domain.digests import Digester

_MOST_KEPT = 50_000
"""Sessions, about 10 MB. Of others the log is asked."""


def session_key_column() -> Column[bytes]:
    """A new column for a session in the primary key of a table."""
    return Column("session", LargeBinary, primary_key=True)


class SessionNames:
    """Tells the key of each session, and of those that were seen lately the id."""

    def __init__(self, digester: Digester) -> None:
        self._digester = digester
        self._names: dict[bytes, SessionId] = {}

    def key(self, session_id: SessionId) -> bytes:
        """The key under which the session is stored."""
        key = self._digester.session_key(session_id)
        if len(self._names) >= _MOST_KEPT:
            self._names.clear()
        self._names[key] = session_id
        return key

    def keys(self, session_ids: Iterable[SessionId]) -> dict[bytes, SessionId]:
        """The sessions by their keys."""
        return {self.key(each): each for each in session_ids}

    def name(self, key: bytes) -> SessionId | None:
        """The id of a session; None if it was not seen lately."""
        return self._names.get(key)

    def forget(self) -> None:
        """Keep no id in memory any more."""
        self._names.clear()
