"""What one transaction writes to ingest.db."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from services.ingest.domain.state import ScopeState
from shared.contracts.ids import MemoryId, Scope, Slot
from shared.domain.gaps import Range
from shared.runtime.anchors import Anchor


class CommandOutcome(NamedTuple):
    """The outcome of one message of SEND."""

    sequence: int
    scope: Scope
    number: int
    position: int
    memory_id: str | None
    code: str | None  # why it was rejected, or not recorded
    is_unchanged: bool = False
    command_id: bytes | None = None  # where its sender named it
    lifted: bool = False  # whether it brought back what was forgotten
    held_back: bool = False  # whether nothing is learned or recalled from it
    masked: str = ""  # the kinds of secrets that stand masked in what was recorded, with commas between


class Forgetting(NamedTuple):
    """A forgetting that is kept from its event to its receipt and after; or what one of its events adds."""

    scope: Scope
    forget_id: str
    slot: Slot
    number: int  # of its last event
    forgotten_at: int  # microseconds since 1970
    memories: int
    events: int  # to erase
    completed_at: int | None = None  # or taken back
    receipt: str | None = None  # JSON; none where it was taken back
    erase_at: int | None = None  # while it waits to be erased


class ChangedForgetting(NamedTuple):
    """What an event changes of a forgetting that began before."""

    scope: Scope
    forget_id: str
    values: Mapping[str, object]  # by field


class Erasures(NamedTuple):
    """Changes of the list of forgettings, and the scopes to rebuild."""

    begun: Sequence[Forgetting] = ()
    gone: Mapping[Scope, Sequence[MemoryId]] = {}  # memories that are forgotten
    changed: Sequence[ChangedForgetting] = ()  # in order
    wiped: Collection[Scope] = ()  # whose rows go at once
    to_rebuild: Mapping[Scope, Slot] = {}  # whose rows are to be made anew
    grown: Collection[Scope] = ()  # those of them in which something comes back
    restarted: Sequence[Scope] = ()  # whose earlier forgettings are forgotten too


@dataclass(frozen=True, slots=True)
class ScopeChanges:
    """All changes that one transaction writes."""

    before: Mapping[Scope, ScopeState]
    after: Mapping[Scope, ScopeState]
    slots: Sequence[Slot]
    position: int
    decided: Mapping[Slot, int] = field(default_factory=dict)
    decisions: Sequence[CommandOutcome] = ()
    gaps: Mapping[Scope, Sequence[Range]] = field(default_factory=dict)
    positions: Mapping[Scope, Mapping[int, int]] = field(default_factory=dict)  # of new events, by number
    erasures: Erasures = field(default_factory=Erasures)
    newest: Anchor | None = None  # of these events

    @property
    def may_wait(self) -> bool:
        """True if nothing is lost or late where they are never written: the log has it after the checkpoint, which stays."""
        return self.newest is not None and not (self.position or self.gaps or any(self.erasures))
