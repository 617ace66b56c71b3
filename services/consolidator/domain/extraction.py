"""The port: from the turns of a conversation to the facts that they state."""

from __future__ import annotations

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
    """Reads turns, states facts.

    Every fact stands on its own, at most `MOST_FACTS` come back, and their sources are among the turns given.
    """

    def origin(self, run_id: str) -> Origin:
        """What to record beside the facts, so that a replay needs no model."""
        ...

    async def extract(self, turns: Sequence[SaidTurn]) -> list[ExtractedFact]:
        """The facts that the turns state, in their order. Raises Unavailable (try again) and Misconfigured."""
        ...

    async def close(self) -> None:
        """Let go of what it holds."""
        ...
