"""Lets many pass at once, and nobody while it is closed."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager


class Turnstile:
    """For threads. Who comes while it is closed waits; closing waits for those who are passing."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._passing = 0
        self._is_closed = False

    @contextmanager
    def passing(self) -> Iterator[None]:
        """Pass, as soon as it is open."""
        with self._changed:
            self._changed.wait_for(lambda: not self._is_closed)
            self._passing += 1
        try:
            yield
        finally:
            with self._changed:
                self._passing -= 1
                self._changed.notify_all()

    def close(self) -> None:
        """Let nobody pass from now on, and wait for those who do. One at a time may close it."""
        with self._changed:
            self._is_closed = True
            self._changed.wait_for(lambda: not self._passing)

    def open(self) -> None:
        """Let pass who waits."""
        with self._changed:
            self._is_closed = False
            self._changed.notify_all()
