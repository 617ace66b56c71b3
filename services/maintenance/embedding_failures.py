"""Counts failures of the embedder in this process, for the job and for the operator's status."""

from shared.runtime.clock import Clock
from shared.runtime.retries import Breaker


class EmbeddingFailures(Breaker):
    """Failures in a row, and the memories whose text the model refuses: after the next start all are tried again."""

    def __init__(self, clock: Clock, *, first_s: float, longest_s: float) -> None:
        super().__init__(clock, first_s=first_s, longest_s=longest_s)
        self.set_aside: dict[str, str] = {}
        """Codes of the errors, by memory id."""
