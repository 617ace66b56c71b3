"""Imports an export: its records become events here, and memories keep their ids.

A record is recognised by the id of its event, so the same export, whole or in part, is imported once. Where it came from, it is
recognised by the command that caused it. What was forgotten here stays forgotten.
"""

from collections.abc import Collection

from services.ingest.domain.circumstances import Circumstances
from services.ingest.domain.entities import as_said_elsewhere
from services.ingest.domain.lacks import Needs, take_each
from services.ingest.domain.ruling import Ruling
from services.ingest.domain.settling_in import (
    DecidedPair,
    as_it_applies,
    decided_pairs,
    hold_again,
    look_up_imported,
    take_in,
    tell_again,
    told_by,
)
from services.ingest.domain.sharing import as_shared_elsewhere
from services.ingest.domain.state import ScopeState
from services.ingest.domain.undoing import hold_parts_again
from services.ingest.domain.withholding import require_memory, stones_on
from shared.contracts.ageing import MemoryRolledUp
from shared.contracts.entities import EntitiesMerged, EntitiesUnmerged
from shared.contracts.errors import Forgotten, NotRecorded
from shared.contracts.event import EventData
from shared.contracts.events import (
    EVENTS,
    EpisodeRecorded,
    MemoryRepeated,
    MemoryRestored,
    MemoryRetired,
    NewFact,
    SessionCompleted,
    SessionStarted,
)
from shared.contracts.ids import CommandId, MemoryId, Scope, SessionId
from shared.contracts.moving import ImportedRecord, ImportMemories
from shared.contracts.preferences import SettingsChanged
from shared.contracts.reflecting import ReflectionRecorded
from shared.contracts.sharing import TagShared, TagUnshared
from shared.contracts.undoing import RepeatUndone
from shared.domain.digests import Digester, event_id
from shared.language.text.cleaning import comparable


def record_command_id(record: ImportedRecord, *, scope: Scope, digester: Digester) -> CommandId:
    """The id of a record as a command of its own: equal in every copy of the export."""
    return digester.command_id(scope, ImportMemories.what, record.record_id)


def telling(command: ImportMemories) -> int:
    """The number of records with text to remember."""
    return sum(EVENTS[record.type].has_words() for record in command.records)


def import_memories(command: ImportMemories, ruling: Ruling) -> None:
    """Record the events of the records that are new here. Raises MemoryOff, or Forgotten if none of them may come back."""
    require_memory(ruling.state)
    given = ruling.given
    ruling.state.require(_needs(command, given))
    look_up_imported(command.records, ruling)
    decided = decided_pairs(command.records)
    withheld: list[ImportedRecord] = []

    def import_one(record: ImportedRecord) -> None:
        identity = record_command_id(record, scope=given.scope, digester=given.digester)
        ruling.begin_part(given.of_part(command.what, identity))
        try:
            _take_over(record, decided, ruling)
        except NotRecorded:  # the others are not to suffer for it
            withheld.append(record)

    take_each(command.records, import_one)
    if len(withheld) == len(command.records):
        raise Forgotten


def _needs(command: ImportMemories, given: Circumstances) -> Needs:
    """What all records name, so that it is looked up at once."""
    digester, said = given.digester, [record.said for record in command.records]
    here = {record_command_id(record, scope=given.scope, digester=digester) for record in command.records}
    return Needs(
        sessions={session_id for each in said if (session_id := getattr(each, "session_id", None))},
        commands=here | {record.command_id for record in command.records},
        memories={
            memory_id
            for each in said
            for memory_id in (*each.named, *(map(MemoryId, each.source_ids) if isinstance(each, ReflectionRecorded) else ()))
        },
        values={digester.digest("content", comparable(text)) for each in said for text in each.words},
    )


