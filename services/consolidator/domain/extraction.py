"""The port of extractors, which find the facts that the turns of a conversation state."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from shared.contracts.commands import ExtractedFact
from shared.contracts.ids import MemoryId
from shared.contracts.parts import Origin, Role

MOST_FACTS = 256
"""Most facts of one extraction: what one `save_facts` can carry."""


@dataclass(frozen=True, slots=True)
class SaidTurn:
    """A turn of a session, as the log has it."""

    memory_id: MemoryId
    number: int
    role: Role
    speaker: str | None
    text: str
    occurred_at: datetime


class FactExtractor(Protocol):
    """Finds the facts that turns state.

    Every fact stands on its own, at most `MOST_FACTS` come back, and their sources are among the turns given.
    """

    def origin(self, run_id: str) -> Origin:
        """The origin to record with the facts of a run, so that a rebuild needs no model."""

    async def extract(self, turns: Sequence[SaidTurn]) -> list[ExtractedFact]:
        """The facts that the turns state, in their order. Raises Unavailable (try again) and Misconfigured."""

    async def close(self) -> None:
        """Release the extractor's resources."""
