"""When imports, what jobs propose, and floods are decided: while somebody asks, with rests that all lanes share."""

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager

from services.ingest.waiting import WaitingMessages
from shared.runtime.background import BACKGROUND

_RESTS = 8
"""So many times as long as an import took, the next one waits while somebody asks."""

_RESTS_OF_A_FLOOD = 8
_LONGEST_REST_S, _LONGEST_OF_A_FLOOD_S = 3.0, 0.25
_LOOK_AGAIN_S = 0.02


class ImportPace:
    """The pace of all lanes. Whoever rests goes on at once when something comes that cannot wait."""

    def __init__(self) -> None:
        self._under_way = 0
        self._rests_until = 0.0
        self._flooded: set[str] = set()

    def rest_of_a_flood_s(self, lane: str, worked_s: float, *, is_flooded: bool) -> float:
        """How long a lane rests after so much work, if more waits in it: the flooded lanes share the time of one.

        Not longer than somebody may wait who says something beside the flood.
        """
        if not is_flooded:
            self._flooded.discard(lane)
            return 0.0
        self._flooded.add(lane)
        return min(_RESTS_OF_A_FLOOD * len(self._flooded) * worked_s, _LONGEST_OF_A_FLOOD_S)

    async def rest(
        self, lane: str, worked_s: float, waiting: WaitingMessages, within: Callable[[float], Awaitable[None]]
    ) -> None:
        """Let a lane give way after so much work to those who ask, if more waits; whoever had been quiet and speaks ends it.

        `within` takes in what comes, for so many seconds at most.
        """
        rest_s = self.rest_of_a_flood_s(lane, worked_s, is_flooded=waiting.is_loud)
        until, silences = _now() + rest_s, waiting.broken_silences
        while BACKGROUND.is_asked and (left_s := until - _now()) > 0:
            await within(left_s)
            if waiting.broken_silences != silences:
                return
        if rest_s:
            await BACKGROUND.attention.within(rest_s)

    @property
    def pause_s(self) -> float:
        """How long to wait before the next import, or before asking again; 0: not at all."""
        if not BACKGROUND.is_asked:
            return 0.0
        if self._under_way:
            return _LOOK_AGAIN_S
        return max(0.0, self._rests_until - _now())

    @contextmanager
    def deciding(self) -> Iterator[None]:
        """An import is decided while the block lasts."""
        began = _now()
        self._under_way += 1
        try:
            yield
        finally:
            self._under_way -= 1
            self._rests_until = _now() + min(_RESTS * (_now() - began), _LONGEST_REST_S)


def _now() -> float:
    return asyncio.get_running_loop().time()
