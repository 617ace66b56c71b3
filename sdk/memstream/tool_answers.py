"""What a model is told of the answers to its tools: few words, as JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from memstream._contracts import (
    Considered,
    ContextAnswer,
    Conversation,
    ConversationState,
    EntityAnswer,
    EpisodesAnswer,
    ExplainAnswer,
    Fate,
    ForgetPreviewAnswer,
    ListAnswer,
    Memory,
    ScoredMemory,
    SearchAnswer,
    Source,
    StatsAnswer,
)

if TYPE_CHECKING:  # the client imports the tools
    from memstream.client.consolidating import Contradictions
    from memstream.client.exchange import Decision

_MOST_LEFT_OUT = 5


def of_memory(memory: Memory) -> dict[str, Any]:
    """The fields of a memory that a model needs; empty ones are left out."""
    told = {
        "memory_id": memory.memory_id,
        "kind": memory.kind.value,
        "text": memory.text,
        "date": memory.occurred_at.date().isoformat(),
        "said_by": memory.speaker or (memory.role.value if memory.role else None),
        "tags": list(memory.tags),
        "pinned": memory.pinned,
        "outdated": memory.outdated.value if memory.outdated else None,
        "outdated_by": list(memory.outdated_by),
        "in_doubt": bool(memory.conflict_ids),
        "shared_by_space": memory.origin if isinstance(memory, ScoredMemory) else None,
    }
    return {key: value for key, value in told.items() if value}


def of_decision(decision: Decision) -> dict[str, Any]:
    """What became of what was asked."""
    outcome = {"outcome": decision.verdict.value}
    return outcome | ({"memory_id": decision.memory_id} if decision.memory_id else {})


def of_forgetting(answer: tuple[ForgetPreviewAnswer, dict[str, str]] | Decision) -> dict[str, Any]:
    """What is forgotten, or would be."""
    if not isinstance(answer, tuple):
        return of_decision(answer) | {"receipt": answer.number}
    preview, texts = answer
    would_go = [
        {"memory_id": each.memory_id, "kind": each.kind.value, "why": each.why, "text": texts.get(each.memory_id)}
        | {"in_doubt": each.in_doubt}
        for each in preview.memories
    ]
    told = {"would_forget": [{key: value for key, value in each.items() if value} for each in would_go]}
    return told | ({"confirm": preview.token} if preview.token else {})


def of_context(answer: ContextAnswer) -> dict[str, Any]:
    """The block to read, and the memories that its numbers stand for."""
    told = {"context": answer.markdown, "memory_ids": {str(item.line): item.memory_id for item in answer.items if item.line}}
    return told | ({"withheld": answer.withheld} if answer.withheld else {})


def of_explanation(answer: ExplainAnswer) -> dict[str, Any]:
    """What is given, and the best of what is left out."""
    given = [each for each in answer.candidates if each.fate is Fate.GIVEN]
    left_out = [each for each in answer.candidates if each.fate is not Fate.GIVEN]
    return {
        "given": [_considered(each) for each in given],
        "left_out": [_considered(each) for each in left_out[:_MOST_LEFT_OUT]],
    } | ({"shared": [of_memory(each) for each in answer.shared]} if answer.shared else {})


def _considered(candidate: Considered) -> dict[str, Any]:
    sources = [_source(source) for source in candidate.sources]
    score = {"score": round(candidate.total, 3), "found_by": [leg for leg, found in candidate.legs.items() if found.rank]}
    return of_memory(candidate.memory) | score | {"fate": candidate.fate.value, "sources": sources}


def _source(source: Source) -> dict[str, Any]:
    said_on = source.occurred_at.date().isoformat() if source.occurred_at else None
    told = {"memory_id": source.memory_id, "said_on": said_on, "reference": source.reference}
    return {key: value for key, value in told.items() if value}


def of_profile(answer: EntityAnswer) -> dict[str, Any]:
    """Who or what an entity is."""
    return {
        "name": answer.entity.name,
        "type": answer.entity.type,
        "aliases": list(answer.entity.aliases),
        "mentions": answer.entity.mention_count,
        "summary": answer.summary,
        "memories": [of_memory(memory) for memory in answer.memories],
        "may_also_mean": [other.name for other in answer.others],
    }


def of_found(answer: SearchAnswer) -> dict[str, Any]:
    """What a search found."""
    return {"memories": [of_memory(item) for item in answer.items]}


def of_page(answer: ListAnswer) -> dict[str, Any]:
    """A page of all that is remembered."""
    told = {"memories": [of_memory(item) for item in answer.items]}
    return told | ({"next_before_number": answer.next_before_number} if answer.next_before_number else {})


def of_turns(answer: EpisodesAnswer) -> dict[str, Any]:
    """Turns to learn from."""
    said = [of_memory(turn) for turn in answer.episodes if turn.text]
    told = {"is_consolidated": answer.is_consolidated, "episodes": said}
    return told | ({"next_after_number": answer.next_after_number} if answer.next_after_number else {})


def of_state(session: Conversation) -> dict[str, Any]:
    """How far a session is learned from."""
    told = {"state": session.state.value, "new_turns": session.new_turns, "runs": [run.run_id for run in session.runs]}
    return {"is_consolidated": session.state is ConversationState.CONSOLIDATED} | told


def of_contradictions(found: Contradictions) -> dict[str, Any]:
    """What may contradict a fact."""
    pending = [each.model_dump(mode="json", include={"conflict_id", "question", "older", "newer"}) for each in found.pending]
    return {"may_contradict": [of_memory(memory) for memory in found.nearest], "pending": pending}


def of_counts(answer: StatsAnswer) -> dict[str, Any]:
    """How much is remembered."""
    told = {"memories", "pinned", "entities", "sessions", "latest_recorded_at"}
    return answer.model_dump(mode="json", include=told)
