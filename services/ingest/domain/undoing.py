"""Takes back what a run did, or the recording of one fact: each of its events by the opposite one, the last first.

What others built on stays: a fact of a run that was confirmed, pinned, saved by hand or told elsewhere since, and all that such
a fact had ended. What something newer ended as well stays ended.
"""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from services.ingest.domain.capacity import keep_to_the_cap
from services.ingest.domain.claims import unpacked
from services.ingest.domain.deeds import (
    is_chosen,
    is_left_of_an_undone_run,
    is_undone,
    look_up,
    of_fact,
    of_run,
    parts_without,
    superseded_before,
    told_last,
    undone_repeats,
)
from services.ingest.domain.keeping import known_fact, known_memory
from services.ingest.domain.lacks import take_each
from services.ingest.domain.redoing import outdate_again, repeat_again
from services.ingest.domain.repeats import restore_as_it_was
from services.ingest.domain.rollups import is_whole, last_rolled_up, of_rollup
from services.ingest.domain.ruling import Ruling
from shared.contracts.ageing import MemoryRolledUp
from shared.contracts.conflicts import ConflictAnswered, ConflictDetected
from shared.contracts.envelope import Envelope
from shared.contracts.errors import UnknownMemory, UnknownRun
from shared.contracts.events import (
    FactCorrected,
    FactOutdated,
    FactRemembered,
    FactSuperseded,
    MemoryRepeated,
    MemoryRestored,
    MemoryRetired,
    NewFact,
)
from shared.contracts.ids import MemoryId
from shared.contracts.parts import Kind
from shared.contracts.undoing import OutdatingUndone, RepeatUndone, RunUndone, Undo
from shared.domain.importance import merged, summed

MOST_UNDONE = 400
"""Most events that one command adds, for all must fit into one append. The same command again takes back more."""


def undo(command: Undo, ruling: Ruling) -> None:
    """Take back what is named, as far as it is not taken back yet. Raises UnknownRun, UnknownMemory or NotAFact."""
    if command.memory_id is not None and command.number is not None:
        known_fact(command.memory_id, ruling.state)
        deeds = [
            deed
            for deed in ruling.state.words().deeds
            if deed.number == command.number and deed.data.subject == command.memory_id
        ]
        if not any(isinstance(deed.data, MemoryRepeated) for deed in deeds):
            raise UnknownMemory
        look_up(deeds, ruling)
        _take_back(deeds, frozenset(), ruling)
    elif command.memory_id is not None:
        if known_memory(command.memory_id, ruling.state).kind is Kind.ROLLUP:
            done = of_rollup(command.memory_id, ruling.state.words().deeds)
        else:
            known_fact(command.memory_id, ruling.state)
            done = of_fact(command.memory_id, ruling.state.words().deeds)
        look_up(done, ruling)
        _take_back(done, _lasting(done, ruling), ruling)
    elif command.run_id is not None:
        _undo_run(command.run_id, ruling)


def hold_parts_again(memory_id: MemoryId, ruling: Ruling) -> None:
    """Let the parts of facts hold again that a fact had ended which is taken back itself. Raises Lacks."""
    deeds = ruling.state.words().deeds
    over = [deed for deed in deeds if isinstance(deed.data, FactOutdated) and deed.data.outdated_by == memory_id]
    look_up(over, ruling)
    gone = _Facts(frozenset({memory_id}))
    for deed in reversed(over):
        _OPPOSITES[FactOutdated](deed, deed.data, gone, ruling)


def _undo_run(run_id: str, ruling: Ruling) -> None:
    deeds = ruling.state.words().deeds
    if done := of_run(run_id, deeds):
        look_up(done, ruling)
        _take_back(done, _kept(done, ruling), ruling)
        for memory_id in _baseless(done, ruling):
            last = of_fact(memory_id, deeds)
            look_up(last, ruling)
            _take_back(last, frozenset(), ruling)
        if len(ruling.events) < MOST_UNDONE:
            ruling.add(RunUndone(run_id=run_id))
    elif not is_undone(run_id, deeds):
        raise UnknownRun


def _kept(done: Sequence[Envelope], ruling: Ruling) -> frozenset[MemoryId]:
    """The facts of a run that rest on something else by now."""
    state, undone = ruling.state, undone_repeats(ruling.state.words().deeds)
    repeated = [deed.data.subject for deed in done if isinstance(deed.data, MemoryRepeated) and deed.event_id not in undone]

    def is_kept(memory_id: MemoryId) -> bool:
        fact = state.facts.get(memory_id)
        return fact is not None and (is_wanted(memory_id, ruling) or fact.repeat_count > repeated.count(memory_id))

    kept = (deed.data.memory_id for deed in done if isinstance(deed.data, NewFact) and is_kept(deed.data.memory_id))
    return frozenset(kept) | _lasting(done, ruling)


