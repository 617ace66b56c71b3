"""One process a role (the server, each service) on a data folder. A lock goes with its process, however that ends."""

import fcntl
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress

from shared.contracts.errors import Misconfigured, NotInitialised
from shared.runtime.datadir import DataDir
from shared.runtime.private_files import FILE

SERVER = "server"


@contextmanager
def hold(files: DataDir, roles: Sequence[str]) -> Iterator[None]:
    """Hold these roles' locks. Raises Misconfigured if another process has one, NotInitialised without a folder."""
    with ExitStack() as stack:
        for role in roles:
            stack.enter_context(_hold(files, role))
        yield


def is_held(files: DataDir, role: str) -> bool:
    """Tell whether a process has this role now."""
    with suppress(NotInitialised):
        try:
            with _hold(files, role):
                return False
        except Misconfigured:
            return True
    return False


@contextmanager
def _hold(files: DataDir, role: str) -> Iterator[None]:
    path = files.root / f"{role}.lock"
    try:
        path.touch(mode=FILE)
        file = path.open("a")
    except FileNotFoundError as error:
        raise NotInitialised from error
    with file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise Misconfigured(f"the {role} of {files.root} runs in another process; stop it first") from error
        yield
