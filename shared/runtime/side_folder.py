"""A folder for what is tried out beside an installation: its own memories of somebody, made and deleted again.

It lies in the data folder, so whoever looks for the bytes of what was forgotten finds it there, and deletes what a crash left.
"""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from shared.contracts.errors import Misconfigured
from shared.runtime.datadir import DataDir
from shared.runtime.file_lock import FileLock
from shared.runtime.private_files import private_folder

_ROLE = "whatif"


@contextmanager
def side_folder(files: DataDir) -> Iterator[Path]:
    """An empty folder, which is deleted at the end. Raises Misconfigured while another has one."""
    lock, folder = FileLock(files.lock(_ROLE)), path_of_side(files)
    if not lock.take():
        raise Misconfigured("another what-if runs on this data folder; wait for its end")
    try:
        shutil.rmtree(folder, ignore_errors=True)
        private_folder(folder)
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        lock.release()


def path_of_side(files: DataDir) -> Path:
    """The folder in which a what-if lies, if one is there."""
    return files.root / _ROLE


def remove_dead_side(files: DataDir) -> None:
    """Delete what a killed one left: it holds what was said."""
    folder, lock = path_of_side(files), FileLock(files.lock(_ROLE))
    if folder.exists() and lock.take():
        shutil.rmtree(folder, ignore_errors=True)
        lock.release()
