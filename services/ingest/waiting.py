"""What a lane has read and not decided yet, and whether somebody has just spoken who had said nothing for a while."""

import time
from collections.abc import Callable

from services.ingest.computing import weight_of
from services.ingest.fair_queue import FairQueue
from services.ingest.sent_message import SentMessage
from shared.contracts.ids import Space, User
from shared.runtime.background import BACKGROUND

_QUIET_S = 1.0
"""Who types says nothing for so long between two messages; who floods does."""

_MOST_HEARD = 256
"""People; when there are more, those are forgotten who said nothing for so long."""


class WaitingMessages(FairQueue[SentMessage]):
    """What waits, of each person in their order. `clock` in seconds."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        super().__init__()
        self._clock = clock
        self._heard: dict[tuple[Space, User], float] = {}
        self.broken_silences = 0
        """How often somebody spoke who had been quiet."""

    def wait_for(self, sent: SentMessage) -> None:
        """Add a message."""
        person = (sent.space, sent.user)
        size, weight = len(sent.delivery.data), weight_of(sent)
        self.add(person, sent.delivery.sequence, sent, size=size, can_wait=sent.can_wait, weight=weight)
        if sent.is_live:
            now = self._clock()
            self.broken_silences += now - self._heard.get(person, -_QUIET_S) >= _QUIET_S
            if len(self._heard) >= _MOST_HEARD:
                self._heard = {each: heard for each, heard in self._heard.items() if now - heard < _QUIET_S}
            self._heard[person] = now

    @property
    def is_loud(self) -> bool:
        """True if what cannot wait keeps others waiting: not where it is all of the one person who asks."""
        match self.only_owner:
            case (space, user):
                return BACKGROUND.attention.is_asked_beside_user(space, user)
            case _:
                return not self.is_patient
