"""Measures what is appended: what people do, what is merged and trimmed, and whether a reply rests on what was recalled.

A reply is compared with what was handed out since the reply before. `quoted`: it has an echo. `used`: with one memory it
shares two words that are not in its person's last turn, or one that is half of the memory's or of its own. Words are hashed, by
Python's own hashes, which another process cannot compare; nothing of them is stored. Each turn counts with its first 200 words.
"""

from collections import Counter, OrderedDict
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from services.ingest.command_group import Decided, EventToAppend
from services.ingest.domain.state import ScopeState
from services.ingest.quotations import Quotations
from services.ingest.said_words import WordHashes, hashes_of
from shared.contracts.command import Channel
from shared.contracts.conflicts import ConflictAnswered, ConflictDetected
from shared.contracts.envelope import Envelope
from shared.contracts.errors import NoEvidence
from shared.contracts.event import EventData
from shared.contracts.events import (
    EpisodeRecorded,
    FactConfirmed,
    FactCorrected,
    FactRemembered,
    FactSuperseded,
    MemoryPinned,
    MemoryRepeated,
    MemoryRestored,
    MemoryRetired,
    MemoryUnpinned,
)
from shared.contracts.feedback import FeedbackRecorded
from shared.contracts.ids import Scope
from shared.contracts.parts import Role
from shared.contracts.preferences import SettingsChanged
from shared.contracts.privacy import (
    ForgettingTakenBack,
    IncognitoEnded,
    IncognitoStarted,
    MemoryForgotten,
    UserForgotten,
)
from shared.contracts.undoing import RunRedone, RunUndone
from shared.runtime.bounded_labels import SpaceLabels
from shared.runtime.logs import log
from shared.runtime.metrics import (
    COMMANDS_DECIDED,
    DEDUPE_SAVES,
    FACTS_QUESTIONED,
    FACTS_REFUSED,
    FACTS_SUPERSEDED,
    FACTS_TRIMMED,
    FEEDBACK,
    PINNED_TRIMMED,
    REPLIES,
    SPACE_EVENTS,
    USER_ACTIONS,
)
from shared.runtime.tracing import note

_MOST_SPACES = 20
_MOST_TALKS = 4_096
_FEWEST_SHARED = 2

_ACTIONS: Mapping[type[EventData], str] = {
    MemoryPinned: "pin",
    MemoryUnpinned: "unpin",
    FactConfirmed: "confirm",
    FactCorrected: "correct",
    MemoryForgotten: "forget",
    UserForgotten: "forget_user",
    ForgettingTakenBack: "take_back",
    IncognitoStarted: "incognito_start",
    IncognitoEnded: "incognito_end",
    ConflictAnswered: "answer",
    FeedbackRecorded: "feedback",
    RunUndone: "undo",
    RunRedone: "redo",
}
"""What an event of a person's own command says that they did; `_action` knows those that take a look at the event."""


class _Talk(NamedTuple):
    """What is known of a person's talk in this process."""

    asked: WordHashes = frozenset()  # of their last turn
    counted: tuple[int, int] = (0, 0)  # the last recall that a reply was compared with


