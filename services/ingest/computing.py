"""Where messages are read and decided: short ones at once, long ones in the background, while others are answered.

That background has a thread of its own: no turn waits for the rests of what is learned.
"""

from collections.abc import Callable, Sequence
from typing import ParamSpec, TypeVar

from services.ingest.sent_message import SentMessage
from shared.contracts.commands import AttachEmbedding, RecordRecall
from shared.runtime.background import BACKGROUND, Background
from shared.runtime.import_watch import IMPORTS

P = ParamSpec("P")
T = TypeVar("T")
_MOST_AT_ONCE = 16_384
"""Bytes of messages that are decided together; a longer one is alone."""

_MOST_OF_AN_IMPORT = 65_536
"""Of an import that nobody is beside: decided and written together, a turn costs a tenth less."""

_DECISIONS = Background(BACKGROUND.attention)
_A_VECTOR = b'"memory_id"'
_VECTOR_BYTES = 64
"""A vector counts as so many: nothing is read in it."""

_WEIGHT_OF_RECALLS = 1 / 8
"""The part of a message for which one counts: little is decided of it, and appending several costs as much as one.

Vectors count as messages, several in one message too: with four for one, who asked beside somebody's short turns waited 2.5
times as long as alone.
"""

_SHARE_OF_RECALLS = 16
"""One byte in so many of recalls counts: they are ids and numbers."""

_FEW = 2
_QUICK_BYTES = 4_096
"""Of so many a decision takes a few milliseconds, which is not worth a thread."""


def most_at_once(usual: int, *, can_wait: bool = False) -> int:
    """How many messages are decided in one go: few while somebody asks, for they are appended and applied in the event loop.

    Of what can wait it is one: whatever comes meanwhile waits for it.
    """
    if not BACKGROUND.is_asked:
        return usual
    return 1 if can_wait else min(usual, _FEW)


def most_together() -> int:
    """How many bytes of messages are decided together at most."""
    return _MOST_OF_AN_IMPORT if IMPORTS.is_alone else _MOST_AT_ONCE


async def computed(group: Sequence[SentMessage], work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """The result of work on these messages."""
    if sum(map(size, group)) <= _QUICK_BYTES:
        return work(*args, **kwargs)
    if all(sent.can_wait for sent in group):
        return await _DECISIONS.run_at_once(work, *args, **kwargs)
    return await _DECISIONS.run(work, *args, **kwargs)


def note_imports(group: Sequence[SentMessage]) -> None:
    """Note that turns or memories of the past are decided, where there are any, and what somebody says now."""
    if any(sent.is_import for sent in group):
        IMPORTS.note()
    if any(sent.is_live for sent in group):
        IMPORTS.note_live()


def size(sent: SentMessage) -> int:
    """The bytes of a message, by which its cost is estimated."""
    match sent.subject.what:
        case AttachEmbedding.what:
            return vectors_in(sent) * _VECTOR_BYTES
        case RecordRecall.what:
            return len(sent.delivery.data) // _SHARE_OF_RECALLS
        case _:
            return len(sent.delivery.data)


def weight_of(sent: SentMessage) -> float:
    """For how many messages one counts where few are decided in one go."""
    match sent.subject.what:
        case AttachEmbedding.what:
            return float(vectors_in(sent))
        case RecordRecall.what:
            return _WEIGHT_OF_RECALLS
        case _:
            return 1.0


def vectors_in(sent: SentMessage) -> int:
    """How many vectors a message of vectors has, which is not read for it."""
    return max(1, sent.delivery.data.count(_A_VECTOR))
