"""The command line, as `memstream` and as `python -m memstream`."""

import gc
import sys
from importlib import import_module
from importlib.util import find_spec
from types import ModuleType
from typing import Any

from memstream._home import open_home

_YOUNGEST = 50_000
"""So many new objects make a garbage collection: Python's 700 would make many while modules are imported, and find nothing."""


def main() -> None:
    """Run the command line in memstream's own home."""
    gc.set_threshold(_YOUNGEST)
    open_home()
    _load_when_used("aiohttp")
    from memstream.cli import app  # noqa: PLC0415 - only now is `shared` ours

    app(prog_name="memstream")


class LateModule(ModuleType):
    """A module that is loaded at the first use of what is in it.

    nats-py imports aiohttp, where it is installed, for WebSockets: of a process that uses none it is 9 MB. importlib's own
    LazyLoader loads at the second import already (Python 3.11).
    """

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401 - whatever is in it
        if sys.modules.get(self.__name__) is self:
            del sys.modules[self.__name__]
        return getattr(import_module(self.__name__), name)


def _load_when_used(name: str) -> None:
    if name not in sys.modules and (spec := find_spec(name)) is not None:
        late = sys.modules[name] = LateModule(name)
        late.__spec__ = spec  # which others ask for, to see whether it is installed


if __name__ == "__main__":
    main()
