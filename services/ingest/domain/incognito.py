"""Sessions of which nothing is kept."""

from __future__ import annotations

from services.ingest.domain.drafts import Circumstances, Draft, seal
from services.ingest.domain.state import ScopeState
from services.ingest.domain.withholding import begins_incognito
from shared.contracts.envelope import Envelope
from shared.contracts.privacy import EndIncognito, IncognitoEnded, IncognitoStarted, StartIncognito


def start_incognito(command: StartIncognito, state: ScopeState, given: Circumstances) -> list[Envelope]:
    """Nothing where it is incognito already. The session need not have begun."""
    if command.session_id in state.privacy.incognito:
        return []
    return seal([Draft(IncognitoStarted(session_id=command.session_id), given.now)], state, given)


def end_incognito(command: EndIncognito, state: ScopeState, given: Circumstances) -> list[Envelope]:
    """Nothing where it is not incognito, and would not be."""
    if command.session_id not in state.privacy.incognito and not begins_incognito(command.session_id, state):
        return []
    return seal([Draft(IncognitoEnded(session_id=command.session_id), given.now)], state, given)
