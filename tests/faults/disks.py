"""Small disks that can be full: a tmpfs of their own where it may be mounted, as within `unshare --map-root-user --mount`."""

from __future__ import annotations

import os
import shutil
import subprocess
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

_BYTES = 4 * 1024**3
"""More than the streams reserve of a disk of which the server takes three quarters."""


@cache
def can_mount() -> bool:
    """True if this process may mount a file system."""
    with TemporaryDirectory(prefix="memstream-disk-") as folder:
        if not _mounted(Path(folder)):
            return False
        _run("umount", folder)
        return True


class Disk:
    """A file system of its own at a folder. It takes no memory but for what is written."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.folder = folder
        if not _mounted(folder):
            msg = f"{folder} cannot be mounted"
            raise OSError(msg)

    def fill(self) -> None:
        """Leave no byte: it becomes as large as what lies in it."""
        while not self._resize(self._used_bytes):  # somebody wrote meanwhile
            pass

    @property
    def _used_bytes(self) -> int:
        found = os.statvfs(self.folder)
        return (found.f_blocks - found.f_bfree) * found.f_frsize

    def free(self) -> None:
        """Make room again."""
        assert self._resize(_BYTES)

    def unmount(self) -> None:
        """Give the file system back, whoever still uses it."""
        _run("umount", "--lazy", str(self.folder))

    def _resize(self, size: int) -> bool:
        return _run("mount", "-o", f"remount,size={size}", str(self.folder)) == 0


def _mounted(folder: Path) -> bool:
    if shutil.which("mount") is None:
        return False
    return _run("mount", "-t", "tmpfs", "-o", f"size={_BYTES},mode=700", "memstream", str(folder)) == 0


def _run(*command: str) -> int:
    return subprocess.run(command, capture_output=True, check=False).returncode
