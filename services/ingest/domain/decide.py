"""What becomes of a command: the events it leads to, none if it is satisfied already, or a Rejected."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from services.ingest.domain.consolidation import fail_consolidation, save_facts
from services.ingest.domain.drafts import Circumstances, Draft, seal
from services.ingest.domain.sessions import end_session, enter_session
from services.ingest.domain.state import ScopeState, evolve
from shared.contracts.command import Command
from shared.contracts.commands import (
    TURNS,
    AgentResponse,
    AttachEmbedding,
    EndSession,
    FailConsolidation,
    ImportedTurn,
    ImportTurns,
    RecordRecall,
    RememberFact,
    SaveFacts,
    SystemMessage,
    Turn,
    UserMessage,
)
from shared.contracts.envelope import Envelope
from shared.contracts.errors import IdReused, UnknownMemory
from shared.contracts.events import CommandRejected, EpisodeRecorded, FactRemembered, MemoriesRecalled, MemoryEmbedded
from shared.contracts.ids import CommandId, Scope
from shared.domain.digests import Digester
from shared.domain.entities import find_entities


def decide(command: Command, state: ScopeState, given: Circumstances) -> list[Envelope]:
    """The events of a command. Raises a Rejected if it cannot be obeyed."""
    return RULES[type(command)](command, state, given)


def reject(code: str, *, what: str, state: ScopeState, given: Circumstances) -> list[Envelope]:
    """The trace that a refused command leaves in the log: no text, only what and why."""
    return seal([Draft(CommandRejected(what=what, code=code), given.now)], state, given)


def turn_command_id(turn: ImportedTurn, index: int, *, scope: Scope, parent: CommandId, digester: Digester) -> CommandId:
    """The id of an imported turn: that of the live message with the same id, else derived from its place in the import."""
    if turn.message_id:
        return digester.command_id(scope, TURNS[turn.role].what, turn.message_id)
    return digester.command_id(scope, "import_turns", f"{parent}/{index}")


def record_turn(turn: Turn | ImportedTurn, state: ScopeState, given: Circumstances) -> list[Envelope]:
    """A turn, word for word, and what it does to the user's sessions."""
    if _is_known(turn.text, state, given):
        return []
    occurred_at = turn.occurred_at or given.now
    drafts = enter_session(turn.session_id, role=turn.role, occurred_at=occurred_at, state=state)
    episode = EpisodeRecorded(
        memory_id=given.memory_id("ep", len(drafts)),
        session_id=turn.session_id,
        role=turn.role,
        text=turn.text,
        speaker=turn.speaker,
        message_id=turn.message_id,
        entities=find_entities(turn.text),
        metadata=turn.metadata,
    )
    return seal([*drafts, Draft(episode, occurred_at)], state, given)


def _import_turns(command: ImportTurns, state: ScopeState, given: Circumstances) -> list[Envelope]:
    events: list[Envelope] = []
    for index, turn in enumerate(command.turns):
        identity = turn_command_id(turn, index, scope=given.scope, parent=given.command_id, digester=given.digester)
        try:
            decided = record_turn(turn, state, given.of_turn(TURNS[turn.role].what, identity))
        except IdReused as error:
            raise IdReused(f"turns.{index}: {error.message} Nothing of this import was recorded.") from error
        for event in decided:
            state = evolve(state, event, position=0, digester=given.digester)
        events += decided
    return events


def _remember_fact(command: RememberFact, state: ScopeState, given: Circumstances) -> list[Envelope]:
    if _is_known(command.text, state, given):
        return []
    fact = FactRemembered(
        memory_id=given.memory_id("fact", 0),
        text=command.text,
        session_id=command.session_id,
        message_id=command.message_id,
        source_ids=command.source_ids,
        tags=command.tags,
        entities=find_entities(command.text),
        manually_saved=True,
    )
    return seal([Draft(fact, command.occurred_at or given.now)], state, given)


def _end_session(command: EndSession, state: ScopeState, given: Circumstances) -> list[Envelope]:
    return [] if given.command_id in state.seen else seal(end_session(command, state, given.now), state, given)


def _record_recall(command: RecordRecall, state: ScopeState, given: Circumstances) -> list[Envelope]:
    if given.command_id in state.seen:
        return []
    recalled = MemoriesRecalled(
        recall_id=command.recall_id,
        session_id=command.session_id,
        turn_id=command.turn_id,
        at_number=command.at_number,
        computed_at=command.computed_at,
        ranking=command.ranking,
        items=command.items,
        asked=command.asked,
    )
    return seal([Draft(recalled, command.computed_at)], state, given)


def _attach_embedding(command: AttachEmbedding, state: ScopeState, given: Circumstances) -> list[Envelope]:
    if given.command_id in state.seen:
        return []
    if command.memory_id not in state.memories:
        raise UnknownMemory
    embedded = MemoryEmbedded(memory_id=command.memory_id, embedding=command.embedding)
    return seal([Draft(embedded, given.now)], state, given)


def _is_known(text: str, state: ScopeState, given: Circumstances) -> bool:
    """True where this very command had its effect already. Raises IdReused where its id stands for other words."""
    seen = state.seen.get(given.command_id)
    if seen is None:
        return False
    if seen.content != given.digester.digest("content", text):
        raise IdReused
    return True


Rule = Callable[[Any, ScopeState, Circumstances], list[Envelope]]

RULES: dict[type[Command], Rule] = {
    UserMessage: record_turn,
    AgentResponse: record_turn,
    SystemMessage: record_turn,
    ImportTurns: _import_turns,
    RememberFact: _remember_fact,
    EndSession: _end_session,
    RecordRecall: _record_recall,
    AttachEmbedding: _attach_embedding,
    SaveFacts: save_facts,
    FailConsolidation: fail_consolidation,
}
"""The rule of every command; a test asserts that none lacks one."""
