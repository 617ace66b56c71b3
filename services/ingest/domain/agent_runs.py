"""Records what an agent learned from a session itself, under the same guards as what the consolidator learns.

Source: ../reference/memory-system.md, "Consolidator tools".
"""

from collections.abc import Iterable

from services.ingest.domain.capacity import keep_to_the_cap
from services.ingest.domain.conflicts import doubt, note_answers
from services.ingest.domain.consolidation import learn
from services.ingest.domain.endings import supersede
from services.ingest.domain.founding import founded
from services.ingest.domain.keeping import known_fact
from services.ingest.domain.memories import Status
from services.ingest.domain.ruling import Ruling
from services.ingest.domain.sessions import end_session
from services.ingest.domain.state import KnownSession
from services.ingest.domain.withholding import require_memory
from shared.contracts.commands import EndSession, ExtractedFact
from shared.contracts.consolidating import FactOfBatch, MarkSessionConsolidated, ResolveConflict, SaveFactsBatch
from shared.contracts.errors import NoEvidence, Superseded, UnknownMemory, UnknownSession
from shared.contracts.events import SessionConsolidated
from shared.contracts.ids import SessionId
from shared.contracts.parts import Kind, Origin

EXTRACTOR = "agent"


def save_facts_batch(command: SaveFactsBatch, ruling: Ruling) -> None:
    """Record the facts of a batch that rest on the turns they name, each once.

    Raises UnknownSession, UnknownMemory if a source is no turn of the session, or NoEvidence if no fact rests on any.
    """
    session = _known_session(command.session_id, ruling)
    require_memory(ruling.state, session_id=command.session_id)
    _require_turns(command, ruling)
    found = founded(command.facts, command.session_id, ruling.state.words())
    if not found:
        raise NoEvidence
    ruling.unfounded = len(command.facts) - len(found)
    facts = [_extracted(fact, session) for fact in _each_once(found)]
    learn(facts, command.session_id, _origin(command.run_id, command.model, ruling), ruling)
    keep_to_the_cap(ruling)


def mark_session_consolidated(command: MarkSessionConsolidated, ruling: Ruling) -> None:
    """End a session that is open, and say that it is learned from, if that was not said yet. Raises UnknownSession."""
    if _known_session(command.session_id, ruling).is_open:
        end_session(EndSession(session_id=command.session_id), ruling)
    session = ruling.state.sessions[command.session_id]
    if session.consolidated < session.completed:
        consolidated = SessionConsolidated(
            session_id=command.session_id,
            through_number=session.completed,
            facts=command.facts,
            origin=_origin(command.run_id, None, ruling),
        )
        ruling.add(consolidated)


def resolve_conflict(command: ResolveConflict, ruling: Ruling) -> None:
    """Let one fact be superseded by another, or have the person asked. Raises UnknownMemory, NotAFact or Superseded."""
    fact = known_fact(command.memory_id, ruling.state)
    known_fact(command.superseded_by, ruling.state)
    if fact.superseded_by == command.superseded_by:
        return
    if any(ruling.state.memories[each].status is Status.SUPERSEDED for each in (command.memory_id, command.superseded_by)):
        raise Superseded("one of the two facts is superseded already; name the fact that stands in its place")
    if command.is_certain:
        asked = ruling.state.conflicts
        supersede(command.memory_id, command.superseded_by, "conflict", ruling, valid_until=ruling.given.now)
        note_answers(asked, ruling)
    else:
        doubt(command.superseded_by, command.memory_id, "named", ruling)


def _known_session(session_id: SessionId, ruling: Ruling) -> KnownSession:
    session = ruling.state.sessions.get(session_id)
    if session is None:
        raise UnknownSession
    return session


def _require_turns(command: SaveFactsBatch, ruling: Ruling) -> None:
    """Raise UnknownMemory if a source is anything but a turn of the session. What was forgotten since is judged later."""
    for source in {source for fact in command.facts for source in fact.source_ids}:
        memory = ruling.state.memories.get(source)
        is_turn = memory is not None and memory.kind is Kind.EPISODE and memory.session_id == command.session_id
        if not is_turn:
            raise UnknownMemory("a source is no turn of this session; name turns by their memory_id")


def _each_once(facts: Iterable[FactOfBatch]) -> list[FactOfBatch]:
    """The facts of a batch; of those in the same words the first, with the sources of all."""
    kept: dict[str, FactOfBatch] = {}
    for fact in facts:
        words = " ".join(fact.text.casefold().split())
        first = kept.setdefault(words, fact)
        sources = tuple(dict.fromkeys((*first.source_ids, *fact.source_ids)))[:64]
        kept[words] = first.model_copy(update={"source_ids": sources})
    return list(kept.values())


def _extracted(fact: FactOfBatch, session: KnownSession) -> ExtractedFact:
    said = {name: getattr(fact, name) for name in FactOfBatch.model_fields}
    return ExtractedFact(**said | {"occurred_at": fact.occurred_at or session.last_occurred_at})


def _origin(run_id: str | None, model: str | None, ruling: Ruling) -> Origin:
    return Origin(extractor=EXTRACTOR, model=model, run_id=run_id or f"run_{ruling.given.command_id}")
