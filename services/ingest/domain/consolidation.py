"""What was learned from a session: its facts, and that it is consolidated. The first recording of a page wins."""

from __future__ import annotations

from dataclasses import replace

from services.ingest.domain.capacity import keep_to_the_cap
from services.ingest.domain.drafts import Circumstances, Draft, Pending, Ruling, seal
from services.ingest.domain.facts import tell
from services.ingest.domain.state import ScopeState
from services.ingest.domain.told import Told
from services.ingest.domain.withholding import may_be_learned, require_memory
from shared.contracts.commands import FailConsolidation, SaveFacts
from shared.contracts.envelope import Envelope
from shared.contracts.errors import UnknownSession
from shared.contracts.events import ConsolidationFailed, SessionConsolidated


def save_facts(command: SaveFacts, state: ScopeState, given: Circumstances) -> Ruling:
    """A page of a run, as one batch; with the last page the session is consolidated. Raises UnknownSession."""
    if command.session_id not in state.sessions:
        raise UnknownSession
    require_memory(state)
    pending = Pending(state, given)
    for fact in command.facts:
        learnable = may_be_learned(fact, pending.state, given)
        if learnable is None:
            continue
        for lifted in learnable.lifts:
            pending.add(lifted)
        told = Told.extracted(fact, command.session_id, command.origin)
        tell(replace(told, source_ids=learnable.source_ids), pending)
    keep_to_the_cap(pending)
    if command.is_last:
        consolidated = SessionConsolidated(
            session_id=command.session_id,
            through_number=command.through_number,
            facts=command.saved_before + len(command.facts),
            origin=command.origin,
        )
        pending.add(consolidated)
    return pending


def fail_consolidation(command: FailConsolidation, state: ScopeState, given: Circumstances) -> list[Envelope]:
    """A failed try is on record; the session stays pending. Raises UnknownSession."""
    if command.session_id not in state.sessions:
        raise UnknownSession
    failed = ConsolidationFailed(
        session_id=command.session_id, through_number=command.through_number, attempt=command.attempt, code=command.code
    )
    return seal([Draft(failed, given.now)], state, given)
