"""The command line, as `memstream` and as `python -m memstream`."""

import gc

from memstream._home import open_home

_YOUNGEST = 50_000
"""So many new objects make a garbage collection: Python's 700 would make many while modules are imported, and find nothing."""


def main() -> None:
    """Run the command line in memstream's own home."""
    gc.set_threshold(_YOUNGEST)
    open_home()
    from memstream.cli import app  # noqa: PLC0415 - only now is `shared` ours

    app(prog_name="memstream")


if __name__ == "__main__":
    main()
