"""Records what was learned from a session. Of a page that is sent repeatedly, the first counts."""

from collections.abc import Collection, Sequence
from dataclasses import replace

from services.ingest.domain.capacity import keep_to_the_cap
from services.ingest.domain.facts import look_up_for, tell
from services.ingest.domain.lacks import take_each
from services.ingest.domain.relearning import relearn, retire
from services.ingest.domain.ruling import Ruling
from services.ingest.domain.superseding import supersede_named
from services.ingest.domain.told_fact import ToldFact
from services.ingest.domain.withholding import may_be_learned, require_memory
from shared.contracts.commands import ExtractedFact, FailConsolidation, SaveFacts
from shared.contracts.errors import UnknownSession
from shared.contracts.events import SessionConsolidated
from shared.contracts.ids import MemoryId, SessionId
from shared.contracts.learning import ConsolidationFailed, ConsolidationRetried, RetryConsolidation
from shared.contracts.parts import Origin


def save_facts(command: SaveFacts, ruling: Ruling) -> None:
    """Record the facts of one page of a run; the last page consolidates the session. Raises UnknownSession."""
    if command.session_id not in ruling.state.sessions:
        raise UnknownSession
    require_memory(ruling.state)
    facts, ended = relearn(command, ruling) if command.is_relearned else (command.facts, ())
    learn(facts, command.session_id, command.origin, ruling, imported=command.imported, apart_from=ended)
    retire(ended, ruling)
    keep_to_the_cap(ruling)
    if command.is_last and (ruling.events or not command.is_relearned):
        consolidated = SessionConsolidated(
            session_id=command.session_id,
            through_number=command.through_number,
            facts=command.saved_before + len(command.facts),
            origin=command.origin,
            tokens=command.tokens,
        )
        ruling.add(consolidated)


def learn(
    facts: Sequence[ExtractedFact],
    session_id: SessionId,
    origin: Origin,
    ruling: Ruling,
    *,
    imported: bool = False,
    apart_from: Collection[MemoryId] = (),
) -> None:
    """Record the facts that may be learned, and end what does not hold any more by them.

    `apart_from`: facts that are not compared with them.
    """
    found = [ToldFact.extracted(fact, session_id, origin, imported=imported) for fact in facts]
    look_up_for(found, ruling)

    def learn_one(fact: ExtractedFact, told: ToldFact) -> None:
        learnable = may_be_learned(fact, ruling.state, ruling.given)
        if learnable is not None:
            ruling.add_all(learnable.lifts)
            learned = replace(told, source_ids=learnable.source_ids, tags=learnable.tags)
            supersede_named(tell(learned, ruling, apart_from=apart_from), fact.supersedes, learned, ruling)

    take_each(zip(facts, found, strict=True), lambda both: learn_one(*both))


def fail_consolidation(command: FailConsolidation, ruling: Ruling) -> None:
    """Record that learning failed; the session stays pending. Raises UnknownSession."""
    if command.session_id not in ruling.state.sessions:
        raise UnknownSession
    failed = ConsolidationFailed(
        session_id=command.session_id,
        through_number=command.through_number,
        attempt=command.attempt,
        code=command.code,
        tokens=command.tokens,
    )
    ruling.add(failed)


def retry_consolidation(command: RetryConsolidation, ruling: Ruling) -> None:
    """Record that a session is to be learned from again. Raises UnknownSession."""
    if command.session_id not in ruling.state.sessions:
        raise UnknownSession
    ruling.add(ConsolidationRetried(session_id=command.session_id, through_number=command.through_number))
