"""What is not recorded though it was sent well: memory is off, the session is incognito, or it was forgotten.

Source: ../design/mission.md, promises 3 and 4, and the ruling on tombstones.
"""

from __future__ import annotations

from typing import NamedTuple

from services.ingest.domain.drafts import Circumstances
from services.ingest.domain.recognising import likeness_of
from services.ingest.domain.state import ScopeState
from shared.contracts.commands import ExtractedFact, ImportedTurn, Turn
from shared.contracts.errors import Forgotten, Incognito, MemoryOff
from shared.contracts.ids import MemoryId, SessionId
from shared.contracts.parts import Role
from shared.contracts.privacy import TombstoneLifted


def is_private(state: ScopeState) -> bool:
    """Whether the person keeps something from memory just now: then nothing that is refused may quote them."""
    settings = state.settings
    return settings.memory_enabled is False or bool(settings.incognito_default) or bool(state.privacy.incognito)


def require_memory(state: ScopeState, *, session_id: SessionId | None = None) -> None:
    """Raises MemoryOff or Incognito."""
    if state.settings.memory_enabled is False:
        raise MemoryOff
    if session_id is not None and session_id in state.privacy.incognito:
        raise Incognito


def is_recorded(state: ScopeState, session_id: SessionId) -> bool:
    """Whether what is said in this session is kept."""
    return state.settings.memory_enabled is not False and session_id not in state.privacy.incognito


def starts_incognito(turn: Turn, state: ScopeState) -> bool:
    """Whether a live turn begins a session that its person wants incognito by default."""
    return is_incognito_by_default(turn.session_id, state)


def is_incognito_by_default(session_id: SessionId, state: ScopeState) -> bool:
    """Whether a session that has not begun is not to be kept unless somebody says so."""
    is_new = session_id not in state.sessions and session_id not in state.privacy.kept
    return bool(state.settings.incognito_default) and is_new


def require_not_forgotten(
    turn: Turn | ImportedTurn, state: ScopeState, given: Circumstances, *, is_imported: bool
) -> TombstoneLifted | None:
    """A turn that was forgotten does not come back; a new mention after the time lifts the tombstone. Raises Forgotten."""
    privacy = state.privacy
    if given.command_id in privacy.forgotten_commands:
        raise Forgotten
    if is_imported and privacy.forgotten_values and given.digester.digest("content", turn.text) in privacy.forgotten_values:
        raise Forgotten
    if not privacy.tombstones:
        return None
    found = privacy.stone_of(likeness_of(turn.text, given.digester))
    if found is None:
        return None
    digest, stone = found
    if is_imported or turn.role is not Role.USER or given.now < stone.until:
        raise Forgotten
    return TombstoneLifted(digest=digest.hex(), by="said_again")


def lifted_by_hand(text: str, state: ScopeState, given: Circumstances) -> TombstoneLifted | None:
    """Whoever saves a forgotten value by hand wants it back."""
    if not state.privacy.tombstones:
        return None
    found = state.privacy.stone_of(likeness_of(text, given.digester))
    return TombstoneLifted(digest=found[0].hex(), by="saved_by_hand") if found else None


class Learnable(NamedTuple):
    """A fact that may be learned: from which of its sources, and the tombstone that this lifts."""

    source_ids: tuple[MemoryId, ...]
    lifts: TombstoneLifted | None = None


def may_be_learned(fact: ExtractedFact, state: ScopeState, given: Circumstances) -> Learnable | None:
    """None where all its sources are forgotten, or all are older than the forgetting of its value, or within the time."""
    if not state.privacy.is_any:
        return Learnable(fact.source_ids)
    sources = tuple(source for source in fact.source_ids if source in state.memories)
    if not sources:
        return None
    found = state.privacy.stone_of(likeness_of(fact.text, given.digester)) if state.privacy.tombstones else None
    if found is None:
        return Learnable(sources)
    digest, stone = found
    newest = max(state.memories[source].number for source in sources)
    if given.now < stone.until or newest <= stone.number:
        return None
    return Learnable(sources, TombstoneLifted(digest=digest.hex(), by="said_again"))
