"""`python -m bench` lists the benchmarks, `python -m bench NAME [OPTIONS]` runs one, `... report` writes docs/benchmarks.md."""

from __future__ import annotations

import pkgutil
import sys
from importlib import import_module

import bench
from bench._report import write_page

NAMES = [
    module.name for module in pkgutil.iter_modules(bench.__path__) if not module.name.startswith("_")
]  # fmt: skip


def main() -> None:
    """Run the benchmark that is named, write the page, or list them all."""
    name, *arguments = sys.argv[1:] or [""]
    if name == "report":
        print(write_page())
    elif name in NAMES:
        import_module(f"bench.{name}").main(arguments)
    elif name:
        sys.exit(f"no such benchmark: {name}; there are: {', '.join(NAMES)}")
    else:
        _list()


def _list() -> None:
    for name in NAMES:
        summary = (import_module(f"bench.{name}").__doc__ or "").partition("\n")[0]
        print(f"{name:12} {summary}")
    print('\nRun one with: make bench NAME=<name> ARGS="--quick"; write docs/benchmarks.md with: make bench NAME=report')


if __name__ == "__main__":
    main()
