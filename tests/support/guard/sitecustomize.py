"""Refuses every connection and every name but the loopback's, in any Python process that finds this on its path.

An audit hook, not a patch: it sees every socket of the interpreter, whoever made it. What is no Python does not obey it.
"""

import sys

_LOOPBACK = ("127.", "::1", "localhost", "0.0.0.0")
_CONNECTING = {"socket.connect", "socket.sendto", "socket.sendmsg"}
_RESOLVING = {"socket.getaddrinfo", "socket.gethostbyname"}


def _guard(event: str, arguments: tuple[object, ...]) -> None:
    if event in _CONNECTING:
        address = arguments[1]
        if isinstance(address, tuple) and not _is_loopback(address[0]):
            _refuse(event)
    elif event in _RESOLVING and not _is_loopback(arguments[0]):
        _refuse(event)


def _is_loopback(host: object) -> bool:
    name = host.decode() if isinstance(host, bytes) else host
    return not name or (isinstance(name, str) and name.startswith(_LOOPBACK))


def _refuse(event: str) -> None:
    raise PermissionError(f"this test has no network but the loopback: {event}")


sys.addaudithook(_guard)