def _take_over(record: ImportedRecord, decided: Collection[DecidedPair], ruling: Ruling) -> None:
    """Record what a record says, as far as it is new here. Raises a NotRecorded, with nothing added, if it is not kept."""
    state, given, said = ruling.state, ruling.given, record.said
    if record.command_id in state.seen or given.command_id in state.seen:
        return
    _require_not_forgotten(record, said, state, given)
    is_known = said.subject in state.memories
    if isinstance(said, NewFact) and not is_known:
        told = told_by(said, record, ruling)
        slots = (
            {} if said.slots else {"slots": told.stated, "is_whole": told.is_whole, "says_more": told.says_more}
        )  # exported before facts had any
        take_in(said.model_copy(update={"imported": True, **slots}), told, decided, ruling)
    elif isinstance(said, MemoryRepeated) and is_known:
        tell_again(said, told_by(said, record, ruling), ruling)
    elif isinstance(said, MemoryRestored) and is_known:
        hold_again(said, record.occurred_at, ruling)
    elif isinstance(said, TagShared | TagUnshared):
        ruling.add_all(as_shared_elsewhere(said, ruling), record.occurred_at)
    else:
        ruling.add_all(_events(said, record, state, given), record.occurred_at)
    if isinstance(said, MemoryRetired) and said.reason == "undone" and said.memory_id in state.facts:
        hold_parts_again(said.memory_id, ruling)


def _events(said: EventData, record: ImportedRecord, state: ScopeState, given: Circumstances) -> list[EventData]:
    events: list[EventData] = []
    is_known = said.subject in state.memories
    match said:
        case SessionStarted(session_id=session_id):
            events = _started(session_id, state)
        case SessionCompleted():
            events = _completed(said, record, state)
        case SettingsChanged():
            events = _settings(said, state)
        case RepeatUndone() if is_known:
            events = [_of_here(said, given)]
        case MemoryRolledUp() if not is_known:
            events = [said]
        case EpisodeRecorded(session_id=session_id) if not is_known:
            events = [*_started(session_id, state), said.model_copy(update={"imported": True})]
        case ReflectionRecorded() if not is_known:
            events = [said] if all(source in state.memories for source in said.source_ids) else []
        case EntitiesMerged() | EntitiesUnmerged():
            events = as_said_elsewhere(said, state)
        case _ if is_known and not said.makes and (applies := as_it_applies(said, state)):
            events = [applies]
        case _:
            pass
    return events


def _started(session_id: SessionId, state: ScopeState) -> list[EventData]:
    """Start a session, if it is not open."""
    known = state.sessions.get(session_id)
    return [] if known and known.is_open else [SessionStarted(session_id=session_id, resumed=known is not None)]


def _completed(said: SessionCompleted, record: ImportedRecord, state: ScopeState) -> list[EventData]:
    """Complete a session and, if its turns were learned from before, consolidate it too: else they would be again."""
    known = state.sessions.get(said.session_id)
    if known is None or not known.is_open:
        return []
    completed = said.model_copy(update={"turns": known.turns})
    if record.consolidated is None:
        return [completed]
    through = {"session_id": said.session_id, "through_number": state.number + 1}
    return [completed, record.consolidated.model_copy(update=through)]


def _of_here(said: RepeatUndone, given: Circumstances) -> RepeatUndone:
    """An undone repeat, by the id that the repeat was given when it was imported."""
    repeat = given.digester.command_id(given.scope, ImportMemories.what, said.repeat)
    return said.model_copy(update={"repeat": event_id(given.scope, ImportMemories.what, repeat, 0)})


def _settings(said: SettingsChanged, state: ScopeState) -> list[EventData]:
    if said.settings == state.settings:
        return []
    return [SettingsChanged(settings=said.settings, before=state.settings, asked=said.settings)]


def _require_not_forgotten(record: ImportedRecord, said: EventData, state: ScopeState, given: Circumstances) -> None:
    """Raise Forgotten if a record must not come back, or Incognito if its session is not kept here."""
    require_memory(state, session_id=getattr(said, "session_id", None))
    privacy = state.privacy
    if privacy.forgotten_commands & {record.command_id, given.command_id}:
        raise Forgotten
    for text in said.words:
        if given.digester.digest("content", comparable(text)) in privacy.forgotten_values:
            raise Forgotten
    if stones_on(said, state, given, by_others=True):
        raise Forgotten
