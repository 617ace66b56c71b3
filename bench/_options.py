"""Runs a benchmark: reads the options that all have in common, measures, prints a table, and writes the result to a file."""

from __future__ import annotations

import argparse
import asyncio
import os
import tempfile
from collections.abc import Callable, Coroutine, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from bench._machine import load, machine
from bench._result import RESULTS, Result, Row
from shared.runtime.clock import SystemClock
from shared.runtime.logs import configure_logs

_RUNS = 5
_QUICK_RUNS = 2


@dataclass(frozen=True, slots=True)
class Options:
    """The command line's options, the same for every benchmark."""

    runs: int
    is_quick: bool
    embedder: str
    data: Path  # for logs that are fabricated once and kept
    results: Path

    def size(self, usual: int, quick: int) -> int:
        """`usual`, or with --quick `quick`: how much of something to measure."""
        return quick if self.is_quick else usual


@dataclass(frozen=True, slots=True)
class Findings:
    """What `measure` returns: rows of figures, tables of shares of time or space, and notes on how to read them."""

    rows: Sequence[Row]
    shares: Mapping[str, Mapping[str, float]] | None = None
    notes: Sequence[str] = ()


def run(
    name: str,
    question: str,
    measure: Callable[[Options], Coroutine[Any, Any, Findings]],
    arguments: Sequence[str],
    *,
    runs: int = _RUNS,
    parents: Sequence[argparse.ArgumentParser] = (),
) -> None:
    """Read the options, measure, print the table and write the result.

    `runs`: how often to measure by default. `parents`: further options, which `measure` knows already.
    """
    options = _options(name, question, arguments, runs=runs, parents=parents)
    configure_logs(level="warning", as_json=False)
    before = load()
    outcome = asyncio.run(measure(options))
    result = Result(
        name=name,
        question=question,
        measured_on=SystemClock().now().date().isoformat(),
        is_quick=options.is_quick,
        runs=options.runs,
        embedder=options.embedder,
        machine=machine(),
        load_before=before,
        load_after=load(),
        rows=tuple(outcome.rows),
        shares={table: dict(parts) for table, parts in (outcome.shares or {}).items()},
        notes=tuple(outcome.notes),
    )
    _print(result)
    print(f"written: {result.save(options.results).name}")


def _options(
    name: str, question: str, arguments: Sequence[str], *, runs: int, parents: Sequence[argparse.ArgumentParser]
) -> Options:
    parser = argparse.ArgumentParser(prog=f"python -m bench {name}", description=question, parents=list(parents))
    parser.add_argument("--runs", type=int, help=f"how often to measure; {runs} by default, {_QUICK_RUNS} with --quick")
    parser.add_argument("--quick", action="store_true", help="a small run that shows that it works; no figure to keep")
    parser.add_argument("--embedder", default="minilm", choices=("minilm", "hashing"), help="hashing needs no model")
    parser.add_argument("--data", type=Path, help="folder for fabricated logs, kept; MEMSTREAM_BENCH_DATA by default")
    parser.add_argument("--results", type=Path, help="folder of the result; with --quick a temporary one by default")
    given = parser.parse_args(list(arguments))
    temporary = Path(tempfile.gettempdir()) / "memstream-bench"
    return Options(
        runs=given.runs or (_QUICK_RUNS if given.quick else runs),
        is_quick=given.quick,
        embedder=given.embedder,
        data=given.data or Path(os.environ.get("MEMSTREAM_BENCH_DATA") or temporary),
        results=given.results or (temporary / "results" if given.quick else RESULTS),
    )


def _print(result: Result) -> None:
    columns = list(dict.fromkeys(figure for row in result.rows for figure in row.figures))
    table = Table("", "", *columns, title=result.question)
    for row in result.rows:
        cells = [f"{s.median:g} ({s.low:g}-{s.high:g})" if (s := row.figures.get(name)) else "" for name in columns]
        table.add_row(row.what, row.unit, *cells)
    console = Console(highlight=False)
    console.print(table)
    for title, parts in result.shares.items():
        console.print(f"{title}: " + ", ".join(f"{part} {amount:g}" for part, amount in parts.items()))
    console.print(f"load {result.load_before} before, {result.load_after} after; {result.runs} runs")
