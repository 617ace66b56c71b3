"""How many files a process may have open: raised as far as the system lets it, and kept to where that is too few.

Most systems allow 1,024 (macOS 256) unless asked, of up to a million: for programs that still use select(2).
"""

from __future__ import annotations

import sys

from shared.runtime.logs import log

_WANTED = (65_536, 10_240)
"""Tried in this order: macOS allows no more than the second, whatever it says."""

_OF_OTHERS = 200
"""Sockets, logs, libraries, and files that are open for a moment."""


def allow_open_files() -> int:
    """Let this process have as many files open as it may, at most 65,536; return how many that is."""
    if sys.platform == "win32":
        return _WANTED[0]
    import resource  # noqa: PLC0415 - Windows has none

    now, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    for wanted in _WANTED:
        allowed = wanted if most == resource.RLIM_INFINITY else min(wanted, most)
        if now != resource.RLIM_INFINITY and now < allowed:
            try:
                resource.setrlimit(resource.RLIMIT_NOFILE, (allowed, most))
            except (ValueError, OSError):
                continue
            return allowed
    return _WANTED[0] if now == resource.RLIM_INFINITY else now


def databases_kept_open(wanted: int, *, files_each: int) -> int:
    """So many of the databases that are wanted open, each of several files, as this process may have open."""
    allowed = allow_open_files()
    affordable = max(1, (allowed - _OF_OTHERS) // files_each)
    if affordable < wanted:
        log.warning("files.few", limit=allowed, kept_open=affordable, wanted=wanted, hint="raise `ulimit -n` or `LimitNOFILE=`")
    return min(wanted, affordable)
