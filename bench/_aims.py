"""What an answer may take on a machine of two cores, by how much is remembered of the person."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Aims:
    """The limits of a context: one client's latency and processor time, and how many answers eight clients get."""

    p50_ms: float | None = None
    p95_ms: float | None = None
    cpu_ms: float | None = None
    answers_s: float | None = None

    @property
    def latencies(self) -> dict[str, float]:
        """The aims for latency in milliseconds, by percentile."""
        return {name: limit for name, limit in (("p50", self.p50_ms), ("p95", self.p95_ms)) if limit}


AIMS = {
    600: Aims(p50_ms=10, p95_ms=25, cpu_ms=12, answers_s=100),
    10_000: Aims(p50_ms=15, p95_ms=25, cpu_ms=18, answers_s=100),
    100_000: Aims(p95_ms=60, cpu_ms=32, answers_s=40),
}
"""Of one person, by the number of memories."""

OF_MANY_PEOPLE = 1.3
"""With 1,000 people in the same installation, all of that may be so many times what it is with one."""