def _lasting(done: Sequence[Envelope], ruling: Ruling) -> frozenset[MemoryId]:
    """The roll-ups that alone say still what something said that is forgotten by now."""
    made = {deed.data.memory_id for deed in done if isinstance(deed.data, MemoryRolledUp)}
    return frozenset(each for each in made if not is_whole(each, ruling.state.words()))


def _baseless(done: Sequence[Envelope], ruling: Ruling) -> list[MemoryId]:
    """The facts that a run had told again, and that rest on nothing else: the run that had made them is undone as well."""
    state, deeds = ruling.state, ruling.state.words().deeds
    return [
        memory_id
        for memory_id in {deed.data.memory_id: None for deed in done if isinstance(deed.data, MemoryRepeated)}
        if (fact := state.facts.get(memory_id))
        and not (fact.repeat_count or is_wanted(memory_id, ruling))
        and is_left_of_an_undone_run(memory_id, deeds)
    ]


def is_wanted(memory_id: MemoryId, ruling: Ruling) -> bool:
    """Whether a person has asked to keep a fact, or has said that it holds."""
    fact, memory = ruling.state.facts[memory_id], ruling.state.memories[memory_id]
    is_kept = fact.confirmed or fact.manually_saved or memory.pinned
    return is_kept or is_chosen(memory_id, ruling.state.words().deeds)


class _Facts(NamedTuple):
    """The facts that were made by what is taken back."""

    going: frozenset[MemoryId]
    kept: frozenset[MemoryId] = frozenset()


def reverse(done: Sequence[Envelope], kept: frozenset[MemoryId], ruling: Ruling) -> None:
    """Add the opposites of these events, the last first, so far as they still count; `kept` stays. Raises Lacks."""
    made = frozenset(deed.data.memory_id for deed in done if isinstance(deed.data, NewFact))
    facts = _Facts(made - kept, kept)

    def take_back_one(deed: Envelope) -> None:
        if len(ruling.events) < MOST_UNDONE and (opposite := _OPPOSITES.get(type(deed.data))):
            opposite(deed, deed.data, facts, ruling)

    take_each(reversed(done), take_back_one)


def _take_back(done: Sequence[Envelope], kept: frozenset[MemoryId], ruling: Ruling) -> None:
    reverse(done, kept, ruling)
    raised = {deed.data.conflict_id for deed in done if isinstance(deed.data, ConflictDetected)}
    for deed in done:
        if isinstance(deed.data, ConflictAnswered) and deed.data.conflict_id not in raised:
            conflict = ruling.state.conflicts.get(deed.data.conflict_id)
            if (
                conflict
                and not conflict.is_pending
                and ruling.state.is_live(conflict.older)
                and ruling.state.is_live(conflict.newer)
            ):
                asked = ConflictDetected(
                    conflict_id=deed.data.conflict_id, memory_id=conflict.older, newer=conflict.newer, reason=conflict.reason
                )
                ruling.add(asked)
    restored = {event.data.memory_id for event in ruling.events if isinstance(event.data, MemoryRestored)}
    keep_to_the_cap(ruling, spared=restored)


def _retire(_: Envelope, data: NewFact | MemoryRolledUp, facts: _Facts, ruling: Ruling) -> None:
    if data.memory_id not in facts.kept and ruling.state.is_live(data.memory_id):
        ruling.add(MemoryRetired(memory_id=data.memory_id, reason="undone"))


def _unrepeat(deed: Envelope, data: MemoryRepeated, _: _Facts, ruling: Ruling) -> None:
    fact, deeds = ruling.state.facts.get(data.memory_id), ruling.state.words().deeds
    if fact is None or deed.event_id in undone_repeats(deeds):
        return
    count = fact.repeat_count - 1
    before = parts_without(deed, deeds)
    undone = RepeatUndone(
        memory_id=data.memory_id,
        repeat=deed.event_id,
        repeat_count=count,
        told_at=told_last(data.memory_id, deeds, but_for=deed) or fact.told_at,
        removed_source_ids=data.added_source_ids,
        removed_tags=data.added_tags,
        importance=merged(fact.parts, {}, repeats=count) if before is None else summed(before),
        importance_before=fact.importance,
    )
    ruling.add(undone)


