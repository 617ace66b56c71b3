"""What nobody waits for gives way to those who ask: one piece of long work at a time in a process, and rests between them.

Python runs one thread at a time. Whoever computes beside a question takes half of its time, and several take the most of it.
"""

import asyncio
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from functools import partial
from typing import ParamSpec, TypeVar

from shared.runtime.tasks import finished

P = ParamSpec("P")
T = TypeVar("T")
_RESTS = 3
"""So many times as long as a piece took, the next one waits while somebody asks: a quarter of a core is left for such work."""

_LONGEST_REST_S = 1.0
_STILL_ASKING_S = 0.5
"""Whoever asked so short a time ago is likely to ask again."""


class Background:
    """Pieces of work, one after the other in a thread of their own. `beside`: another one, whose questions count here too."""

    def __init__(self, beside: "Background | None" = None) -> None:
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="background")
        self._owed_s = 0.0
        self._asked = float("-inf")
        self._beside = beside

    def note_question(self) -> None:
        """Note that somebody asks something."""
        self._asked = time.monotonic()

    async def run(self, work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """The result of a piece of work. If the caller is cancelled, it first waits for the thread."""
        called = partial(copy_context().run, work, *args, **kwargs)
        return await finished(asyncio.get_running_loop().run_in_executor(self._thread, self._after_a_rest, called))

    async def run_at_once(self, work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """The result of a piece of work whose caller rests by itself."""
        called = partial(copy_context().run, work, *args, **kwargs)
        return await finished(asyncio.get_running_loop().run_in_executor(self._thread, called))

    async def give_way(self, worked_s: float) -> None:
        """Rest after work that could not be done in pieces, as long as it took, while somebody asks."""
        if self.is_asked:
            await asyncio.sleep(min(worked_s, _LONGEST_REST_S))

    @property
    def is_asked(self) -> bool:
        """True while somebody asks in this process."""
        return time.monotonic() - self._asked < _STILL_ASKING_S or (self._beside is not None and self._beside.is_asked)

    def _after_a_rest(self, work: Callable[[], T]) -> T:
        if self.is_asked:
            time.sleep(self._owed_s)
        began = time.thread_time()
        try:
            return work()
        finally:
            self._owed_s = min(_RESTS * (time.thread_time() - began), _LONGEST_REST_S)


BACKGROUND = Background()
"""That of this process."""
