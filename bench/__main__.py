"""`python -m bench` lists the benchmarks; with NAMES it runs them; with `report` it writes docs/benchmarks.md."""

from __future__ import annotations

import pkgutil
import sys
from importlib import import_module
from itertools import takewhile

import bench
from bench._report import write_page

NAMES = [
    module.name for module in pkgutil.iter_modules(bench.__path__) if not (module.ispkg or module.name.startswith("_"))
]  # fmt: skip

_REPORT = "report"


def main() -> None:
    """Run the benchmarks that are named, write docs/benchmarks.md, or list them all."""
    names = list(takewhile(lambda argument: not argument.startswith("-"), sys.argv[1:]))
    if unknown := set(names) - {*NAMES, _REPORT}:
        sys.exit(f"no such benchmark: {', '.join(sorted(unknown))}; there are: {', '.join(NAMES)}")
    for name in names:
        if name == _REPORT:
            print(write_page())
        else:
            import_module(f"bench.{name}").main(sys.argv[1 + len(names) :])
    if not names:
        _list()


def _list() -> None:
    for name in NAMES:
        summary = (import_module(f"bench.{name}").__doc__ or "").partition("\n")[0]
        print(f"{name:12} {summary}")
    print('\nRun one with: make bench NAME=<name> ARGS="--quick"; write docs/benchmarks.md with: make bench NAME=report')
    print('Beside other memories: make bench NAME=ask ARGS="--peers --quick", make bench NAME=promises ARGS="--peers --quick"')


if __name__ == "__main__":
    main()