def _revive(deed: Envelope, data: FactSuperseded, facts: _Facts, ruling: Ruling) -> None:
    fact = ruling.state.facts.get(data.memory_id)
    if fact is None or fact.superseded_by != data.superseded_by:
        return
    if data.memory_id in facts.going or not _holds_without(data.superseded_by, facts, ruling):
        ended = unpacked(fact.claims).ended
        restore_as_it_was(data.memory_id, ruling)
        _end_parts_again(data.memory_id, ended, facts, ruling)
        _supersede_again(deed, facts, ruling)


def _supersede_again(deed: Envelope, facts: _Facts, ruling: Ruling) -> None:
    """Let a restored fact be superseded by what it had given way to before it gave way, earlier, to what is taken back."""
    for said, at in superseded_before(deed, ruling.state.words().deeds):
        by = ruling.state.memories.get(said.superseded_by)
        if said.superseded_by not in facts.going and not (by and by.ended == "undone"):
            ruling.add(said, at)


def _end_parts_again(memory_id: MemoryId, ended: frozenset[int], facts: _Facts, ruling: Ruling) -> None:
    """Let the parts of a restored fact be outdated that were so before it was superseded: restoring makes all of it hold."""
    before = [deed.data for deed in ruling.state.words().deeds if isinstance(deed.data, FactOutdated)]
    for data in before:
        if data.memory_id == memory_id and data.outdated_by not in facts.going and (parts := ended.intersection(data.slots)):
            ruling.add(data.model_copy(update={"slots": tuple(sorted(parts))}))
            ended -= parts


def _holds_without(memory_id: MemoryId, facts: _Facts, ruling: Ruling) -> bool:
    """Whether a fact, or what stands in its place by now, goes on to hold although it ended others by what is taken back."""
    if memory_id in facts.kept:
        return True
    fact = ruling.state.facts.get(memory_id)
    while fact and fact.superseded_by:
        memory_id = fact.superseded_by
        fact = ruling.state.facts.get(memory_id)
        if not fact or not fact.superseded_by:
            return memory_id not in facts.going
    return False


def _hold_again(_: Envelope, data: FactOutdated, facts: _Facts, ruling: Ruling) -> None:
    fact = ruling.state.facts.get(data.memory_id)
    over = sorted(unpacked(fact.claims).ended.intersection(data.slots)) if fact else []
    if over and data.outdated_by not in facts.kept:
        ruling.add(OutdatingUndone(memory_id=data.memory_id, outdated_by=data.outdated_by, slots=tuple(over)))


def _bring_back(deed: Envelope, data: MemoryRetired, _: _Facts, ruling: Ruling) -> None:
    memory = ruling.state.memories.get(data.memory_id)
    if memory is None or memory.ended != data.reason:
        return
    is_last = not data.rolled_up_into or last_rolled_up(ruling.state.words().deeds).get(data.memory_id) == deed
    if is_last:  # else another roll-up stands for it by now
        restore_as_it_was(data.memory_id, ruling, lost_rollup=data.rolled_up_into is not None)


def _end_again(deed: Envelope, data: MemoryRestored, facts: _Facts, ruling: Ruling) -> None:
    if data.memory_id in facts.kept or not ruling.state.is_live(data.memory_id):
        return
    if data.was == "superseded":
        for said, at in superseded_before(deed, ruling.state.words().deeds)[-1:]:
            if ruling.state.is_live(said.superseded_by):
                ruling.add(said, at)
    else:
        ruling.add(MemoryRetired(memory_id=data.memory_id, reason=data.was))


def _drop_question(_: Envelope, data: ConflictDetected, facts: _Facts, ruling: Ruling) -> None:
    conflict = ruling.state.conflicts.get(data.conflict_id)
    if conflict and conflict.is_pending and data.newer not in facts.kept:
        dropped = ConflictAnswered(
            conflict_id=data.conflict_id, memory_id=data.memory_id, newer=data.newer, holds=None, how="undone"
        )
        ruling.add(dropped)


_Opposite = Callable[[Envelope, Any, _Facts, Ruling], None]
_OPPOSITES: dict[type, _Opposite] = {
    FactRemembered: _retire,
    FactCorrected: _retire,
    MemoryRolledUp: _retire,
    MemoryRepeated: _unrepeat,
    FactSuperseded: _revive,
    FactOutdated: _hold_again,
    MemoryRetired: _bring_back,
    MemoryRestored: _end_again,
    ConflictDetected: _drop_question,
    RepeatUndone: lambda deed, data, _, ruling: repeat_again(deed, data, ruling),
    OutdatingUndone: lambda deed, data, _, ruling: outdate_again(deed, data, ruling),
}
