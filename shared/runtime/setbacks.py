"""What is tried again for ever: how long to pause after each failure, and what the last one was, for whoever asks."""

from __future__ import annotations

from shared.contracts.errors import MemstreamError


class Setbacks:
    """Failures in a row. Keeps the code of the last one only, for a code says nothing of anyone's words."""

    def __init__(self, *, first_s: float, longest_s: float) -> None:
        self._first_s = first_s
        self._longest_s = longest_s
        self.failures = 0
        self.last_error: str | None = None

    def failed(self, error: MemstreamError) -> float:
        """Note a failure; the seconds to pause: `first_s`, doubled for each failure more, `longest_s` at most."""
        pause_s = min(self._first_s * 2.0 ** min(self.failures, 32), self._longest_s)
        self.failures += 1
        self.last_error = error.code
        return pause_s

    def succeeded(self) -> None:
        """Forget them."""
        self.failures, self.last_error = 0, None
