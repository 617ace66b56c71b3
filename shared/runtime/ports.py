"""Ports of the loopback: which are free, and which stay so until somebody listens there."""

import contextlib
import socket

from shared.contracts.errors import Misconfigured
from shared.runtime.ids import new_token

LOOPBACK = "127.0.0.1"
_NEVER_EPHEMERAL = range(10_000, 32_000)
"""Ports that neither Linux nor macOS nor Windows gives to outgoing connections, unless it is told to."""
_TRIES = 1_000


def is_free(port: int) -> bool:
    """Tell whether nobody listens there."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        with contextlib.suppress(OSError):
            probe.bind((LOOPBACK, port))
            return True
    return False


def free_port() -> int:
    """A free port, which no outgoing connection of another process takes meanwhile. Raises Misconfigured if none is found."""
    for _ in range(_TRIES):
        port = _NEVER_EPHEMERAL[int(new_token(), 16) % len(_NEVER_EPHEMERAL)]
        if is_free(port):
            return port
    raise Misconfigured(f"no port from {_NEVER_EPHEMERAL.start} to {_NEVER_EPHEMERAL.stop - 1} of the loopback is free")
