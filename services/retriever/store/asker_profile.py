"""Reads from a person's file what a query depends on: the speakers, the person's settings, the incognito sessions."""

from collections.abc import Collection
from typing import NamedTuple

from sqlalchemy import Connection

from shared.contracts.ids import SessionId
from shared.contracts.preferences import PersonSettings
from shared.contracts.queries import ContextQuery, ExplainQuery, Query, SearchQuery
from shared.domain.withholding import Withheld, is_incognito_by_default, why_withheld
from shared.runtime.sqlite import rows

_SPEAKERS = "SELECT name FROM speakers"
_SETTINGS = "SELECT value FROM memory_metadata WHERE key = 'settings'"
_INCOGNITO = "SELECT session_id FROM incognito"
_BEGUN = "SELECT session_id FROM sessions_consolidations"


class AskerProfile(NamedTuple):
    """The parts of a person's file that a query is interpreted by."""

    speakers: Collection[str]
    settings: PersonSettings
    incognito: frozenset[SessionId] = frozenset()
    begun: frozenset[SessionId] = frozenset()  # read where new sessions are incognito by default

    def withholds(self, query: Query) -> Withheld | None:
        """The reason why nothing may be recalled for this query; None if it may, or if the query recalls nothing."""
        match query:
            case ContextQuery(session_id=session_id) | ExplainQuery(session_id=session_id):
                return why_withheld(self.settings, is_incognito=self._is_incognito(session_id))
            case SearchQuery():
                return why_withheld(self.settings, is_incognito=False)
            case _:
                return None

    def _is_incognito(self, session_id: SessionId | None) -> bool:
        if session_id is None:
            return False
        has_begun = session_id in self.begun
        return session_id in self.incognito or is_incognito_by_default(self.settings, has_begun=has_begun)


NOBODY = AskerProfile((), PersonSettings())
"""The profile of a person of whom nothing is known."""


def asker_profile(db: Connection) -> AskerProfile:
    """The profile of the person whose file this is."""
    stored = rows(db, _SETTINGS)
    settings = PersonSettings.model_validate_json(stored[0][0]) if stored else PersonSettings()
    begun = _sessions(db, _BEGUN) if settings.incognito_default else frozenset[SessionId]()
    return AskerProfile([name for (name,) in rows(db, _SPEAKERS)], settings, _sessions(db, _INCOGNITO), begun)


def _sessions(db: Connection, statement: str) -> frozenset[SessionId]:
    return frozenset(SessionId(session_id) for (session_id,) in rows(db, statement))
