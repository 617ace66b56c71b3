"""Decides commands: one entry, and the rule of each command."""

from collections.abc import Callable
from contextlib import suppress
from typing import Any

from services.ingest.domain.ageing import erase_rolled_up, save_rollup
from services.ingest.domain.agent_runs import mark_session_consolidated, resolve_conflict, save_facts_batch
from services.ingest.domain.circumstances import Circumstances
from services.ingest.domain.conflicts import answer_conflict
from services.ingest.domain.consolidation import fail_consolidation, retry_consolidation, save_facts
from services.ingest.domain.corrections import correct_fact
from services.ingest.domain.decaying import retire_memories
from services.ingest.domain.editing import edit_message
from services.ingest.domain.enrichment import attach_embedding, attach_entities
from services.ingest.domain.entities import merge_entities, unmerge_entities
from services.ingest.domain.facts import remember_fact
from services.ingest.domain.feedback import record_feedback
from services.ingest.domain.forgetting import forget, forget_again, forget_user
from services.ingest.domain.importing import import_memories
from services.ingest.domain.incognito import end_incognito, start_incognito
from services.ingest.domain.jobs import finish_job
from services.ingest.domain.keeping import confirm_fact, pin, unpin
from services.ingest.domain.preferences import change_settings
from services.ingest.domain.recalls import record_recall
from services.ingest.domain.redoing import redo
from services.ingest.domain.reflections import save_reflection
from services.ingest.domain.restoring import restore
from services.ingest.domain.ruling import Ruling
from services.ingest.domain.sessions import end_session, sweep_sessions
from services.ingest.domain.sharing import share_tag, unshare_tag
from services.ingest.domain.state import ScopeState
from services.ingest.domain.taking_back import take_back
from services.ingest.domain.turns import add_turns, import_turns, record_turn, user_message
from services.ingest.domain.undoing import undo
from services.ingest.domain.withholding import actor_left
from shared.contracts.ageing import EraseRolledUp, SaveRollup
from shared.contracts.command import Channel, Command
from shared.contracts.commands import (
    AddTurns,
    AgentResponse,
    AttachEmbedding,
    AttachEntities,
    ChangeSettings,
    ConfirmFact,
    CorrectFact,
    EditMessage,
    EndSession,
    FailConsolidation,
    ImportTurns,
    Pin,
    RecordRecall,
    RememberFact,
    Restore,
    RetireMemories,
    SaveFacts,
    SweepSessions,
    SystemMessage,
    Unpin,
    UserMessage,
)
from shared.contracts.conflicts import AnswerConflict
from shared.contracts.consolidating import MarkSessionConsolidated, ResolveConflict, SaveFactsBatch
from shared.contracts.entities import MergeEntities, UnmergeEntities
from shared.contracts.errors import Forgotten, IdReused, UnknownMemory, UnknownSession
from shared.contracts.events import CommandRejected, MemoryRepeated
from shared.contracts.feedback import RecordFeedback
from shared.contracts.ids import CommandId
from shared.contracts.jobs import FinishJob
from shared.contracts.learning import RetryConsolidation
from shared.contracts.moving import ImportMemories
from shared.contracts.privacy import EndIncognito, Forget, ForgetAgain, ForgetUser, StartIncognito, TakeBack
from shared.contracts.reflecting import SaveReflection
from shared.contracts.sharing import ShareTag, UnshareTag
from shared.contracts.undoing import Redo, Undo

_IN_PARTS = AddTurns | ImportTurns | ImportMemories | AttachEmbedding
"""Commands that are recorded in part: what is in them is known one by one."""


def decide(command: Command, state: ScopeState, given: Circumstances) -> Ruling:
    """The events of a command, none if it had its effect already, and the state after them.

    Raises Lacks if more of the scope must be looked up, a Rejected if the command cannot be obeyed, a NotRecorded if the person
    wants nothing of it kept.
    """
    ruling = Ruling(state, actor_left(given, state))
    if given.command_id in state.privacy.forgotten_commands:
        raise Forgotten
    if isinstance(command, _IN_PARTS) or not ruling.is_known(command.content):
        RULES[type(command)](command, ruling)
    elif command.content is None and command.channel is Channel.SEND and not isinstance(command, TakeBack):
        _require_repeat(command, state, given)
    return ruling


def _require_repeat(command: Command, state: ScopeState, given: Circumstances) -> None:
    """Raise IdReused if a command whose id is known would have an effect still: the id stands for another one.

    Known facts that a batch tells again would be counted again, which is no effect of its own; nor is it one to forget a person
    again of whom nothing was remembered since.
    """
    if isinstance(command, ForgetUser) and not state.survivors().memories and not state.sessions:
        return
    again = Ruling(state, given)
    with suppress(*((UnknownMemory, UnknownSession) if isinstance(command, Forget) else ())):  # it is forgotten already
        RULES[type(command)](command, again)
    if not all(isinstance(event.data, MemoryRepeated) for event in again.events):
        raise IdReused("a command with this message_id was obeyed before, and this one is another; send it with a new id")


def reject(code: str, *, state: ScopeState, given: Circumstances, command_id: CommandId | None = None) -> Ruling:
    """The event of a refused command: its name and code, no text. `command_id`: if its sender gave a message_id."""
    ruling = Ruling(state, given)
    ruling.add(CommandRejected(what=given.what, code=code, command_id=command_id))
    return ruling


DecisionRule = Callable[[Any, Ruling], None]

RULES: dict[type[Command], DecisionRule] = {
    UserMessage: user_message,
    AgentResponse: record_turn,
    SystemMessage: record_turn,
    AddTurns: add_turns,
    ImportTurns: import_turns,
    ImportMemories: import_memories,
    RememberFact: remember_fact,
    CorrectFact: correct_fact,
    ConfirmFact: confirm_fact,
    Pin: pin,
    Unpin: unpin,
    Restore: restore,
    ChangeSettings: change_settings,
    AnswerConflict: answer_conflict,
    ResolveConflict: resolve_conflict,
    SaveFactsBatch: save_facts_batch,
    MarkSessionConsolidated: mark_session_consolidated,
    MergeEntities: merge_entities,
    UnmergeEntities: unmerge_entities,
    ShareTag: share_tag,
    UnshareTag: unshare_tag,
    Undo: undo,
    Redo: redo,
    EditMessage: edit_message,
    Forget: forget,
    ForgetUser: forget_user,
    ForgetAgain: forget_again,
    TakeBack: take_back,
    StartIncognito: start_incognito,
    EndIncognito: end_incognito,
    EndSession: end_session,
    SweepSessions: sweep_sessions,
    RecordRecall: record_recall,
    RecordFeedback: record_feedback,
    RetireMemories: retire_memories,
    AttachEmbedding: attach_embedding,
    AttachEntities: attach_entities,
    SaveRollup: save_rollup,
    EraseRolledUp: erase_rolled_up,
    SaveFacts: save_facts,
    FailConsolidation: fail_consolidation,
    RetryConsolidation: retry_consolidation,
    FinishJob: finish_job,
    SaveReflection: save_reflection,
}
"""The rule of every command; a test asserts that none lacks one."""
