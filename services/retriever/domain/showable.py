"""What of a memory decides whether it is shown, and beside what."""

from datetime import datetime
from typing import Protocol, Self, TypeVar

from shared.contracts.ids import MessageId
from shared.contracts.parts import FactSlot, Kind, Role
from shared.contracts.queries import Outdated


class Showable(Protocol):
    """A memory that may be shown. `ScoredMemory` has all of this; of most memories no more is ever made."""

    @property
    def number(self) -> int:
        """In the order in which memories were recorded."""

    @property
    def memory_id(self) -> str:
        """Its id."""

    @property
    def message_id(self) -> MessageId | None:
        """Of a turn: the message that it was."""

    @property
    def kind(self) -> Kind:
        """A turn, a fact, or what sums up several."""

    @property
    def role(self) -> Role | None:
        """Of a turn: who said it."""

    @property
    def speaker(self) -> str | None:
        """The name of who said it."""

    @property
    def text(self) -> str:
        """What it says."""

    @property
    def source_ids(self) -> tuple[str, ...]:
        """The turns that it was learned from."""

    @property
    def slots(self) -> tuple[FactSlot, ...]:
        """What a fact states."""

    @property
    def occurred_at(self) -> datetime:
        """When it was said."""

    @property
    def outdated(self) -> Outdated | None:
        """How much of it does not hold any more."""

    @property
    def outdated_by(self) -> tuple[str, ...]:
        """The ids of what holds in its place."""

    @property
    def manually_saved(self) -> bool:
        """True if somebody asked for it to be kept."""

    @property
    def pinned(self) -> bool:
        """True if it is always known."""

    @property
    def by_now(self) -> str | None:
        """What an age or a duration in it comes to."""

    def replaced(self, *, said_again: tuple[str, ...]) -> Self:
        """The memory with the ids of others that say the same."""


M = TypeVar("M", bound=Showable)
