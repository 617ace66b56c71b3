"""Decides what is not recorded although it is valid: memory is off, the session is incognito, or it was forgotten.

Source: ../design/mission.md, promises 3 and 4, and the ruling on tombstones.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from services.ingest.domain.circumstances import Circumstances
from services.ingest.domain.private import Stone
from services.ingest.domain.recognising import likeness_of
from services.ingest.domain.state import ScopeState
from shared.contracts.commands import ExtractedFact, ImportedTurn, Turn
from shared.contracts.errors import Forgotten, Incognito, MemoryOff
from shared.contracts.ids import MemoryId, SessionId
from shared.contracts.parts import Role
from shared.contracts.privacy import TombstoneLifted
from shared.domain.withholding import is_incognito_by_default, why_withheld


def is_private(state: ScopeState) -> bool:
    """True if the person keeps anything from memory now: then refused messages are kept without their body."""
    settings = state.settings
    return settings.memory_enabled is False or bool(settings.incognito_default) or bool(state.privacy.incognito)


def require_memory(state: ScopeState, *, session_id: SessionId | None = None) -> None:
    """Raise MemoryOff or Incognito if nothing may be recorded now."""
    match why_withheld(state.settings, is_incognito=session_id in state.privacy.incognito):
        case "memory_off":
            raise MemoryOff
        case "incognito":
            raise Incognito


def is_recorded(state: ScopeState, session_id: SessionId) -> bool:
    """True if turns of this session are recorded."""
    return why_withheld(state.settings, is_incognito=session_id in state.privacy.incognito) is None


def begins_incognito(session_id: SessionId, state: ScopeState) -> bool:
    """True if the session has not begun and its person wants new ones to be incognito."""
    has_begun = session_id in state.sessions or session_id in state.privacy.kept
    return is_incognito_by_default(state.settings, has_begun=has_begun)


def require_not_forgotten(
    turn: Turn | ImportedTurn, state: ScopeState, given: Circumstances, *, is_imported: bool
) -> list[TombstoneLifted]:
    """The tombstones that a turn lifts, as it may after their time. Raises Forgotten if the turn must not come back."""
    privacy = state.privacy
    if not privacy.is_any:
        return []
    if given.command_id in privacy.forgotten_commands:
        raise Forgotten
    if is_imported and privacy.forgotten_values and given.digester.digest("content", turn.text) in privacy.forgotten_values:
        raise Forgotten
    stones = _stones_on(turn.text, state, given)
    if stones and (is_imported or turn.role is not Role.USER or _is_within_the_time(stones, given)):
        raise Forgotten
    return [TombstoneLifted(digest=digest.hex(), by="said_again") for digest in sorted(stones)]


def lifted_by_hand(text: str, state: ScopeState, given: Circumstances) -> list[TombstoneLifted]:
    """All tombstones that match a text which is saved by hand: its user wants it back."""
    return [TombstoneLifted(digest=digest.hex(), by="saved_by_hand") for digest in sorted(_stones_on(text, state, given))]


class Learnable(NamedTuple):
    """The sources from which a fact may be learned, and the tombstones that this lifts."""

    source_ids: tuple[MemoryId, ...]
    lifts: Sequence[TombstoneLifted] = ()


def may_be_learned(fact: ExtractedFact, state: ScopeState, given: Circumstances) -> Learnable | None:
    """None if a fact may not be learned: its sources are forgotten or older than its forgetting, or its time is not over."""
    if not state.privacy.is_any:
        return Learnable(fact.source_ids)
    sources = tuple(source for source in fact.source_ids if source in state.memories)
    if not sources:
        return None
    stones = _stones_on(fact.text, state, given)
    newest = max(state.memories[source].number for source in sources)
    if _is_within_the_time(stones, given) or any(newest <= stone.number for stone in stones.values()):
        return None
    return Learnable(sources, [TombstoneLifted(digest=digest.hex(), by="said_again") for digest in sorted(stones)])


def _stones_on(text: str, state: ScopeState, given: Circumstances) -> Mapping[bytes, Stone]:
    if not state.privacy.tombstones:
        return {}
    return state.privacy.stones_on(likeness_of(text, given.digester))


def _is_within_the_time(stones: Mapping[bytes, Stone], given: Circumstances) -> bool:
    return any(given.now < stone.until for stone in stones.values())