class Measuring:
    """Counts what a lane has appended."""

    def __init__(self, quotations: Quotations, spaces: SpaceLabels | None = None) -> None:
        self._quotations = quotations
        self._talks: OrderedDict[Scope, _Talk] = OrderedDict()
        self._space = spaces or SpaceLabels(_MOST_SPACES)

    def add(self, batch: Sequence[EventToAppend], states: Mapping[Scope, ScopeState]) -> None:
        """Count these events; `states` are those after them."""
        done: dict[tuple[str, str], str] = {}
        for space, events in Counter(event.space for _, event, _ in batch if event.is_of_person).items():
            SPACE_EVENTS.labels(self._space(space)).inc(events)
        for sent, event, _ in batch:
            self._count(event, states[sent.scope])
            if isinstance(event.data, EpisodeRecorded) and not sent.is_import:
                self._hear(sent.scope, event.data, states[sent.scope])
            is_act = sent.subject.channel == Channel.SEND and not sent.is_import
            if is_act and (action := _action(event.data, sent.subject.what)):
                done[event.causation_id, action] = action
        for action in done.values():
            USER_ACTIONS.labels(action).inc()

    def _count(self, event: Envelope, state: ScopeState) -> None:
        match event.data:
            case MemoryRepeated(match=how):
                DEDUPE_SAVES.labels(how).inc()
            case MemoryRetired(reason="trimmed", memory_id=memory_id):
                label = self._space(event.space)
                FACTS_TRIMMED.labels(label).inc()
                if (memory := state.memories.get(memory_id)) and memory.pinned:
                    PINNED_TRIMMED.labels(label).inc()
                    log.error("pinned.trimmed", memory_id=memory_id)
            case FactSuperseded(reason=reason):
                FACTS_SUPERSEDED.labels(reason).inc()
            case ConflictDetected(reason=reason):
                FACTS_QUESTIONED.labels(reason).inc()
            case FeedbackRecorded(helped=helped):
                FEEDBACK.labels("helped" if helped else "useless").inc()

    def _hear(self, scope: Scope, turn: EpisodeRecorded, state: ScopeState) -> None:
        talk = self._talks.pop(scope, _Talk())
        if turn.role is Role.USER:
            talk = talk._replace(asked=hashes_of(turn.text))
        elif turn.role is Role.ASSISTANT:
            talk = self._replied(scope, turn, talk, state)
        self._talks[scope] = talk
        if len(self._talks) > _MOST_TALKS:
            self._talks.popitem(last=False)

    def _replied(self, scope: Scope, turn: EpisodeRecorded, talk: _Talk, state: ScopeState) -> _Talk:
        """Count a reply, by what was handed out since the one before."""
        handed_out = state.handed_out or {}
        new = [memory_id for memory_id, one in handed_out.items() if one.recall > talk.counted]
        if not new:
            REPLIES.labels("unrecalled").inc()
            return talk
        if turn.echoes:
            influence = "quoted"
        else:
            known = self._quotations.words_of(scope, new)
            influence = "used" if _is_used(hashes_of(turn.text), known, talk.asked) else "unused"
        REPLIES.labels(influence).inc()
        return talk._replace(counted=max(one.recall for one in handed_out.values()))


def _is_used(reply: WordHashes, memories: Iterable[WordHashes], asked: WordHashes) -> bool:
    """True if a reply has words of a memory that its person had not just said."""
    for words in memories:
        own = words - asked
        shared = len(own & reply)
        if shared >= _FEWEST_SHARED or (shared and 2 * shared >= min(len(own), len(reply - asked))):
            return True
    return False


def _action(data: EventData, what: str) -> str | None:
    match data:
        case IncognitoStarted(by_default=True):
            return None
        case ConflictAnswered(how=how) if how not in {"command", "chat"}:
            return None
        case FactRemembered(manually_saved=True):
            return "remember"
        case MemoryRestored():
            return what if what == "restore" else None
        case SettingsChanged():
            return _change(data)
        case _:
            return _ACTIONS.get(type(data))


def _change(data: SettingsChanged) -> str:
    if data.settings.memory_enabled == data.before.memory_enabled:
        return "settings"
    return "memory_off" if data.settings.memory_enabled is False else "memory_on"


def measure(result: Decided) -> None:
    """Count and trace what became of a command."""
    COMMANDS_DECIDED.labels(result.label, result.verdict).inc()
    delivery = result.sent.delivery
    note(f"decide {result.label}", delivery.headers, began_ns=delivery.timestamp_ns, verdict=result.verdict)
    if result.facts_refused:
        FACTS_REFUSED.labels(NoEvidence.code).inc(result.facts_refused)
        log.warning("facts.refused", reason=NoEvidence.code, count=result.facts_refused)
