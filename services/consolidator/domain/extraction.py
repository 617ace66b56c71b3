"""The port of extractors, which find the facts that the turns of a conversation state."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from shared.contracts.commands import ExtractedFact
from shared.contracts.ids import MemoryId
from shared.contracts.parts import Origin, Role
from shared.domain.model_tokens import TokenMeter

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
    """By the clock of its person: its date is their day."""


@dataclass(frozen=True, slots=True)
class KnownFact:
    """A fact that is known of the person already, and may have to do with what is read."""

    memory_id: MemoryId
    text: str
    since: datetime


class KnownFacts(Protocol):
    """What is known of the person, looked up when it is wanted; empty where nobody answers."""

    async def near(self, turns: Sequence[SaidTurn]) -> Sequence[KnownFact]:
        """The live facts that have most to do with what the turns say, nearest first."""


class FactExtractor(Protocol):
    """Finds the facts that turns state.

    Every fact stands on its own, at most `MOST_FACTS` come back, and their sources are among the turns given.
    """

    @property
    def reads_known(self) -> bool:
        """True if `known` makes a difference to what is extracted."""

    def origin(self, run_id: str) -> Origin:
        """The origin to record with the facts of a run, so that a rebuild needs no model."""

    async def extract(
        self, turns: Sequence[SaidTurn], *, known: KnownFacts | None = None, meter: TokenMeter | None = None
    ) -> list[ExtractedFact]:
        """The facts that the turns state, in their order. Raises Unavailable (try again) and Misconfigured.

        Of what is `known` they may supersede something; `meter` counts what a model costs, and says when that is too much.
        """

    async def close(self) -> None:
        """Release the extractor's resources."""
