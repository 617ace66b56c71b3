"""Every benchmark runs, in small, and writes a complete result; the page says what the results say. No figure is judged."""

from __future__ import annotations

import math
import subprocess
import sys
from pathlib import Path

import pytest

from bench import _report
from bench.__main__ import NAMES
from bench._result import Machine, Result, amount, latencies, load_results, percentile

ROOT = Path(__file__).parents[2]
COUNTED = {"memories", "files", "turns", "people"}  # of which none may be lost or left
RESULT = Result(
    name="other",
    question="How fast?",
    measured_on="2026-01-01",
    is_quick=False,
    runs=3,
    embedder="minilm",
    machine=Machine(cores=2, memory_gb=8, system="Linux x86_64", versions={"python": "3.11"}),
    load_before=0.1,
    load_after=1.2,
    rows=(
        latencies("asked", [[0.010, 0.020], [0.012, 0.022], [0.014, 0.024]], aims={"p50": 15, "p95": 15}),
        amount("imported", "turns/s", [5_100, 4_000, 6_000], at_least=5_000),
    ),
    shares={"Where the time goes": {"here": 3.0, "there": 1.0}},
)


@pytest.fixture(scope="module")
def quick_results(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Result]:
    """Of all benchmarks, run once in one process: starting Python is most of the work."""
    folder = tmp_path_factory.mktemp("bench")
    options = ("--quick", "--runs", "1", "--embedder", "hashing", "--data", str(folder), "--results", str(folder / "results"))
    subprocess.run([sys.executable, "-m", "bench", *NAMES, *options], cwd=ROOT, check=True)
    return {result.name: result for result in load_results(folder / "results")}


@pytest.mark.timeout(600)  # they start some twenty processes: half a minute on a calm machine
@pytest.mark.nightly
@pytest.mark.parametrize("name", NAMES)
def test_every_benchmark_runs_and_writes_a_complete_result(name: str, quick_results: dict[str, Result]) -> None:
    result = quick_results[name]
    assert (result.name, result.runs, result.is_quick, result.embedder) == (name, 1, True, "hashing")
    assert result.rows
    for row in result.rows:
        assert row.figures
        least = 0 if row.unit in COUNTED else math.ulp(0.0)
        assert all(math.isfinite(spread.median) and spread.median >= least for spread in row.figures.values()), row
        assert all(aim.figure in row.figures for aim in row.aims), row


def test_the_page_is_what_the_results_say() -> None:
    assert _report.PAGE.read_text("utf-8") == _report.page(load_results()), "run `make bench NAME=report`"


def test_no_result_that_is_kept_comes_from_a_quick_run() -> None:
    assert not [result.name for result in load_results() if result.is_quick]


def test_the_page_tells_figures_spread_and_whether_each_aim_is_met() -> None:
    page = _report.page([RESULT])

    assert (
        "| asked | ms | 12 (10 to 14) | 22 (20 to 24) | 22 (20 to 24) |  | p50 at most 15, p95 at most 15 | yes, no |" in page
    )
    assert "| imported | turns/s |  |  |  | 5,100 (4,000 to 6,000) | at least 5,000 | yes |" in page
    assert "| here | 3 | 75% |" in page
    assert "load 0.1 before, 1.2 after" in page


def test_a_percentile_is_a_value_that_was_measured() -> None:
    assert percentile(range(1, 101), 95) == 95
    assert percentile([7.0], 99) == 7.0
