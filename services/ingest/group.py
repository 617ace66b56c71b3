"""Decides several commands in one go, each on the state that the ones before it leave, and packs their events for appending."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import takewhile
from typing import NamedTuple

from services.ingest.domain.decide import decide, reject
from services.ingest.domain.state import ScopeState, evolve
from services.ingest.sent import Sent
from services.ingest.store import Needs
from shared.contracts.command import Command
from shared.contracts.commands import ImportTurns
from shared.contracts.envelope import Envelope
from shared.contracts.errors import Rejected
from shared.contracts.ids import Scope
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
    current = dict(states)
    decided = []
    for item in items:
        result = _decide(item, current[item.sent.scope])
        for event in result.events:
            scope = item.sent.scope
            current[scope] = evolve(current[scope], event, position=0, digester=item.sent.keys.digester)
        decided.append(result)
    return decided


def batches(decided: Iterable[Decided], most: int = MAX_BATCH) -> Iterator[list[Packed]]:
    """The events in batches that fit an atomic append; only an import that alone does not fit is split, between its turns."""
    batch: list[Packed] = []
    for sent, events, _ in decided:
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
    try:
        return Decided(sent, decide(command, state, sent.circumstances(sent.command_id(command))))
    except Rejected as error:
        return _rejected(sent, error, state)


def _rejected(sent: Sent, error: Rejected, state: ScopeState) -> Decided:
    # Named after the message, not the command: a reused message_id must not meet the event that it names.
    given = sent.circumstances(sent.delivery_id)
    return Decided(sent, reject(error.code, what=given.what, state=state, given=given), error)
