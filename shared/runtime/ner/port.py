"""The port of whatever finds entities in a text."""

from collections.abc import Sequence
from enum import StrEnum
from typing import Protocol

from shared.contracts.parts import Entity
from shared.domain.model_tokens import TokenMeter

MOST_ENTITIES = 64
"""Most entities of one text."""


class Strategy(StrEnum):
    """How much a text is worth. Source: ../reference/memory-system.md, "ner"."""

    FAST = "fast"  # patterns alone
    ACCURATE = "accurate"  # every provider that there is


class EntityFinder(Protocol):
    """Finds entities. The same text gives the same entities, each where it stands: `text[start:end] == name`."""

    name: str
    """With its version, as the log says what found something: `patterns/1`."""
    is_accurate: bool
    """Whether it finds names that patterns alone miss."""

    async def find(self, text: str, meter: TokenMeter) -> Sequence[Entity]:
        """The entities of a text, in its order, at most 64; none of one too long to be read.

        Raises Unavailable: it may answer later. Raises Misconfigured: it will not.
        """

    async def close(self) -> None:
        """Let go of what it holds; it cannot be asked afterwards."""
