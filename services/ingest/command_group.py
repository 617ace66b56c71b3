"""Decides several commands in one go, each on the state that the ones before it leave, and packs their events for appending."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import takewhile
from typing import NamedTuple

from services.ingest.domain.circumstances import Circumstances
from services.ingest.domain.decide import decide, reject
from services.ingest.domain.importing import telling
from services.ingest.domain.lacks import Aspect, Lacks, Needs
from services.ingest.domain.masking import WithoutSecrets, kinds_in, masked
from services.ingest.domain.ruling import Ruling
from services.ingest.domain.state import ScopeState
from services.ingest.domain.withholding import is_private
from services.ingest.sent_message import SentMessage, named_what
from services.ingest.store import CommandOutcome
from shared.contracts.command import Channel, Command
from shared.contracts.commands import AddTurns, CorrectFact, ImportTurns, RecordRecall, SaveFacts, Turn, parse_command
from shared.contracts.consolidating import SaveFactsBatch
from shared.contracts.envelope import Envelope
from shared.contracts.errors import (
    Forgotten,
    MemstreamError,
    NoEvidence,
    NotRecorded,
    Rejected,
    Secret,
    TooMany,
    UnknownMemory,
    UnknownSession,
)
from shared.contracts.events import EpisodeRecorded
from shared.contracts.ids import CommandId, MemoryId, Scope, Slot
from shared.contracts.moving import ImportMemories
from shared.contracts.portions import portions
from shared.contracts.privacy import ForgettingTakenBack
from shared.contracts.subjects import scope_filter
from shared.runtime.eventlog.append import MAX_BATCH, SENT_HEADER, Expected, NewEvent
from shared.runtime.tracing import parent_of

_ROUNDS_OF_A_COMMAND = 100
"""Most rounds of look-ups for a command. Rules ask at once for everything that a command names, so a few rounds are usual."""


@dataclass(frozen=True)
class ReadMessage:
    """A message with its command, or the reason why it has none."""

    sent: SentMessage
    command: Command | Rejected
    excess: TooMany | None = None
    secrets: tuple[str, ...] = ()
    """The kinds of the secrets that came with it. The command has masks in their places."""
    failure: MemstreamError | None = None
    """Why it is put aside: an error of memstream's own, which deciding it met before."""

    @cached_property
    def given(self) -> Circumstances:
        """The circumstances of the command, or of its refusal."""
        if isinstance(self.command, Rejected):
            return self.sent.circumstances_of(self.sent.delivery_id)
        return self.sent.circumstances(self.command)


class Decided(NamedTuple):
    """The outcome of a command: its events or its refusal."""

    sent: SentMessage
    command: Command | Rejected
    events: Sequence[Envelope]
    refusal: MemstreamError | None = None
    command_id: CommandId | None = None  # where its sender named it
    memory_id: MemoryId | None = None  # where it is obeyed already: the memory that it is about
    is_private: bool = False  # the person keeps something from memory, or told a secret: not even a dead letter may quote them
    secrets: tuple[str, ...] = ()  # the kinds of those that came with it: in the log are masks
    unfounded: int = 0  # facts of it that rest on nothing that was said, where others do

    @property
    def facts_refused(self) -> int:
        """How many of its facts rest on nothing that was said."""
        if isinstance(self.refusal, NoEvidence) and isinstance(self.command, SaveFactsBatch):
            return len(self.command.facts)
        return self.unfounded

    @property
    def verdict(self) -> str:
        """The verdict, as metrics name it."""
        if self.refusal:
            return "rejected" if self.is_rejected else "not_recorded"
        return "recorded" if self.events else "unchanged"

    @property
    def label(self) -> str:
        """The name of the command, as metrics know it."""
        return named_what(self.sent.subject.what)

    @property
    def is_rejected(self) -> bool:
        """True if it is kept in REJECTED: its sender or memstream made an error. A wish not to be remembered is none."""
        return self.refusal is not None and not isinstance(self.refusal, NotRecorded)

    @property
    def is_recorded(self) -> bool:
        """True if it led to events, and not only to one that says that it was refused; a service looks for that one."""
        return bool(self.events) and (isinstance(self.refusal, NoEvidence) or not self.is_rejected)

    @property
    def keeps_no_words(self) -> bool:
        """True if the message has text that is not in the log, so it must not stay in SEND either."""
        if self.secrets or isinstance(self.refusal, NotRecorded) or (self.refusal and self.is_private):
            return True
        told = sum(event.data.has_words() for event in self.events)
        match self.command:
            case Turn():
                return bool(self.events) and not told
            case AddTurns() | ImportTurns():
                return sum(isinstance(event.data, EpisodeRecorded) for event in self.events) < len(self.command.turns)
            case ImportMemories():
                return told < telling(self.command)
            case SaveFacts() | SaveFactsBatch():
                return told < len(self.command.facts)
            case _:
                return False


class EventToAppend(NamedTuple):
    """An event on its way to the log."""

    sent: SentMessage
    event: Envelope
    is_last: bool  # of its command


