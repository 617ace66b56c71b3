"""What becomes of a command: the events it leads to, none if it is satisfied already, or a Rejected."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Any

from services.ingest.domain.chat_commands import may_be_command, obey
from services.ingest.domain.consolidation import fail_consolidation, save_facts
from services.ingest.domain.corrections import correct_fact
from services.ingest.domain.drafts import Circumstances, Draft, Pending, Ruling, seal
from services.ingest.domain.echoes import find_echoes
from services.ingest.domain.enrichment import attach_embedding, attach_entities
from services.ingest.domain.facts import remember_fact
from services.ingest.domain.forgetting import forget, forget_user
from services.ingest.domain.importing import import_memories
from services.ingest.domain.incognito import end_incognito, start_incognito
from services.ingest.domain.keeping import confirm_fact, pin, restore, unpin
from services.ingest.domain.preferences import change_settings
from services.ingest.domain.sessions import end_session, enter_session, sweep_sessions
from services.ingest.domain.state import ScopeState
from services.ingest.domain.withholding import begins_incognito, require_memory, require_not_forgotten
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
from shared.contracts.errors import Forgotten, IdReused, NotRecorded
from shared.contracts.events import CommandRejected, EpisodeRecorded, MemoriesRecalled
from shared.contracts.ids import CommandId, Scope, User
from shared.contracts.moving import ImportMemories
from shared.contracts.privacy import EndIncognito, Forget, ForgetUser, IncognitoStarted, StartIncognito
from shared.domain.digests import Digester
from shared.text.entities import find_entities


def decide(command: Command, state: ScopeState, given: Circumstances) -> list[Envelope]:
    """The events of a command; none where it is obeyed already.

    Raises a Rejected if it cannot be obeyed, a NotRecorded if the person wants nothing of it kept.
    """
    decision = decide_on(command, state, given)
    return decision.events if isinstance(decision, Pending) else decision


def decide_on(command: Command, state: ScopeState, given: Circumstances) -> Ruling:
    """The same, with the state after the events where the rule had to know it."""
    if given.command_id in state.privacy.forgotten_commands:
        raise Forgotten
    if not isinstance(command, ImportTurns | ImportMemories) and is_known(command.content, state, given):
        return []  # an import may have been recorded in part: its parts are known one by one
    return RULES[type(command)](command, state, given)


def reject(
    code: str, *, what: str, state: ScopeState, given: Circumstances, command_id: CommandId | None = None
) -> list[Envelope]:
    """The trace that a refused command leaves in the log: no text, only what and why. `command_id` if its sender named it."""
    return seal([Draft(CommandRejected(what=what, code=code, command_id=command_id), given.now)], state, given)


def turn_command_ids(command: ImportTurns, *, scope: Scope, parent: CommandId, digester: Digester) -> list[CommandId]:
    """The id of each imported turn: that of the live message with the same id, else derived from its place in the import."""
    return [
        digester.command_id(scope, TURNS[turn.role].what, turn.message_id)
        if turn.message_id
        else digester.command_id(scope, ImportTurns.what, f"{parent}/{index}")
        for index, turn in enumerate(command.turns)
    ]


def record_turn(turn: Turn | ImportedTurn, state: ScopeState, given: Circumstances) -> list[Envelope]:
    """A turn, word for word, and what it does to the user's sessions. Raises a NotRecorded where it is not to be kept."""
    return seal(_turn(turn, state, given), state, given)


def _turn(turn: Turn | ImportedTurn, state: ScopeState, given: Circumstances) -> list[Draft]:
    require_memory(state, session_id=turn.session_id)
    if isinstance(turn, Turn) and begins_incognito(turn.session_id, state):
        return [Draft(IncognitoStarted(session_id=turn.session_id, by_default=True), given.now)]
    lifted = require_not_forgotten(turn, state, given, is_imported=isinstance(turn, ImportedTurn))
    return [*_said(turn, state, given), *(Draft(each, given.now) for each in lifted)]


def _said(turn: Turn | ImportedTurn, state: ScopeState, given: Circumstances) -> list[Draft]:
    occurred_at = turn.occurred_at or given.now
    drafts = enter_session(turn.session_id, role=turn.role, occurred_at=occurred_at, state=state)
    episode = EpisodeRecorded.of_valid(
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
    return [*drafts, Draft(episode, occurred_at)]


def _user_message(turn: UserMessage, state: ScopeState, given: Circumstances) -> list[Envelope]:
    """A turn of the user may be a command to the memory, which works also where nothing is recorded."""
    obeyed = None
    if may_be_command(turn, state, given.policy.languages):
        before = enter_session(turn.session_id, role=turn.role, occurred_at=turn.occurred_at or given.now, state=state)
        obeyed = obey(turn, given.memory_id("ep", len(before)), state, given)
    if obeyed is None:
        return record_turn(turn, state, given)
    said: list[Draft] = []
    if obeyed.is_kept:
        with suppress(NotRecorded):
            said = _turn(turn, state, given)
    given = given._replace(user=User("")) if obeyed.names_nobody else given
    return seal([*said, *obeyed.drafts], state, given)


def _import_turns(command: ImportTurns, state: ScopeState, given: Circumstances) -> Ruling:
    require_memory(state)
    pending = Pending(state, given)
    withheld: list[NotRecorded] = []
    ids = given.turn_ids or turn_command_ids(command, scope=given.scope, parent=given.command_id, digester=given.digester)
    for index, (turn, identity) in enumerate(zip(command.turns, ids, strict=True)):
        as_sent = given.of_turn(TURNS[turn.role].what, identity)
        state = pending.state
        try:
            if identity in state.privacy.forgotten_commands:
                raise Forgotten
            if not is_known(turn.text, state, as_sent):
                pending.follow(record_turn(turn, state, as_sent))
        except NotRecorded as reason:  # the others are not to suffer for it
            withheld.append(reason)
        except IdReused as error:
            raise IdReused(f"turns.{index}: {error.message} Nothing of this import was recorded.") from error
    if len(withheld) == len(command.turns):
        raise withheld[0]
    return pending


def _end_session(command: EndSession, state: ScopeState, given: Circumstances) -> list[Envelope]:
    return seal(end_session(command, state, given.now), state, given)


def _sweep_sessions(command: SweepSessions, state: ScopeState, given: Circumstances) -> list[Envelope]:
    return seal(sweep_sessions(command, state, given.now), state, given)


def _record_recall(command: RecordRecall, state: ScopeState, given: Circumstances) -> list[Envelope]:
    require_memory(state, session_id=command.session_id)
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


Rule = Callable[[Any, ScopeState, Circumstances], Ruling]

RULES: dict[type[Command], Rule] = {
    UserMessage: _user_message,
    AgentResponse: record_turn,
    SystemMessage: record_turn,
    ImportTurns: _import_turns,
    ImportMemories: import_memories,
    RememberFact: remember_fact,
    CorrectFact: correct_fact,
    ConfirmFact: confirm_fact,
    Pin: pin,
    Unpin: unpin,
    Restore: restore,
    ChangeSettings: change_settings,
    Forget: forget,
    ForgetUser: forget_user,
    StartIncognito: start_incognito,
    EndIncognito: end_incognito,
    EndSession: _end_session,
    SweepSessions: _sweep_sessions,
    RecordRecall: _record_recall,
    AttachEmbedding: attach_embedding,
    AttachEntities: attach_entities,
    SaveFacts: save_facts,
    FailConsolidation: fail_consolidation,
}
"""The rule of every command; a test asserts that none lacks one."""
