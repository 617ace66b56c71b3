"""Does again what was taken back last: each event of the taking back by the opposite one, the last first.

What was decided about a memory since then stays: an opposite is added only where what the taking back led to is still there.
"""

from collections.abc import Callable, Sequence
from typing import Any

from services.ingest.domain.capacity import keep_to_the_cap
from services.ingest.domain.claims import unpacked
from services.ingest.domain.deeds import last_undone, look_up, of_run
from services.ingest.domain.keeping import known_memory
from services.ingest.domain.lacks import Needs, take_each
from services.ingest.domain.memories import Status
from services.ingest.domain.repeats import restore_as_it_was
from services.ingest.domain.ruling import Ruling
from shared.contracts.conflicts import ConflictAnswered, ConflictDetected
from shared.contracts.envelope import Envelope
from shared.contracts.errors import UnknownRun
from shared.contracts.event import EventData
from shared.contracts.events import FactOutdated, FactSuperseded, MemoryRepeated, MemoryRestored, MemoryRetired
from shared.contracts.ids import MemoryId
from shared.contracts.undoing import OutdatingUndone, Redo, RepeatUndone, RunRedone, RunUndone
from shared.domain.importance import merged


def redo(command: Redo, ruling: Ruling) -> None:
    """Do again what was taken back of what is named. Raises UnknownRun or UnknownMemory."""
    if command.run_id is not None:
        _redo_run(command.run_id, ruling)
    elif command.memory_id is not None:
        known_memory(command.memory_id, ruling.state)
        _redo_all(_of_memory(command.memory_id, command.number, ruling.state.words().deeds), ruling)


def _redo_run(run_id: str, ruling: Ruling) -> None:
    deeds = ruling.state.words().deeds
    if place := last_undone(run_id, deeds):
        marked = deeds[place - 1]
        _redo_all([deed for deed in deeds if deed.causation_id == marked.causation_id], ruling)
        ruling.add(RunRedone(run_id=run_id))
    elif not of_run(run_id, deeds):
        raise UnknownRun


def _of_memory(memory_id: MemoryId, number: int | None, deeds: Sequence[Envelope]) -> list[Envelope]:
    """What the last `undo` of a memory, or of a time that it was told again, led to; nothing where it was not undone last."""
    if number is not None:
        repeats = {deed.event_id for deed in deeds if deed.number == number}
        return [deed for deed in deeds if isinstance(deed.data, RepeatUndone) and deed.data.repeat in repeats][-1:]
    ends = [deed for deed in deeds if isinstance(deed.data, MemoryRetired) and deed.data.memory_id == memory_id]
    if not ends or ends[-1].data.reason != "undone":  # type: ignore[attr-defined] # it is a MemoryRetired
        return []
    group = [deed for deed in deeds if deed.causation_id == ends[-1].causation_id]
    return [] if any(isinstance(deed.data, RunUndone) for deed in group) else group


def _redo_all(undone: Sequence[Envelope], ruling: Ruling) -> None:
    look_up(undone, ruling)

    def redo_one(deed: Envelope) -> None:
        if opposite := _OPPOSITES.get(type(deed.data)):
            opposite(deed, deed.data, ruling)

    take_each(reversed(undone), redo_one)
    made = {event.data.memory_id for event in ruling.events if isinstance(event.data, MemoryRestored)}
    keep_to_the_cap(ruling, spared=made)


def _restore(_: Envelope, data: MemoryRetired, ruling: Ruling) -> None:
    memory = ruling.state.memories.get(data.memory_id)
    if memory and memory.status is Status.RETIRED and memory.ended == data.reason:
        restore_as_it_was(data.memory_id, ruling)


def _end_again(deed: Envelope, data: MemoryRestored, ruling: Ruling) -> None:
    """Let what was live again give way as it had."""
    if not ruling.state.is_live(data.memory_id):
        return
    ended = _last_before(
        deed, ruling, lambda said: isinstance(said, FactSuperseded | MemoryRetired) and said.memory_id == data.memory_id
    )
    if ended is None:
        return
    match ended.data:
        case FactSuperseded(superseded_by=by) if _is_known(by, ruling):
            fact = ruling.state.facts[data.memory_id]
            ruling.add(ended.data.model_copy(update={"confidence_before": fact.confidence}), ended.occurred_at)
        case MemoryRetired():
            ruling.add(ended.data)
        case _:
            pass