def read(sent: SentMessage, excess: TooMany | None = None) -> ReadMessage:
    """Read the command of a message, without the secrets in it, or the reason why it is refused."""
    keeps = sent.policy.secrets == "keep"
    try:
        command = sent.command()
    except Rejected as error:
        return ReadMessage(sent, error, excess, () if keeps else kinds_in(sent.delivery.data))
    if keeps:
        return ReadMessage(sent, command, excess)
    left = masked(command, scope=sent.scope, digester=sent.keys.digester)
    try:
        _require_fitting(left, sent)
    except Rejected as error:
        return ReadMessage(sent, error, excess, left.kinds)
    return ReadMessage(sent, left.said, excess, left.kinds)


def _require_fitting(left: WithoutSecrets, sent: SentMessage) -> None:
    """Raise Rejected if a command is too long once its secrets are masked. A mask can be longer than its secret."""
    if left.kinds:
        told = left.said.model_dump_json(exclude_unset=True).encode()
        parse_command(channel=sent.subject.channel, what=sent.subject.what, payload=told)


def in_portions(items: Sequence[ReadMessage], most: int = MAX_BATCH) -> Iterator[list[ReadMessage]]:
    """The items in order, in portions of about one atomic append, so that large imports are decided piece by piece."""
    return portions(items, lambda item: _cost(item.command), most_weight=most)


def _cost(command: Command | Rejected) -> int:
    """An estimate of the command's events, which only imports have many of."""
    if isinstance(command, ImportMemories):
        return 2 * len(command.records)
    if not isinstance(command, AddTurns | ImportTurns):
        return 1
    return len(command.turns) + 2 * len(set(command.sessions))


class CommandGroup:
    """Commands that are decided in one go, in order, each on the state after those before it.

    Look up `needs` and call `decide` with the states, until `needs` is empty. At first it has what all commands name; then what
    their rules asked for. The commands of a scope that lacked something are decided again from the first.
    """

    def __init__(self, items: Sequence[ReadMessage]) -> None:
        self._items = items
        self._of_scope: dict[Scope, list[ReadMessage]] = {}
        self._decided: dict[Scope, list[Decided]] = {}
        self._rounds = 0
        self.needs: dict[Scope, Needs] = {}
        self.before: dict[Scope, ScopeState] = {}
        self.after: dict[Scope, ScopeState] = {}
        """The states after all commands. Their events have no position yet, which counts as 0."""
        for item in items:
            self._of_scope.setdefault(item.sent.scope, []).append(item)
            _add_named(item, self.needs.setdefault(item.sent.scope, Needs()))

    @property
    def slots(self) -> dict[Scope, Slot]:
        """The slot of each scope."""
        return {scope: items[0].sent.slot for scope, items in self._of_scope.items()}

    @property
    def decided(self) -> list[Decided]:
        """The outcomes of the commands, in order."""
        results = {scope: iter(of_scope) for scope, of_scope in self._decided.items()}
        found = (next(results[item.sent.scope], None) for item in self._items)
        return [result for result in found if result is not None]

    @property
    def left(self) -> list[ReadMessage]:
        """The commands that come after one that takes a forgetting back, of its scope: whose rows are to be made anew first."""
        decided = {result.sent.delivery.sequence for results in self._decided.values() for result in results}
        return [item for item in self._items if item.sent.delivery.sequence not in decided]

    def decide(self, states: Mapping[Scope, ScopeState]) -> None:
        """Decide the commands of these scopes. `needs` then has what they lack, with what they had before."""
        self._rounds += 1
        for scope, state in states.items():
            lacking = self._decide_scope(scope, state)
            if lacking:
                self._look_further(scope, lacking)
            else:
                self.needs.pop(scope, None)

    def _decide_scope(self, scope: Scope, state: ScopeState) -> Needs:
        """Decide the commands of a scope; return what they lack, also those after one that lacks something."""
        self.before[scope] = state
        self._decided[scope] = decided = []
        lacking = Needs()
        for item in self._of_scope[scope]:
            try:
                result, state = _decide(item, state)
            except Lacks as lacks:
                lacking.add(lacks.needs)
            else:
                decided.append(result._replace(secrets=item.secrets))
                if any(isinstance(event.data, ForgettingTakenBack) for event in result.events):
                    break
        self.after[scope] = state
        return lacking

    def _look_further(self, scope: Scope, lacking: Needs) -> None:
        known = self.needs[scope]
        if not lacking.beyond(known) or self._rounds > _ROUNDS_OF_A_COMMAND * len(self._items):
            raise RuntimeError("a rule asks again for what was looked up, or for more and more")
        known.add(lacking)


def _add_named(item: ReadMessage, needs: Needs) -> None:
    """Add what the command itself names, which is needed in any case."""
    command = item.command
    if isinstance(command, Rejected):
        return
    needs.commands.add(item.given.command_id)
    needs.commands.update(item.given.part_ids)
    needs.sessions.update(command.sessions)
    (needs.facts if isinstance(command, RecordRecall) else needs.memories).update(command.memories)
    if command.compares_with_recalls:
        needs.aspects.add(Aspect.HANDED_OUT)


