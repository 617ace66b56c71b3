"""Where messages are read and decided: short ones at once, long ones in the background, while others are answered."""

from collections.abc import Callable, Sequence
from typing import ParamSpec, TypeVar

from services.ingest.sent_message import SentMessage
from shared.runtime.background import BACKGROUND

P = ParamSpec("P")
T = TypeVar("T")
MOST_AT_ONCE = 16_384
"""Bytes of messages that are decided together; a longer one is alone."""

_FEW = 8
_QUICK_BYTES = 4_096
"""Of so many a decision takes a few milliseconds, which is not worth a thread."""


def most_at_once(usual: int) -> int:
    """How many messages are decided in one go: few while somebody asks, for they are appended and applied in the event loop."""
    return min(usual, _FEW) if BACKGROUND.is_asked else usual


async def computed(group: Sequence[SentMessage], work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """The result of work on these messages."""
    if sum(map(size, group)) <= _QUICK_BYTES:
        return work(*args, **kwargs)
    return await BACKGROUND.run(work, *args, **kwargs)


def size(sent: SentMessage) -> int:
    """The bytes of a message, by which its cost is estimated."""
    return len(sent.delivery.data)
