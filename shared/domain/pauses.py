"""Where long work may be interrupted: whoever runs it says what happens there. What comes of it does not depend on that."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_pause: ContextVar[Callable[[], object] | None] = ContextVar("pause", default=None)


def may_pause() -> None:
    """Let others come first, where this work is of a kind that gives way. To be called between pieces of a few milliseconds."""
    if pause := _pause.get():
        pause()


@contextmanager
def pausing(pause: Callable[[], object]) -> Iterator[None]:
    """Have this called wherever the work in the block may be interrupted."""
    token = _pause.set(pause)
    try:
        yield
    finally:
        _pause.reset(token)
