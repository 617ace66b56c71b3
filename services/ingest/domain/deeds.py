"""Finds in what was decided about facts what one run did, or the recording of one fact."""

from collections.abc import Iterator, Sequence
from datetime import datetime

from services.ingest.domain.lacks import Needs
from services.ingest.domain.ruling import Ruling
from shared.contracts.ageing import MemoryRolledUp
from shared.contracts.conflicts import ConflictAnswered, ConflictDetected
from shared.contracts.envelope import Envelope
from shared.contracts.event import EventData
from shared.contracts.events import (
    FactOutdated,
    FactSuperseded,
    MemoryEnriched,
    MemoryRepeated,
    MemoryRestored,
    MemoryRetired,
    NewFact,
)
from shared.contracts.ids import EventId, MemoryId
from shared.contracts.parts import FactSlot
from shared.contracts.undoing import RepeatUndone, RunRedone, RunUndone


def look_up(done: Sequence[Envelope], ruling: Ruling) -> None:
    """Require the memories that these events name. Raises Lacks."""
    ruling.state.require(Needs(memories={each for deed in done for each in deed.data.named}))


def of_run(run_id: str, deeds: Sequence[Envelope]) -> list[Envelope]:
    """All that the commands of a run led to, and that its facts did to others which came in late, since it was undone last."""
    new = deeds[last_undone(run_id, deeds) :]
    undone = {deed.causation_id for deed in new if isinstance(deed.data, RunUndone)}  # another run
    own = {deed.event_id: deed.causation_id for deed in new if run_of(deed.data) == run_id}
    commands = {*own.values()} - undone
    made = {
        deed.data.memory_id for deed in new if deed.causation_id in commands and isinstance(deed.data, NewFact | MemoryRolledUp)
    }
    return [deed for deed in new if deed.causation_id in commands or deed.event_id in own or made_by(deed.data) in made]


def is_undone(run_id: str, deeds: Sequence[Envelope]) -> bool:
    """Whether a run was taken back, and not done again since."""
    return last_undone(run_id, deeds) > 0


def last_undone(run_id: str, deeds: Sequence[Envelope]) -> int:
    """How many of these were decided until a run was taken back last, if that was not done again since; else 0."""
    undone: list[int] = []
    for place, deed in enumerate(deeds, 1):
        match deed.data:
            case RunUndone(run_id=undone_run) if undone_run == run_id:
                undone.append(place)
            case RunRedone(run_id=redone_run) if redone_run == run_id:
                undone.pop()
            case _:
                pass
    return undone[-1] if undone else 0


def of_fact(memory_id: MemoryId, deeds: Sequence[Envelope]) -> list[Envelope]:
    """What recording a fact led to: the fact, what it ended, the questions that it raised; and its own end, if it came late."""
    late = _late_ends(memory_id, deeds)
    return [deed for deed in deeds if made_by(deed.data) == memory_id or deed.event_id in late]


def _late_ends(memory_id: MemoryId, deeds: Sequence[Envelope]) -> frozenset[EventId]:
    """The events by which a fact was superseded as soon as it was made, by what was known already."""
    made = {deed.data.memory_id: deed for deed in deeds if isinstance(deed.data, NewFact)}
    own = made.get(memory_id)
    ends = [(deed, deed.data) for deed in deeds if isinstance(deed.data, FactSuperseded) and deed.data.memory_id == memory_id]
    return frozenset(
        deed.event_id
        for deed, data in ends
        if own and deed.causation_id == own.causation_id and made.get(data.superseded_by, own).number <= own.number
    )


def superseded_before(deed: Envelope, deeds: Sequence[Envelope]) -> list[tuple[FactSuperseded, datetime]]:
    """How a fact was superseded already when this event ended it: each time by what was told earlier, and when."""
    before: list[tuple[FactSuperseded, datetime]] = []
    for each in (each for each in deeds if each.number < deed.number and each.data.subject == deed.data.subject):
        if isinstance(each.data, FactSuperseded):
            before.append((each.data, each.occurred_at))
        elif isinstance(each.data, MemoryRestored):
            before.clear()
    return before


def is_left_of_an_undone_run(memory_id: MemoryId, deeds: Sequence[Envelope]) -> bool:
    """Whether a fact was made by a run that is taken back, and was left because it was told elsewhere too."""
    own = [deed.data for deed in deeds if deed.data.subject == memory_id]
    if any(isinstance(data, MemoryRetired) and data.reason == "undone" for data in own):
        return False  # it was not left, and somebody has restored it
    return any((run := run_of(data)) and is_undone(run, deeds) for data in own if data.makes)


def is_chosen(memory_id: MemoryId, deeds: Sequence[Envelope]) -> bool:
    """Whether a person answered a question so that this fact holds."""
    for deed in deeds:
        match deed.data:
            case ConflictAnswered(how="command" | "chat", holds="newer" | "both", newer=chosen) if chosen == memory_id:
                return True
            case ConflictAnswered(how="command" | "chat", holds="older" | "both", memory_id=chosen) if chosen == memory_id:
                return True
            case _:
                pass
    return False


def slots_of(memory_id: MemoryId, deeds: Sequence[Envelope]) -> tuple[FactSlot, ...]:
    """What a fact states, as it was recorded."""
    made = (deed.data.slots for deed in deeds if isinstance(deed.data, NewFact) and deed.data.memory_id == memory_id)
    return next(made, ())


def undone_repeats(deeds: Sequence[Envelope]) -> frozenset[EventId]:
    """The repeats that were taken back."""
    return frozenset(deed.data.repeat for deed in deeds if isinstance(deed.data, RepeatUndone))


def told_last(memory_id: MemoryId, deeds: Sequence[Envelope], *, but_for: Envelope) -> datetime | None:
    """When a fact was told last, this time and those that were taken back left out."""
    gone = {*undone_repeats(deeds), but_for.event_id}
    told = [deed for deed in deeds if deed.data.subject == memory_id and isinstance(deed.data, NewFact | MemoryRepeated)]
    return max((deed.told_at for deed in told if deed.event_id not in gone), default=None)


def parts_without(repeat: Envelope, deeds: Sequence[Envelope]) -> dict[str, float] | None:
    """What added to the importance of a fact before it was repeated; None where something else has changed it since."""
    undone = undone_repeats(deeds)
    weighed = [
        (deed.event_id, parts)
        for deed in deeds
        if deed.data.subject == repeat.data.subject and deed.event_id not in undone
        for parts in _parts(deed.data)
    ]
    ids = [event_id for event_id, _ in weighed]
    is_last = len(ids) > 1 and ids[-1] == repeat.event_id
    return weighed[-2][1] if is_last else None


def run_of(data: EventData) -> str | None:
    """The run that an event belongs to by itself."""
    origin = getattr(data, "origin", None)
    return origin.run_id if origin else None


def made_by(data: EventData) -> MemoryId | None:
    """The fact that an event makes, or that ends or doubts another by it."""
    match data:
        case NewFact():
            return data.memory_id
        case FactSuperseded():
            return data.superseded_by
        case FactOutdated():
            return data.outdated_by
        case ConflictDetected():
            return data.newer
        case MemoryRetired():
            return data.rolled_up_into
        case _:
            return None


def _parts(data: EventData) -> Iterator[dict[str, float]]:
    match data:
        case NewFact():
            yield data.importance_parts or {"base": data.importance}
        case MemoryRepeated():
            yield data.importance.parts
        case MemoryEnriched(importance=weighed) if weighed:
            yield weighed.parts
        case _:
            pass
