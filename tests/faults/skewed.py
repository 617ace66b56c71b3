"""Runs a program with a wrong clock: `python -m tests.faults.skewed FILE MODULE ARGUMENTS...`; FILE says by how many hours."""

from __future__ import annotations

import runpy
import sys
from datetime import datetime, timedelta
from pathlib import Path

from shared.runtime.clock import SystemClock


def main() -> None:
    """Patch the one place that reads the clock, then run the program as always."""
    _, file, module, *arguments = sys.argv
    hours, right = Path(file), SystemClock.now

    def wrong(self: SystemClock) -> datetime:
        return right(self) + timedelta(hours=float(hours.read_text(encoding="utf-8") or 0))

    SystemClock.now = wrong  # type: ignore[method-assign]
    sys.argv = [module, *arguments]
    runpy.run_module(module, run_name="__main__", alter_sys=True)


if __name__ == "__main__":
    main()
