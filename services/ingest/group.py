"""Decides several commands in one go, each on the state that the ones before it leave, and packs their events for appending."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import takewhile
from typing import NamedTuple

from services.ingest.domain import chat_commands
from services.ingest.domain.decide import decide_on, reject
from services.ingest.domain.drafts import Pending
from services.ingest.domain.everything import Everything
from services.ingest.domain.importing import telling
from services.ingest.domain.recollection import Recollection
from services.ingest.domain.state import Fold, ScopeState
from services.ingest.domain.withholding import is_private
from services.ingest.sent import Sent
from services.ingest.store import Decision, Needs
from shared.contracts.command import Channel, Command
from shared.contracts.commands import CorrectFact, ImportTurns, SaveFacts, Turn, UserMessage
from shared.contracts.envelope import Envelope
from shared.contracts.errors import Forgotten, NotRecorded, Rejected, UnknownMemory
from shared.contracts.ids import CommandId, MemoryId, Scope
from shared.contracts.moving import ImportMemories
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
    command_id: CommandId | None = None  # where its sender named it
    memory_id: MemoryId | None = None  # where it is obeyed already: the memory that it is about
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
        told = sum(event.data.has_words() for event in self.events)
        match self.command:
            case Turn():
                return bool(self.events) and not told
            case ImportTurns():
                return told < len(self.command.turns)
            case ImportMemories():
                return told < telling(self.command)
            case SaveFacts():
                return told < len(self.command.facts)
            case _:
                return False


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
    What may forget everything begins one: it takes what ingest.db holds, in which all that came before must be.
    """
    portion: list[Item] = []
    weight = 0
    for item in items:
        cost = _cost(item.command)
        differs = bool(portion) and may_need_words(item) != may_need_words(portion[-1])
        if portion and (weight + cost > most or differs or _may_take_everything(item)):
            yield portion
            portion, weight = [], 0
        portion.append(item)
        weight += cost
    if portion:
        yield portion


def may_need_words(item: Item) -> bool:
    """Whether deciding it may take the words of what is remembered, which ingest does not keep."""
    sent, command = item
    return isinstance(command, Forget) or (
        isinstance(command, UserMessage) and chat_commands.may_need_words(command, sent.policy.languages)
    )


def _may_take_everything(item: Item) -> bool:
    sent, command = item
    if isinstance(command, UserMessage):
        return chat_commands.may_forget_all(command, sent.policy.languages)
    return isinstance(command, ForgetUser)


def needs_words(item: Item, state: ScopeState) -> bool:
    """Whether it does."""
    sent, command = item
    if isinstance(command, UserMessage):
        return chat_commands.needs_words(command, state, sent.policy.languages)
    return isinstance(command, Forget)


def _cost(command: Command | Rejected) -> int:
    """About how many events: those of an import's turns, and of the sessions that they begin and complete."""
    if isinstance(command, ImportMemories):
        return 2 * len(command.records)
    if not isinstance(command, ImportTurns):
        return 1
    return len(command.turns) + 2 * len({turn.session_id for turn in command.turns})


def needs_of(items: Iterable[Item]) -> dict[Scope, Needs]:
    """What deciding these needs to know, by scope."""
    needs: dict[Scope, Needs] = {}
    for sent, command in items:
        need = needs.setdefault(sent.scope, Needs())
        if isinstance(command, Command):
            need.add(sent.needs(command))
    return needs


def takes_everything(item: Item, state: ScopeState) -> bool:
    """Whether deciding it takes everything that must survive when the person is forgotten."""
    sent, command = item
    if isinstance(command, UserMessage):
        return chat_commands.forgets_all(command, state, sent.policy.languages)
    return isinstance(command, ForgetUser)


def decide_all(
    items: Iterable[Item],
    states: Mapping[Scope, ScopeState],
    words: Mapping[Scope, Recollection] | None = None,
    everything: Mapping[Scope, Everything] | None = None,
) -> tuple[list[Decided], dict[Scope, ScopeState]]:
    """Decide in order, each command on what the ones before it did; and the states after all of them.

    Their events have no position yet: what is known of them has position 0. `words` and `everything` where commands need them.
    """
    folds = {scope: Fold(state) for scope, state in states.items()}
    decided = []
    for item in items:
        scope = item.sent.scope
        recollection = words.get(scope) if words else None
        known = everything.get(scope) if everything else None
        result, folds[scope] = _decide(item, folds[scope], words=recollection, everything=known)
        if recollection is not None:
            for event in result.events:
                recollection.add(event)
        decided.append(result)
    return decided, {scope: fold.state for scope, fold in folds.items()}


def batches(decided: Iterable[Decided], most: int = MAX_BATCH) -> Iterator[list[Packed]]:
    """The events in batches that fit an atomic append; only an import that alone does not fit is split, between its turns."""
    batch: list[Packed] = []
    for result in decided:
        sent, events = result.sent, result.events
        if batch and len(batch) + len(events) > most:
            yield batch
            batch = []
        fits = len(batch) + len(events) <= most
        for index, event in enumerate(events):
            if batch and not fits and len(batch) + _together(events, index) > most:
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


def _decide(item: Item, fold: Fold, *, words: Recollection | None, everything: Everything | None) -> tuple[Decided, Fold]:
    """What a command came to, and the state after it: where its rule knew that already, it is not folded again."""
    sent, command = item
    state = fold.state
    if isinstance(command, Rejected):
        return _folded(_rejected(item, command, state, is_private=is_private(state)), fold)
    named = sent.command_id(command) if command.message_id else None
    private = is_private(state)
    turn_ids = sent.turn_ids(command) if isinstance(command, ImportTurns) else None
    given = sent.circumstances(sent.command_id(command))
    given = given._replace(words=words, everything=everything, turn_ids=turn_ids)
    try:
        decision = decide_on(command, state, given)
    except NotRecorded as error:
        return Decided(sent, command, (), error, named, is_private=private), fold
    except Rejected as error:
        # What is imported again may hold what was forgotten.
        private = private or (isinstance(command, ImportTurns) and state.privacy.is_any)
        if isinstance(error, UnknownMemory) and command.channel is Channel.WORK and state.privacy.is_any:
            # A service was at work on what was forgotten meanwhile: nothing of it may stay as a dead letter.
            return Decided(sent, command, (), Forgotten(), named, is_private=private), fold
        return _folded(_rejected(item, error, state, named, is_private=private), fold)
    if isinstance(decision, Pending):
        about = None if decision.events else _about(command, state)
        return Decided(sent, command, decision.events, None, named, about, is_private=private), decision.fold
    about = None if decision else _about(command, state)
    return _folded(Decided(sent, command, decision, None, named, about, is_private=private), fold)


def _folded(result: Decided, fold: Fold) -> tuple[Decided, Fold]:
    for event in result.events:
        fold.add(event, position=0, digester=result.sent.keys.digester)
    return result, fold


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
        position=(seen.position if seen else 0) or state.position,  # 0: in this very group
        memory_id=seen.memory_id if seen else result.memory_id,
        code=result.refusal.code if result.refusal else None,
        is_unchanged=result.refusal is None,
        command_id=bytes.fromhex(named) if named else None,
    )


def _rejected(item: Item, error: Rejected, state: ScopeState, named: CommandId | None = None, *, is_private: bool) -> Decided:
    # Named after the message, not the command: a reused message_id must not meet the event that it names.
    given = item.sent.circumstances(item.sent.delivery_id)
    events = reject(error.code, what=given.what, state=state, given=given, command_id=named)
    return Decided(item.sent, item.command, events, error, named, is_private=is_private)
