"""Decides several commands in one go, each on the state that the ones before it leave, and packs their events for appending."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import takewhile
from typing import NamedTuple

from services.ingest.domain.decide import decide, reject
from services.ingest.domain.recollection import Recollection
from services.ingest.domain.state import ScopeState, evolve
from services.ingest.domain.withholding import is_private
from services.ingest.sent import Sent
from services.ingest.store import Needs
from shared.contracts.command import Command
from shared.contracts.commands import ImportTurns, SaveFacts, Turn
from shared.contracts.envelope import Envelope
from shared.contracts.errors import NotRecorded, Rejected
from shared.contracts.events import EpisodeRecorded, FactRemembered, MemoryRepeated
from shared.contracts.ids import Scope
from shared.contracts.privacy import Forget, ForgetUser
from shared.runtime.eventlog.append import MAX_BATCH


class Item(NamedTuple):
    """A message that was read: its command, or why it has none."""

    sent: Sent
    command: Command | Rejected


class Decided(NamedTuple):
    """What a command came to."""

    sent: Sent
    command: Command | Rejected
    events: Sequence[Envelope]
    refusal: Rejected | NotRecorded | None = None
    is_private: bool = False  # the person keeps something from memory: not even a dead letter may quote them

    @property
    def verdict(self) -> str:
        """For the metrics."""
        if self.refusal:
            return "rejected" if isinstance(self.refusal, Rejected) else "not_recorded"
        return "recorded" if self.events else "unchanged"

    @property
    def keeps_no_words(self) -> bool:
        """Whether the message held words that are not in the log: they must not stay in SEND either."""
        if isinstance(self.refusal, NotRecorded) or (self.refusal and self.is_private):
            return True
        told = sum(isinstance(event.data, _TELLING) for event in self.events)
        match self.command:
            case Turn():
                return bool(self.events) and not told
            case ImportTurns():
                return told < len(self.command.turns)
            case SaveFacts():
                return told < len(self.command.facts)
            case _:
                return False


_TELLING = EpisodeRecorded | FactRemembered | MemoryRepeated


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
    """The same in order, in portions of about one atomic append: large imports are decided piece by piece.

    What needs words stands in portions of its own: the words are read from the log, which must hold all that came before.
    """
    portion: list[Item] = []
    weight = 0
    for item in items:
        cost = len(item.command.turns) if isinstance(item.command, ImportTurns) else 1
        if portion and (weight + cost > most or needs_words(item.command) != needs_words(portion[-1].command)):
            yield portion
            portion, weight = [], 0
        portion.append(item)
        weight += cost
    if portion:
        yield portion


def needs_words(command: Command | Rejected) -> bool:
    """Whether deciding it takes the words of what is remembered, which ingest does not keep."""
    return isinstance(command, Forget | ForgetUser)


def needs_of(items: Iterable[Item]) -> dict[Scope, Needs]:
    """What deciding these needs to know, by scope."""
    needs: dict[Scope, Needs] = {}
    for sent, command in items:
        need = needs.setdefault(sent.scope, Needs())
        if isinstance(command, Command):
            need.add(sent.needs(command))
    return needs


def decide_all(
    items: Iterable[Item], states: Mapping[Scope, ScopeState], words: Mapping[Scope, Recollection] | None = None
) -> list[Decided]:
    """Decide in order; each command sees what the ones before it did. `words` where commands need them."""
    current = dict(states)
    decided = []
    for item in items:
        scope = item.sent.scope
        recollection = words.get(scope) if words else None
        result = _decide(item, current[scope], recollection)
        for event in result.events:
            current[scope] = evolve(current[scope], event, position=0, digester=item.sent.keys.digester)
            if recollection:
                recollection.add(event)
        decided.append(result)
    return decided


def batches(decided: Iterable[Decided], most: int = MAX_BATCH) -> Iterator[list[Packed]]:
    """The events in batches that fit an atomic append; only an import that alone does not fit is split, between its turns."""
    batch: list[Packed] = []
    for result in decided:
        sent, events = result.sent, result.events
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


def _decide(item: Item, state: ScopeState, words: Recollection | None) -> Decided:
    sent, command = item
    if isinstance(command, Rejected):
        return _rejected(item, command, state)
    try:
        given = replace(sent.circumstances(sent.command_id(command)), words=words)
        return Decided(sent, command, decide(command, state, given), is_private=is_private(state))
    except NotRecorded as error:
        return Decided(sent, command, (), error, is_private=is_private(state))
    except Rejected as error:
        return _rejected(item, error, state)


def _rejected(item: Item, error: Rejected, state: ScopeState) -> Decided:
    # Named after the message, not the command: a reused message_id must not meet the event that it names.
    given = item.sent.circumstances(item.sent.delivery_id)
    events = reject(error.code, what=given.what, state=state, given=given)
    return Decided(item.sent, item.command, events, error, is_private=is_private(state))
