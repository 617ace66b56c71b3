"""How the work of a thread gives way: it does not go on beside an answer, as far as its patience goes."""

import time
from collections.abc import Callable

from shared.domain.patience import Patience
from shared.runtime.attention import Attention

_SHORTEST_S = 0.0005
"""What has not worked for so long has hardly begun: looking for who asks would take longer."""


class GivingWay:
    """Pauses the work of one thread. What it works counts by the clock: on a machine that is busy, answers take longer too."""

    def __init__(self, attention: Attention, patience: Patience, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._attention = attention
        self._patience = patience
        self._clock = clock
        self._since_s = clock()
        self._worked_s = 0.0

    def begin(self) -> None:
        """Wait while somebody is being answered, before a piece of work; what passed since the last one was no work."""
        self._since_s = self._clock()
        self._worked_s = 0.0
        self._wait()

    def pause(self) -> None:
        """Wait while somebody is being answered; called again and again within the work."""
        if self._clock() - self._since_s >= _SHORTEST_S:
            self._work_until_now()
            self._wait()

    def end(self) -> float:
        """Count the work up to here; return how long the piece was, without its pauses, in seconds."""
        self._work_until_now()
        return self._worked_s

    def _work_until_now(self) -> None:
        worked_s = self._clock() - self._since_s
        self._worked_s += worked_s
        self._patience = self._patience.worked(worked_s)
        self._since_s += worked_s

    def _wait(self) -> None:
        self._patience = self._patience.waited(self._attention.wait(self._patience.left_s))
        self._since_s = self._clock()
