"""What becomes of a command: the events it leads to, none if it is satisfied already, or a Rejected."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from services.ingest.domain.consolidation import fail_consolidation, save_facts
from services.ingest.domain.corrections import correct_fact
from services.ingest.domain.drafts import Circumstances, Draft, seal
from services.ingest.domain.echoes import find_echoes
from services.ingest.domain.enrichment import attach_embedding, attach_entities
from services.ingest.domain.facts import remember_fact
from services.ingest.domain.keeping import confirm_fact, pin, restore, unpin
from services.ingest.domain.preferences import change_settings
from services.ingest.domain.sessions import end_session, enter_session, sweep_sessions
from services.ingest.domain.state import Fold, ScopeState
from shared.contracts.command import Command
from shared.contracts.commands import (
    TURNS,
    AgentResponse,
    AttachEmbedding,
    AttachEntities,
    ChangeSettings,
    ConfirmFact,
    CorrectFact,
    EndSession,
    FailConsolidation,
    ImportedTurn,
    ImportTurns,
    Pin,
    RecordRecall,
    RememberFact,
    Restore,
    SaveFacts,
    SweepSessions,
    SystemMessage,
    Turn,
    Unpin,
    UserMessage,
)
from shared.contracts.envelope import Envelope
from shared.contracts.errors import IdReused
from shared.contracts.events import CommandRejected, EpisodeRecorded, MemoriesRecalled
from shared.contracts.ids import CommandId, Scope
from shared.domain.digests import Digester
from shared.domain.entities import find_entities


def decide(command: Command, state: ScopeState, given: Circumstances) -> list[Envelope]:
    """The events of a command; none where it is obeyed already. Raises a Rejected if it cannot be obeyed."""
    if not isinstance(command, ImportTurns) and is_known(command.content, state, given):
        return []  # an import may have been recorded in part: its turns are known one by one
    return RULES[type(command)](command, state, given)


def reject(
    code: str, *, what: str, state: ScopeState, given: Circumstances, command_id: CommandId | None = None
) -> list[Envelope]:
    """The trace that a refused command leaves in the log: no text, only what and why. `command_id` if its sender named it."""
    return seal([Draft(CommandRejected(what=what, code=code, command_id=command_id), given.now)], state, given)


def turn_command_id(turn: ImportedTurn, index: int, *, scope: Scope, parent: CommandId, digester: Digester) -> CommandId:
    """The id of an imported turn: that of the live message with the same id, else derived from its place in the import."""
    if turn.message_id:
        return digester.command_id(scope, TURNS[turn.role].what, turn.message_id)
    return digester.command_id(scope, "import_turns", f"{parent}/{index}")


def record_turn(turn: Turn | ImportedTurn, state: ScopeState, given: Circumstances) -> list[Envelope]:
    """A turn, word for word, and what it does to the user's sessions."""
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
        echoes=find_echoes(
            turn.text,
            role=turn.role,
            now=given.now,
            handed_out=state.handed_out,
            scope=given.scope,
            digester=given.digester,
        ),
    )
    return seal([*drafts, Draft(episode, occurred_at)], state, given)


def _import_turns(command: ImportTurns, state: ScopeState, given: Circumstances) -> list[Envelope]:
    events: list[Envelope] = []
    fold = Fold(state)
    for index, turn in enumerate(command.turns):
        identity = turn_command_id(turn, index, scope=given.scope, parent=given.command_id, digester=given.digester)
        try:
            as_sent = given.of_turn(TURNS[turn.role].what, identity)
            decided = [] if is_known(turn.text, fold.state, as_sent) else record_turn(turn, fold.state, as_sent)
        except IdReused as error:
            raise IdReused(f"turns.{index}: {error.message} Nothing of this import was recorded.") from error
        for event in decided:
            fold.add(event, position=0, digester=given.digester)
        events += decided
    return events


def _end_session(command: EndSession, state: ScopeState, given: Circumstances) -> list[Envelope]:
    return seal(end_session(command, state, given.now), state, given)


def _sweep_sessions(command: SweepSessions, state: ScopeState, given: Circumstances) -> list[Envelope]:
    return seal(sweep_sessions(command, state, given.now), state, given)


def _record_recall(command: RecordRecall, state: ScopeState, given: Circumstances) -> list[Envelope]:
    recalled = MemoriesRecalled(
        recall_id=command.recall_id,
        session_id=command.session_id,
        turn_id=command.turn_id,
        at_number=command.at_number,
        computed_at=command.computed_at,
        ranking=command.ranking,
        items=command.items,
    )
    return seal([Draft(recalled, command.computed_at)], state, given)


def is_known(content: str | None, state: ScopeState, given: Circumstances) -> bool:
    """True where this very command had its effect already. Raises IdReused where its id stands for something else.

    A command without content is known by its id alone, and an id whose events told no content stands for whatever comes.
    """
    seen = state.seen.get(given.command_id)
    if seen is None:
        return False
    if content is not None and seen.content not in {None, given.digester.digest("content", content)}:
        raise IdReused
    return True


Rule = Callable[[Any, ScopeState, Circumstances], list[Envelope]]

RULES: dict[type[Command], Rule] = {
    UserMessage: record_turn,
    AgentResponse: record_turn,
    SystemMessage: record_turn,
    ImportTurns: _import_turns,
    RememberFact: remember_fact,
    CorrectFact: correct_fact,
    ConfirmFact: confirm_fact,
    Pin: pin,
    Unpin: unpin,
    Restore: restore,
    ChangeSettings: change_settings,
    EndSession: _end_session,
    SweepSessions: _sweep_sessions,
    RecordRecall: _record_recall,
    AttachEmbedding: attach_embedding,
    AttachEntities: attach_entities,
    SaveFacts: save_facts,
    FailConsolidation: fail_consolidation,
}
"""The rule of every command; a test asserts that none lacks one."""
