"""What an operator sees of the last hours: samples of what all processes measure, as numbers, in a ring of bounded length."""

import re
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from shared.runtime.measured import Measured

Buckets = Mapping[float, float]
"""Of a histogram: how many were no longer than so many seconds."""

MOST_SAMPLES = 720
LONGEST_GAP = timedelta(minutes=10)
_KEY = re.compile(r"(?P<name>\w+)(?:\{(?P<labels>.*)\})?")
_COUNTED = re.compile(r"_(?:total|count|sum|bucket)$")
_BOUND = "le"


@dataclass(frozen=True, slots=True)
class Gathered:
    """What the processes that answered measured at a moment."""

    at: datetime
    processes: Mapping[str, Measured]


@dataclass(frozen=True, slots=True)
class Sample:
    """What stood at a moment, and what had been counted since the one before."""

    at: datetime
    stands: Mapping[str, float]
    """The gauges, each the largest of all processes."""
    grown: Mapping[str, float]
    """What the counters of all processes counted."""

    def total(self, name: str, **labels: str) -> float:
        """What was counted under a name, of all series with these labels."""
        return sum(value for key, value in self.grown.items() if matches(key, name, labels))

    def by(self, name: str, label: str) -> dict[str, float]:
        """What was counted under a name, by the value of a label."""
        found: dict[str, float] = {}
        for key, value in self.grown.items():
            if key.partition("{")[0] == name:
                of = labels_of(key).get(label, "")
                found[of] = found.get(of, 0.0) + value
        return found

    def buckets(self, name: str, **labels: str) -> dict[float, float]:
        """How many were counted in a histogram, up to each bound."""
        found: dict[float, float] = {}
        for key, value in self.grown.items():
            if matches(key, f"{name}_bucket", labels):
                bound = float(labels_of(key)[_BOUND])
                found[bound] = found.get(bound, 0.0) + value
        return found

    def most(self, name: str, **labels: str) -> float | None:
        """The largest value of a gauge, of all series with these labels; None if there is none."""
        return max((value for key, value in self.stands.items() if matches(key, name, labels)), default=None)

    def sum(self, name: str) -> float | None:
        """The sum of a gauge's series; None if there is none."""
        found = [value for key, value in self.stands.items() if matches(key, name, {})]
        return sum(found) if found else None


@dataclass
class Ring:
    """The samples of the last hours. It forgets the oldest."""

    samples: deque[Sample] = field(default_factory=lambda: deque(maxlen=MOST_SAMPLES))
    series: frozenset[str] = frozenset()
    """The keys of all that was counted when a sample was taken last."""
    _last: Gathered | None = None

    def values_of(self, name: str, label: str) -> set[str]:
        """The values of a label that were counted under a name."""
        return {labels_of(key)[label] for key in self.series if key.partition("{")[0] == name}

    def add(self, reading: Gathered) -> None:
        """Take a reading up. Of a process that was not there before only what comes next counts.

        The first reading, and one after a long silence, says only from where to count.
        """
        is_first = self._last is None or reading.at - self._last.at > LONGEST_GAP
        before = self._last.processes if self._last else {}
        grown: dict[str, float] = {}
        stands: dict[str, float] = {}
        counted: set[str] = set()
        for process, measured in reading.processes.items():
            for key, value in measured.items():
                if not _COUNTED.search(key.partition("{")[0]):
                    stands[key] = max(value, stands.get(key, value))
                    continue
                counted.add(key)
                if process in before and (more := _more(before[process].get(key, 0.0), value)):
                    grown[key] = grown.get(key, 0.0) + more
        missing = {name: known for name, known in before.items() if name not in reading.processes}
        # the last few of the processes that did not answer: one that is late must not count twice
        self._last = Gathered(reading.at, {**dict(list(missing.items())[-8:]), **reading.processes})
        self.series = frozenset(counted)
        if not is_first:
            self.samples.append(Sample(reading.at, stands, grown))

    def binned(self, bins: int, *, until: datetime, span: timedelta) -> list[Sample | None]:
        """The samples of a span of time, joined into so many; None where there is none."""
        groups: list[list[Sample]] = [[] for _ in range(bins)]
        for sample in self.samples:
            index = bins - 1 - int((until - sample.at) / span * bins)
            if 0 <= index < bins:
                groups[index].append(sample)
        return [_joined(group) if group else None for group in groups]


def _more(before: float, now: float) -> float:
    return now - before if now >= before else now


def _joined(group: Sequence[Sample]) -> Sample:
    grown: dict[str, float] = {}
    for sample in group:
        for key, value in sample.grown.items():
            grown[key] = grown.get(key, 0.0) + value
    return Sample(group[-1].at, group[-1].stands, grown)


def labels_of(key: str) -> dict[str, str]:
    """The labels in a sample's key."""
    match = _KEY.fullmatch(key)
    pairs = (match["labels"] or "").split(",") if match else []
    return {label: value for label, _, value in (pair.partition("=") for pair in pairs) if label}


def matches(key: str, name: str, labels: Mapping[str, str]) -> bool:
    """True for a sample of this name that has these labels."""
    return key.partition("{")[0] == name and labels.items() <= labels_of(key).items()


def quantile(share: float, buckets: Buckets) -> float | None:
    """The value that so large a share of what was counted does not exceed; None where nothing was counted.

    Linear within a bucket, as Prometheus: of 10 up to 0.1 and 20 up to 0.2, the 0.75 quantile is 0.15.
    """
    bounds = sorted(buckets)
    if not bounds or not buckets[bounds[-1]]:
        return None
    rank, below, counted = share * buckets[bounds[-1]], 0.0, 0.0
    for bound in bounds:
        if buckets[bound] >= rank:
            part = (rank - counted) / ((buckets[bound] - counted) or 1)
            return below if bound == float("inf") else below + (bound - below) * part
        below, counted = bound, buckets[bound]
    return below
