"""The result of a benchmark, as it is kept in bench/results and printed in docs/benchmarks.md."""

from __future__ import annotations

import math
import statistics
from collections.abc import Mapping, Sequence
from pathlib import Path

from pydantic import BaseModel, ConfigDict

RESULTS = Path(__file__).parent / "results"


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Spread(_Frozen):
    """One figure over the runs: its median, lowest and highest."""

    median: float
    low: float
    high: float

    @classmethod
    def over(cls, values: Sequence[float]) -> Spread:
        """The spread of one value a run, rounded to three significant digits or whole numbers."""
        return cls(median=_short(statistics.median(values)), low=_short(min(values)), high=_short(max(values)))


class Aim(_Frozen):
    """A limit that a figure should meet. It is printed beside the figure; nothing fails when it is missed."""

    figure: str
    limit: float
    is_least: bool = False  # False: at most


class Row(_Frozen):
    """One thing that was measured, with its unit and figures."""

    what: str
    unit: str
    samples: int  # of each run
    figures: dict[str, Spread]  # p50, p95, p99, or `value`
    aims: tuple[Aim, ...] = ()


class Machine(_Frozen):
    """The machine that a result was measured on, without names or paths."""

    cores: int
    memory_gb: float
    system: str
    versions: dict[str, str]


class Result(_Frozen):
    """All that one benchmark measured, with what is needed to read and repeat it."""

    name: str
    question: str
    measured_on: str  # the day, in UTC
    is_quick: bool
    runs: int
    embedder: str
    machine: Machine
    load_before: float  # the machine's load average over a minute, before and after
    load_after: float
    rows: tuple[Row, ...]
    shares: dict[str, dict[str, float]] = {}  # table, part, amount
    notes: tuple[str, ...] = ()

    def save(self, folder: Path) -> Path:
        """Write it to `<name>.json` in the folder; return the path."""
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / f"{self.name}.json"
        path.write_text(self.model_dump_json(indent=1) + "\n", encoding="utf-8")
        return path


def load_results(folder: Path = RESULTS) -> list[Result]:
    """All results in the folder, ordered by name."""
    return [Result.model_validate_json(path.read_text(encoding="utf-8")) for path in sorted(folder.glob("*.json"))]


def brief(row: Row) -> str:
    """A row on one line, for progress while the benchmark runs."""
    figures = (f"{name} {found.median:g} ({found.low:g}-{found.high:g})" for name, found in row.figures.items())
    return f"  {row.what}: {', '.join(figures)} {row.unit}"


def latencies(what: str, runs: Sequence[Sequence[float]], *, aims: Mapping[str, float] | None = None) -> Row:
    """A row with p50, p95 and p99 in milliseconds. `runs`: the seconds of each sample, run by run."""
    figures = {
        f"p{share}": Spread.over([1000 * percentile(run, share) for run in runs]) for share in (50, 95, 99)
    }  # fmt: skip
    limits = tuple(Aim(figure=figure, limit=limit) for figure, limit in (aims or {}).items())
    return Row(what=what, unit="ms", samples=min(map(len, runs)), figures=figures, aims=limits)


def amount(
    what: str,
    unit: str,
    values: Sequence[float],
    *,
    samples: int = 1,
    at_least: float | None = None,
    at_most: float | None = None,
) -> Row:
    """A row with one value for each run."""
    aims = [Aim(figure="value", limit=limit, is_least=limit is at_least) for limit in (at_least, at_most) if limit is not None]
    return Row(what=what, unit=unit, samples=samples, figures={"value": Spread.over(values)}, aims=tuple(aims))


def percentile(values: Sequence[float], share: float) -> float:
    """The value below or at which `share` percent lie (nearest rank).

    >>> percentile([5, 1, 4, 2, 3], 50)
    3
    """
    ordered = sorted(values)
    return ordered[max(0, math.ceil(share / 100 * len(ordered)) - 1)]


def _short(value: float) -> float:
    if not value:
        return 0.0
    return float(round(value, max(0, 2 - math.floor(math.log10(abs(value))))))
