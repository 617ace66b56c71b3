"""Decides the edit of a message: its turn is forgotten with what rests on it, and recorded anew where it stood.

Source: docs/adr/0080-an-edited-message-is-recorded-anew.md.
"""

from contextlib import suppress

from services.ingest.domain.cascade import going
from services.ingest.domain.forgetting import HowNamed, forgotten, turns_of
from services.ingest.domain.lacks import Needs
from services.ingest.domain.ruling import Ruling
from services.ingest.domain.turns import record_turn, require_wanted
from services.ingest.domain.withholding import require_memory
from shared.contracts.commands import TURNS, EditMessage
from shared.contracts.errors import NotRecorded, UnknownMemory
from shared.contracts.events import SessionCompleted
from shared.contracts.parts import Role
from shared.language.text.cleaning import comparable


def edit_message(command: EditMessage, ruling: Ruling) -> None:
    """Put another text in the place of a turn's. Raises UnknownMemory, MemoryOff or Incognito.

    An edit that asks not to be kept erases the old text, and is not recorded.
    """
    state, given, words = ruling.state, ruling.given, ruling.state.words()
    turn = next(iter(turns_of(command.edited_message_id, words, given)), None)
    if turn is None or turn.session_id is None:
        raise UnknownMemory
    require_memory(state, session_id=turn.session_id)
    state.require(Needs(sessions={turn.session_id}))
    if turn.texts == (comparable(command.text),):
        return
    was_open = state.sessions[turn.session_id].is_open
    taken = going([turn.memory_id], words, given.digester, only=False, repeats=False, is_sure=True)
    ruling.add_all(forgotten(taken, words, state, given, HowNamed("message", edited=frozenset(turn.commands))))
    said = TURNS[turn.role or Role.USER](
        session_id=turn.session_id,
        text=command.text,
        message_id=command.edited_message_id,
        occurred_at=turn.said_at,
        speaker=turn.speaker,
    )
    ruling.begin_part(given.of_part(said.what, turn.commands[0])._replace(told_again=given.command_id))
    with suppress(NotRecorded):
        require_wanted(said, ruling)
        record_turn(said, ruling)
    if not was_open and ruling.state.sessions[turn.session_id].is_open:  # it is learned from again
        turns = ruling.state.sessions[turn.session_id].turns
        ruling.add(SessionCompleted(session_id=turn.session_id, reason="ended", turns=turns))
