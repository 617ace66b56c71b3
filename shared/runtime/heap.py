"""How the memory of a process that runs for long is kept: the collector of cycles, and what is given back to the system."""

from __future__ import annotations

import ctypes
import gc
import sys

_YOUNGEST = 20_000
"""So many new objects make a collection: Python's 700 are fewer than one message of an import makes."""

_ARENAS = 2
_MMAP_BYTES = 4 * 1024 * 1024
_TRIM_BYTES = 8 * 1024 * 1024
_M_TRIM_THRESHOLD, _M_MMAP_THRESHOLD, _M_ARENA_MAX = -1, -3, -8  # malloc.h of glibc


def settle_heap() -> None:
    """Call it when all is loaded and composed: what is there now stays, and is not looked through again and again.

    Measured: without it an import spends a fifth of its processor time in the collector.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(_YOUNGEST)


def bound_heap() -> bool:
    """Call it before threads begin: what a thread frees is given back, or used by others. True where the system can do that.

    By default glibc keeps 64 MB and more for each thread that ever ran a model, and what it gives back grows less as larger
    pieces are freed. Measured after thousands of messages and searches: 380 of 626 MB were free, and kept.
    Source: mallopt(3).
    """
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None) if sys.platform == "linux" else None
    if mallopt is None:
        return False
    options = {_M_ARENA_MAX: _ARENAS, _M_MMAP_THRESHOLD: _MMAP_BYTES, _M_TRIM_THRESHOLD: _TRIM_BYTES}
    return all(mallopt(option, value) == 1 for option, value in options.items())
