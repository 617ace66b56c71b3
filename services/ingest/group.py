"""Decides several commands in one go, each on the state that the ones before it leave, and packs their events for appending."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import takewhile
from typing import NamedTuple

from services.ingest.domain.decide import decide, reject
from services.ingest.domain.state import Fold, ScopeState
from services.ingest.sent import Sent
from services.ingest.store import Decision, Needs
from shared.contracts.command import Command
from shared.contracts.commands import CorrectFact, ImportTurns
from shared.contracts.envelope import Envelope
from shared.contracts.errors import Rejected
from shared.contracts.ids import CommandId, MemoryId, Scope
from shared.runtime.eventlog.append import MAX_BATCH


class Item(NamedTuple):
    """A message that was read: its command, or why it has none."""

    sent: Sent
    command: Command | Rejected


class Decided(NamedTuple):
    """What a command came to."""

    sent: Sent
    events: Sequence[Envelope]
    rejection: Rejected | None = None
    command_id: CommandId | None = None  # where its sender named it
    memory_id: MemoryId | None = None  # where it is obeyed already: the memory that it is about

    @property
    def verdict(self) -> str:
        """For the metrics."""
        return "rejected" if self.rejection else "recorded" if self.events else "unchanged"


class Packed(NamedTuple):
    """An event on its way to the log."""

    sent: Sent
    event: Envelope
    is_last: bool  # of its command


def read(sent: Sent) -> Item:
    """The command of a message, or the reason why it is refused."""
    try:
        return Item(sent, sent.command())
    except Rejected as error:
        return Item(sent, error)


def in_portions(items: Sequence[Item], most: int = MAX_BATCH) -> Iterator[list[Item]]:
    """The same in order, in portions of about one atomic append: large imports are decided piece by piece."""
    portion: list[Item] = []
    weight = 0
    for item in items:
        cost = len(item.command.turns) if isinstance(item.command, ImportTurns) else 1
        if portion and weight + cost > most:
            yield portion
            portion, weight = [], 0
        portion.append(item)
        weight += cost
    if portion:
        yield portion


def needs_of(items: Iterable[Item]) -> dict[Scope, Needs]:
    """What deciding these needs to know, by scope."""
    needs: dict[Scope, Needs] = {}
    for sent, command in items:
        need = needs.setdefault(sent.scope, Needs())
        if isinstance(command, Command):
            need.add(sent.needs(command))
    return needs


def decide_all(items: Iterable[Item], states: Mapping[Scope, ScopeState]) -> list[Decided]:
    """Decide in order; each command sees what the ones before it did."""
    folds = {scope: Fold(state) for scope, state in states.items()}
    decided = []
    for item in items:
        fold = folds[item.sent.scope]
        result = _decide(item, fold.state)
        for event in result.events:
            fold.add(event, position=0, digester=item.sent.keys.digester)
        decided.append(result)
    return decided


def batches(decided: Iterable[Decided], most: int = MAX_BATCH) -> Iterator[list[Packed]]:
    """The events in batches that fit an atomic append; only an import that alone does not fit is split, between its turns."""
    batch: list[Packed] = []
    for sent, events, *_ in decided:
        if batch and len(batch) + len(events) > most:
            yield batch
            batch = []
        for index, event in enumerate(events):
            if batch and len(batch) + _together(events, index) > most:
                yield batch
                batch = []
            batch.append(Packed(sent, event, index == len(events) - 1))
    if batch:
        yield batch


def _together(events: Sequence[Envelope], index: int) -> int:
    """How many events begin here that must be appended as one: those of one turn."""
    if index and events[index - 1].causation_id == events[index].causation_id:
        return 1
    return sum(1 for _ in takewhile(lambda event: event.causation_id == events[index].causation_id, events[index:]))


def _decide(item: Item, state: ScopeState) -> Decided:
    sent, command = item
    if isinstance(command, Rejected):
        return _rejected(sent, command, state)
    named = sent.command_id(command) if command.message_id else None
    try:
        events = decide(command, state, sent.circumstances(sent.command_id(command)))
    except Rejected as error:
        return _rejected(sent, error, state, named)
    return Decided(sent, events, command_id=named, memory_id=None if events else _about(command, state))


def _about(command: Command, state: ScopeState) -> MemoryId | None:
    """The memory that a command is about; of a correction that was made before, the fact as it is right."""
    memory_id = getattr(command, "memory_id", None)
    fact = state.facts.get(memory_id) if memory_id else None
    return fact.superseded_by if fact and fact.superseded_by and isinstance(command, CorrectFact) else memory_id


def unchanged(decided: Iterable[Decided], states: Mapping[Scope, ScopeState]) -> list[Decision]:
    """What is remembered of commands that led to no event: where their effect is, which was there before them."""
    return [_unchanged(result, states[result.sent.scope]) for result in decided if not result.events]


def _unchanged(result: Decided, state: ScopeState) -> Decision:
    sent, named = result.sent, result.command_id
    seen = state.seen.get(named or sent.delivery_id)
    return Decision(
        sequence=sent.delivery.sequence,
        scope=sent.scope,
        number=seen.number if seen else state.number,
        position=seen.position if seen else state.position,
        memory_id=seen.memory_id if seen else result.memory_id,
        code=None,
        is_unchanged=True,
        command_id=bytes.fromhex(named) if named else None,
    )


def _rejected(sent: Sent, error: Rejected, state: ScopeState, named: CommandId | None = None) -> Decided:
    # Named after the message, not the command: a reused message_id must not meet the event that it names.
    given = sent.circumstances(sent.delivery_id)
    events = reject(error.code, what=given.what, state=state, given=given, command_id=named)
    return Decided(sent, events, error, named)
