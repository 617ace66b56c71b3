"""What nobody waits for gives way to those who ask: one piece of long work at a time in a process, and rests between them.

Python runs one thread at a time. Whoever computes beside a question takes half of its time, and several take the most of it: so
no piece begins while somebody is being answered, and within it work stops where it may (`shared/domain/pauses.py`).
"""

import asyncio
import time
from collections.abc import Callable, Hashable
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from functools import partial
from typing import ParamSpec, TypeVar

from shared.domain.patience import Patience
from shared.domain.pauses import pausing
from shared.runtime.attention import Attention
from shared.runtime.giving_way import GivingWay
from shared.runtime.switch_interval import SWITCHES
from shared.runtime.tasks import finished

P = ParamSpec("P")
T = TypeVar("T")
_RESTS = 6
"""So many times as long as a piece took, the next one waits while somebody asks: a seventh of a core is left for such work."""

_LONGEST_REST_S = 1.0
_MOST_PATIENCE_S = 1.0
"""So long a piece waits at most for those who are being answered; then it is done beside them."""


class Background:
    """Pieces of work, one after the other in a thread of their own. `attention`: who asks, where another one notes it too."""

    def __init__(self, attention: Attention | None = None, clock: Callable[[], float] = time.monotonic) -> None:
        self.attention = attention or Attention()
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="background")
        self._owed_s = 0.0
        self._way = GivingWay(self.attention, Patience.full(_MOST_PATIENCE_S), clock=clock)

    def note_question(self, space: Hashable = None, user: Hashable = None) -> None:
        """Note that this user of this space asks something."""
        self.attention.note_question(space, user)

    @property
    def is_asked(self) -> bool:
        """True while somebody asks in this process."""
        return self.attention.is_asked

    async def run(self, work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """The result of a piece of work. If the caller is cancelled, it first waits for the thread."""
        called = partial(copy_context().run, self._after_a_rest, partial(work, *args, **kwargs))
        return await finished(asyncio.get_running_loop().run_in_executor(self._thread, called))

    async def run_at_once(self, work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """The result of a piece of work whose caller rests by itself."""
        called = partial(copy_context().run, self._giving_way, partial(work, *args, **kwargs))
        return await finished(asyncio.get_running_loop().run_in_executor(self._thread, called))

    async def give_way(self, worked_s: float) -> None:
        """Rest after work that could not be done in pieces, as long as it took, and let end who is being answered then."""
        SWITCHES.note_work()
        if self.is_asked:
            rest_s = min(worked_s, _LONGEST_REST_S)
            await asyncio.sleep(rest_s)
            await self.attention.within(min(rest_s, _MOST_PATIENCE_S))

    def _after_a_rest(self, work: Callable[[], T]) -> T:
        if self.is_asked:
            time.sleep(self._owed_s)
        return self._giving_way(work)

    def _giving_way(self, work: Callable[[], T]) -> T:
        SWITCHES.note_work()
        self._way.begin()
        try:
            with pausing(self._way.pause):
                return work()
        finally:
            self._owed_s = min(_RESTS * self._way.end(), _LONGEST_REST_S)


BACKGROUND = Background()
"""That of this process."""
