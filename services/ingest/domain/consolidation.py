"""What was learned from a session: its facts, and that it is consolidated. The first recording of a page wins."""

from __future__ import annotations

from services.ingest.domain.drafts import Circumstances, Draft, seal
from services.ingest.domain.state import ScopeState
from shared.contracts.commands import ExtractedFact, FailConsolidation, SaveFacts
from shared.contracts.envelope import Envelope
from shared.contracts.errors import UnknownSession
from shared.contracts.events import ConsolidationFailed, FactRemembered, SessionConsolidated
from shared.domain.entities import find_entities
from shared.domain.importance import judge


def save_facts(command: SaveFacts, state: ScopeState, given: Circumstances) -> list[Envelope]:
    """A page of a run, as one batch; with the last page the session is consolidated. Raises UnknownSession."""
    if given.command_id in state.seen:
        return []
    if command.session_id not in state.sessions:
        raise UnknownSession
    drafts = [_remembered(fact, index, command, given) for index, fact in enumerate(command.facts)]
    if command.is_last:
        consolidated = SessionConsolidated(
            session_id=command.session_id,
            through_number=command.through_number,
            facts=command.saved_before + len(command.facts),
            origin=command.origin,
        )
        drafts.append(Draft(consolidated, given.now))
    return seal(drafts, state, given)


def fail_consolidation(command: FailConsolidation, state: ScopeState, given: Circumstances) -> list[Envelope]:
    """A failed try is on record; the session stays pending. Raises UnknownSession."""
    if given.command_id in state.seen:
        return []
    if command.session_id not in state.sessions:
        raise UnknownSession
    failed = ConsolidationFailed(session_id=command.session_id, attempt=command.attempt, code=command.code)
    return seal([Draft(failed, given.now)], state, given)


def _remembered(fact: ExtractedFact, index: int, command: SaveFacts, given: Circumstances) -> Draft:
    judged = judge(fact.text, tags=fact.tags, estimate=fact.importance)
    remembered = FactRemembered(
        memory_id=given.memory_id("fact", index),
        text=fact.text,
        session_id=command.session_id,
        source_ids=fact.source_ids,
        tags=fact.tags,
        entities=find_entities(fact.text),
        manually_saved=False,
        confidence=fact.confidence,
        importance=judged.value,
        importance_parts=judged.parts,
        origin=command.origin,
    )
    return Draft(remembered, fact.occurred_at)
