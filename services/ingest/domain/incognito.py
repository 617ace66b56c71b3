"""Starts and ends incognito, for sessions of which nothing is kept."""

from services.ingest.domain.ruling import Ruling
from services.ingest.domain.withholding import begins_incognito
from shared.contracts.privacy import EndIncognito, IncognitoEnded, IncognitoStarted, StartIncognito


def start_incognito(command: StartIncognito, ruling: Ruling) -> None:
    """Make a session incognito, if it is not. It need not have begun."""
    if not ruling.state.is_incognito(command.session_id):
        ruling.add(IncognitoStarted(session_id=command.session_id))


def end_incognito(command: EndIncognito, ruling: Ruling) -> None:
    """Keep a session again, if it is incognito or would begin so."""
    state = ruling.state
    if state.is_incognito(command.session_id) or begins_incognito(command.session_id, state):
        ruling.add(IncognitoEnded(session_id=command.session_id))
