"""The port of a job, and the budget of a run."""

import asyncio
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol, TypeAlias, runtime_checkable

from shared.runtime.background import BACKGROUND

Counts: TypeAlias = Mapping[str, int]
"""How much of what a run did, by names such as `retired`; no word of anybody."""

_RESTS = 8.0
"""So many times as long as a piece of work took, a job rests after it while somebody asks: what it sends is work for others."""

_FOLLOWS_S = 0.005
"""So long the services together work on what comes of one event that a job leads to: deciding, applying, writing."""

_LONGEST_REST_S = 2.0


class Job(Protocol):
    """Work that is done at its times.

    It may be ended at any moment, and two processes may run it at once: what it sends has a message_id that follows from what
    it is about, so that it counts once, and what it has done it does not find again.
    """

    name: ClassVar[str]
    """In lower case, as `job.<name>`."""
    schedule: ClassVar[str]
    """When it runs, where the settings say nothing else: minute, hour, day, month, day of the week, as cron does."""
    about: ClassVar[str]
    """What it does, in a line."""

    async def run(self, budget: "Budget") -> Counts:
        """Do what is to be done, as long as there is budget. Raises Unavailable: the run is tried again, some times."""


@runtime_checkable
class Previewed(Protocol):
    """A job that can say what it would do."""

    async def preview(self, budget: "Budget") -> list[dict[str, Any]]:
        """The changes that it would make within the next week, as JSON. Nothing is changed."""


@dataclass(frozen=True, slots=True)
class Limits:
    """What a run may take at most."""

    seconds: float
    items: int


class Budget:
    """What is left of the limits of a run."""

    def __init__(self, limits: Limits, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._ends = clock() + limits.seconds
        self._piece_began = clock()
        self.items = limits.items
        self.was_refused = False
        """True when the run asked for more than there was: it did not come to its end."""

    def allows(self) -> bool:
        """True while there is time and an item left. Asked when there is something to do; where it is False, the run ends."""
        if self.items > 0 and self._clock() < self._ends:
            return True
        self.was_refused = True
        return False

    def spend(self, items: int = 1) -> None:
        """Count items that were worked on."""
        self.items -= items

    async def give_way(self, *, events: int = 0) -> None:
        """Rest after a piece of work, so that whoever asks comes first; call it after each item or page.

        `events`: so many are appended because of it, which others work on while the job rests.
        """
        worked_s = self._clock() - self._piece_began + _FOLLOWS_S * events
        await asyncio.sleep(min(_RESTS * worked_s, _LONGEST_REST_S) if BACKGROUND.is_asked else 0)
        self._piece_began = self._clock()