def _revive(_: Envelope, data: FactSuperseded, ruling: Ruling) -> None:
    fact = ruling.state.facts.get(data.memory_id)
    if fact and fact.superseded_by == data.superseded_by:
        restore_as_it_was(data.memory_id, ruling)


def repeat_again(_: Envelope, data: RepeatUndone, ruling: Ruling) -> None:
    """Count a fact once more, in the words of that time."""
    fact = ruling.state.facts.get(data.memory_id)
    told = next((deed for deed in ruling.state.words().deeds if deed.event_id == data.repeat), None)
    if fact is None or told is None or not isinstance(told.data, MemoryRepeated):
        return
    memory, count = ruling.state.memories[data.memory_id], fact.repeat_count + 1
    is_as_left = fact.importance == data.importance.value
    again = told.data.model_copy(
        update={
            "repeat_count": count,
            "added_source_ids": data.removed_source_ids,
            "added_tags": data.removed_tags,
            "manually_saved": fact.manually_saved or told.data.manually_saved,
            "was_manually_saved": fact.manually_saved,
            "pinned": memory.pinned or told.data.pinned,
            "was_pinned": memory.pinned,
            "importance": told.data.importance if is_as_left else merged(fact.parts, told.data.importance.parts, repeats=count),
            "importance_before": fact.importance,
        }
    )
    ruling.add(again, told.occurred_at)


def outdate_again(deed: Envelope, data: OutdatingUndone, ruling: Ruling) -> None:
    """Let the parts of a fact be outdated again, as they were."""
    fact = ruling.state.facts.get(data.memory_id)
    said = _last_before(
        deed,
        ruling,
        lambda each: (
            isinstance(each, FactOutdated) and (each.memory_id, each.outdated_by) == (data.memory_id, data.outdated_by)
        ),
    )
    if fact and said and _is_known(data.outdated_by, ruling):
        held = tuple(slot for slot in data.slots if slot not in unpacked(fact.claims).ended)
        if held:
            ruling.add(said.data.model_copy(update={"slots": held}), said.occurred_at)


def _ask(deed: Envelope, data: ConflictAnswered, ruling: Ruling) -> None:
    conflict = ruling.state.conflicts.get(data.conflict_id)
    asked = _last_before(deed, ruling, lambda said: isinstance(said, ConflictDetected) and said.conflict_id == data.conflict_id)
    if not conflict or not asked or conflict.is_pending:
        return
    if ruling.state.is_live(conflict.older) and ruling.state.is_live(conflict.newer):
        ruling.add(asked.data, asked.occurred_at)


def _answer(deed: Envelope, data: ConflictDetected, ruling: Ruling) -> None:
    conflict = ruling.state.conflicts.get(data.conflict_id)
    answered = _last_before(
        deed, ruling, lambda said: isinstance(said, ConflictAnswered) and said.conflict_id == data.conflict_id
    )
    if conflict and answered and conflict.is_pending:
        ruling.add(answered.data, answered.occurred_at)


def _last_before(deed: Envelope, ruling: Ruling, is_meant: Callable[[EventData], bool]) -> Envelope | None:
    """The last event of this kind before the taking back."""
    before = (each for each in reversed(ruling.state.words().deeds) if each.number < deed.number and is_meant(each.data))
    return next((each for each in before if each.causation_id != deed.causation_id), None)


def _is_known(memory_id: MemoryId, ruling: Ruling) -> bool:
    ruling.state.require(Needs(memories={memory_id}))
    return memory_id in ruling.state.memories


_DoneAgain = Callable[[Envelope, Any, Ruling], None]
_OPPOSITES: dict[type, _DoneAgain] = {
    MemoryRetired: _restore,
    MemoryRestored: _end_again,
    FactSuperseded: _revive,
    RepeatUndone: repeat_again,
    OutdatingUndone: outdate_again,
    ConflictAnswered: _ask,
    ConflictDetected: _answer,
}