def batches(decided: Iterable[Decided], most: int = MAX_BATCH) -> Iterator[list[EventToAppend]]:
    """The events in batches that fit an atomic append; only an import that alone does not fit is split, between its turns."""
    batch: list[EventToAppend] = []
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
            batch.append(EventToAppend(sent, event, index == len(events) - 1))
    if batch:
        yield batch


def new_events(batch: Sequence[EventToAppend], states: Mapping[Scope, ScopeState]) -> Iterator[NewEvent]:
    """The events as they are appended; the first of each scope carries its expected version."""
    fenced: set[Scope] = set()
    for sent, event, is_last in batch:
        expected = None
        if sent.scope not in fenced:
            fenced.add(sent.scope)
            expected = Expected(scope_filter(sent.slot, sent.scope), states[sent.scope].position)
        headers = parent_of(sent.delivery.headers) | ({SENT_HEADER: sent.sent_header} if is_last else {})
        yield NewEvent.of(event, slot=sent.slot, scope=sent.scope, expected=expected, headers=headers)


def _together(events: Sequence[Envelope], index: int) -> int:
    """How many events from `index` on must be appended together: those of one turn."""
    if index and events[index - 1].causation_id == events[index].causation_id:
        return 1
    return sum(1 for _ in takewhile(lambda event: event.causation_id == events[index].causation_id, events[index:]))


def _decide(item: ReadMessage, state: ScopeState) -> tuple[Decided, ScopeState]:
    """Decide the command of a message: its outcome, and the state after it. Raises Lacks."""
    sent, command = item.sent, item.command
    private = is_private(state) or bool(item.secrets)
    named = item.given.command_id if not isinstance(command, Rejected) and command.message_id else None
    if item.excess:  # without an event: what is refused for its number must not fill the log
        return Decided(sent, command, (), item.excess, named, is_private=private), state
    if isinstance(command, Rejected):
        return _rejected(item, command, state, is_private=private)
    try:
        if item.failure:
            raise item.failure
        ruling = decide(command, state, item.given)
        _require_no_secret(item, ruling)
    except NotRecorded as error:
        return Decided(sent, command, (), error, named, is_private=private), state
    except MemstreamError as error:
        # What is imported again may hold what was forgotten.
        private = private or (isinstance(command, AddTurns | ImportTurns) and state.privacy.is_any)
        is_learning = command.channel is Channel.WORK or isinstance(command, SaveFactsBatch)
        if isinstance(error, UnknownMemory | UnknownSession) and is_learning and state.privacy.is_any:
            # Somebody was at work on what was forgotten meanwhile: nothing of it may stay as a dead letter.
            return Decided(sent, command, (), Forgotten(), named, is_private=private), state
        return _rejected(item, error, state, named, is_private=private)
    about = None if ruling.events else _about(command, state)
    return Decided(sent, command, ruling.events, None, named, about, private, unfounded=ruling.unfounded), ruling.state


def _require_no_secret(item: ReadMessage, ruling: Ruling) -> None:
    """Raise Secret for a bot's words with a secret, if the operator wants them refused; what services learn is only masked."""
    is_refused = item.secrets and item.sent.policy.secrets == "refuse" and item.sent.subject.channel == Channel.SEND
    if is_refused and any(event.data.has_words() for event in ruling.events):
        raise Secret(f"it holds a secret ({', '.join(item.secrets)}), which is not kept here; send it again without")


def _about(command: Command, state: ScopeState) -> MemoryId | None:
    """The memory that a command is about; for a repeated correction, the corrected fact."""
    memory_id = getattr(command, "memory_id", None)
    fact = state.facts.get(memory_id) if memory_id else None
    return fact.superseded_by if fact and fact.superseded_by and isinstance(command, CorrectFact) else memory_id


def unchanged(decided: Iterable[Decided], states: Mapping[Scope, ScopeState]) -> list[CommandOutcome]:
    """The outcomes to save of commands that led to no event."""
    return [_unchanged(result, states[result.sent.scope]) for result in decided if not result.events]


def _unchanged(result: Decided, state: ScopeState) -> CommandOutcome:
    sent, named = result.sent, result.command_id
    seen = state.seen.get(named or sent.delivery_id)
    return CommandOutcome(
        sequence=sent.delivery.sequence,
        scope=sent.scope,
        number=seen.number if seen else state.number,
        position=(seen.position if seen else 0) or state.position,  # 0: in this very group
        memory_id=seen.memory_id if seen else result.memory_id,
        code=result.refusal.code if result.refusal else None,
        is_unchanged=result.refusal is None,
        command_id=bytes.fromhex(named) if named else None,
        masked=",".join(result.secrets),
    )


def _rejected(
    item: ReadMessage, error: MemstreamError, state: ScopeState, named: CommandId | None = None, *, is_private: bool
) -> tuple[Decided, ScopeState]:
    # Named after the message, not the command: a reused message_id must not meet the event that it names.
    given = item.sent.circumstances_of(item.sent.delivery_id)
    ruling = reject(error.code, state=state, given=given, command_id=named)
    return Decided(item.sent, item.command, ruling.events, error, named, is_private=is_private), ruling.state
