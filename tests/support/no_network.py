"""Runs a command with no network but the loopback: in a network namespace of its own, else under a guard on every socket."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path

_GUARD = Path(__file__).parent / "guard"
_LOOPBACK_UP = """
import fcntl, os, socket, struct, sys
with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
    fcntl.ioctl(any_socket, 0x8914, struct.pack("16sH14x", b"lo", 0x1 | 0x40))  # SIOCSIFFLAGS: up, running
os.execvp(sys.argv[1], sys.argv[1:])
"""

Runner = Callable[[Sequence[str]], "subprocess.CompletedProcess[str]"]


@cache
def has_namespaces() -> bool:
    """Tell whether this machine lets us have a network namespace."""
    unshare = shutil.which("unshare")
    return unshare is not None and in_namespace(["true"]).returncode == 0


def in_namespace(command: Sequence[str]) -> subprocess.CompletedProcess[str]:
    """In a user and network namespace of its own, whose only interface is the loopback: binds every program."""
    return _run(["unshare", "-rn", sys.executable, "-c", _LOOPBACK_UP, *command], {})


def under_guard(command: Sequence[str]) -> subprocess.CompletedProcess[str]:
    """With a hook in every Python process that refuses other addresses: for machines without namespaces."""
    return _run(command, {"PYTHONPATH": str(_GUARD)})


def without_network(command: Sequence[str]) -> subprocess.CompletedProcess[str]:
    """The surest way that this machine has."""
    return in_namespace(command) if has_namespaces() else under_guard(command)


def _run(command: Sequence[str], environment: dict[str, str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, env={**os.environ, **environment}, check=False, capture_output=True, text=True, timeout=110)
