"""Sockets that our HTTP servers listen at."""

import socket

from shared.contracts.errors import Misconfigured

_BACKLOG = 128


def listening(host: str, port: int) -> socket.socket:
    """A listening socket whose connections send what is short at once. Raises Misconfigured where nobody can listen there.

    asyncio sets TCP_NODELAY only where a socket's protocol is given, which that of `create_server` is not; those that are
    accepted inherit it from the one that listens.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        made = socket.create_server((host, port), family=family, backlog=_BACKLOG)
    except (OSError, OverflowError) as error:
        where = f"{in_url(host)}:{port}"
        raise Misconfigured(f"nobody can listen at {where} ({error}); choose another port, or 0 for a free one") from error
    made.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return made


def in_url(host: str) -> str:
    """A host as it stands in a URL."""
    return f"[{host}]" if ":" in host else host
