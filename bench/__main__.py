"""`python -m bench` lists the benchmarks, `python -m bench NAME...` runs them."""

import pkgutil
import sys
from importlib import import_module

import bench

NAMES = [module.name for module in pkgutil.iter_modules(bench.__path__) if not module.name.startswith("_")]


def main() -> None:
    """Run the benchmarks that are named, or list them all."""
    wanted = sys.argv[1:]
    if unknown := set(wanted) - set(NAMES):
        sys.exit(f"no such benchmark: {', '.join(sorted(unknown))}; there are: {', '.join(NAMES)}")
    for name in wanted:
        import_module(f"bench.{name}").main()
    if not wanted:
        for name in NAMES:
            summary = (import_module(f"bench.{name}").__doc__ or "").partition("\n")[0]
            print(f"{name:16} {summary}")
        print("\nRun one with: make bench NAME=<name>")


if __name__ == "__main__":
    main()
