"""Who has a role (the server, each service) on a data folder: one process, or several that know of each other.

A lock goes with its process, however that ends.
"""

import fcntl
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress

from shared.contracts.errors import Misconfigured, NotInitialised
from shared.runtime.datadir import DataDir
from shared.runtime.private_files import FILE

SERVER = "server"


@contextmanager
def hold(files: DataDir, roles: Sequence[str], *, together: bool = False) -> Iterator[None]:
    """Hold these roles' locks, alone or together with others that hold them so.

    Raises Misconfigured if another process has one, NotInitialised without a folder.
    """
    with ExitStack() as stack:
        for role in roles:
            stack.enter_context(_hold(files, role, fcntl.LOCK_SH if together else fcntl.LOCK_EX))
        yield


def is_held(files: DataDir, role: str) -> bool:
    """Tell whether a process has this role now."""
    with suppress(NotInitialised):
        try:
            with _hold(files, role, fcntl.LOCK_EX):
                return False
        except Misconfigured:
            return True
    return False


@contextmanager
def _hold(files: DataDir, role: str, kind: int) -> Iterator[None]:
    path = files.lock(role)
    try:
        path.touch(mode=FILE)
        file = path.open("a")
    except FileNotFoundError as error:
        raise NotInitialised from error
    with file:
        try:
            fcntl.flock(file, kind | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise Misconfigured(f"the {role} of {files.root} runs in another process; stop it first") from error
        yield
