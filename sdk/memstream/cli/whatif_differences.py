"""What would be otherwise: of facts, and of the contexts of questions. Pure: it compares what it is given."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from shared.contracts.memories import Memory
from shared.contracts.parts import Kind


@dataclass(frozen=True, slots=True)
class Named:
    """A memory as it is named on both sides, whose ids differ: a turn by its message id, anything else by its words."""

    name: str
    text: str

    @classmethod
    def of(cls, memory: Memory) -> "Named":
        """A memory's name."""
        is_turn = memory.kind is Kind.EPISODE and memory.message_id is not None
        return cls(str(memory.message_id) if is_turn else memory.text, memory.text)


@dataclass(frozen=True, slots=True)
class ContextDifference:
    """A question that was asked, by the turn that did, and what its context would have lost, gained and put elsewhere."""

    user: str
    turn_id: str
    lost: tuple[Named, ...]
    gained: tuple[Named, ...]
    is_reordered: bool
    is_reproduced: bool | None = None  # what was handed out is what is found again; None where that is not compared

    @property
    def is_any(self) -> bool:
        """Whether anything would be otherwise."""
        return bool(self.lost or self.gained or self.is_reordered)


@dataclass(frozen=True, slots=True)
class FactDifference:
    """The facts that only one side knows of a person."""

    user: str
    lost: tuple[str, ...]
    gained: tuple[str, ...]
    same: int


def of_contexts(
    user: str, turn_id: str, now: Sequence[Memory], then: Sequence[Memory], *, is_reproduced: bool | None = None
) -> ContextDifference:
    """What is otherwise in the second context, in the order of each."""
    before, after = (list(dict.fromkeys(map(Named.of, items))) for items in (now, then))
    lost = tuple(each for each in before if each not in after)
    gained = tuple(each for each in after if each not in before)
    kept = [each for each in before if each in after]
    is_reordered = kept != [each for each in after if each in before]
    return ContextDifference(user, turn_id, lost, gained, is_reordered, is_reproduced)


def of_facts(user: str, now: Iterable[Memory], then: Iterable[Memory]) -> FactDifference:
    """The facts that would not be known, and those that would, by their words."""
    before, after = (dict.fromkeys(memory.text for memory in memories) for memories in (now, then))
    lost = tuple(text for text in before if text not in after)
    gained = tuple(text for text in after if text not in before)
    return FactDifference(user, lost, gained, len(before) - len(lost))
