"""A child process that the kernel ends when its parent does, however that ends (Linux)."""

import ctypes
import signal

_PR_SET_PDEATHSIG = 1


def end_with_parent() -> None:
    """In the child, before its program: have the kernel stop it in order when its parent ends. Linux alone can do it."""
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGTERM)
