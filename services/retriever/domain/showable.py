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
        """The id of the memory."""

    @property
    def message_id(self) -> MessageId | None:
        """The id of the message that a turn was; None for a fact."""

    @property
    def kind(self) -> Kind:
        """A turn, a fact, or what sums up several."""

    @property
    def role(self) -> Role | None:
        """Who said a turn: the user, the assistant or the system; None for a fact."""

    @property
    def speaker(self) -> str | None:
        """The name of the speaker, where one was given."""

    @property
    def text(self) -> str:
        """The words of the memory."""

    @property
    def source_ids(self) -> tuple[str, ...]:
        """The ids of what a fact rests on; for a turn the bot's message id."""

    @property
    def slots(self) -> tuple[FactSlot, ...]:
        """What a fact states."""

    @property
    def occurred_at(self) -> datetime:
        """The moment at which the memory was said."""

    @property
    def outdated(self) -> Outdated | None:
        """How much of the memory does not hold any more."""

    @property
    def outdated_by(self) -> tuple[str, ...]:
        """The ids of the facts and turns that hold in the place of the memory."""

    @property
    def manually_saved(self) -> bool:
        """True if somebody asked for the memory to be kept."""

    @property
    def pinned(self) -> bool:
        """True if the memory is always known."""

    @property
    def by_now(self) -> str | None:
        """What an age or a duration in the text comes to by now."""

    def replaced(self, *, said_again: tuple[str, ...]) -> Self:
        """The memory with the ids of others that say the same."""


M = TypeVar("M", bound=Showable)
