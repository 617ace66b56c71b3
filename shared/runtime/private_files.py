"""Files and folders that only their owner may read. Folders get the mode 0700, files 0600, whatever the umask; old ones too."""

import os
import stat
from collections.abc import Iterator
from pathlib import Path

FOLDER, FILE = 0o700, 0o600


def private_folder(path: Path) -> None:
    """Make a folder with those above it that are missing. One that is there is made private."""
    if not path.is_dir():
        if not path.parent.is_dir():
            private_folder(path.parent)
        path.mkdir(mode=FOLDER, exist_ok=True)
    _restrict(path, FOLDER)


def private_file(path: Path) -> None:
    """Make an empty file with its folder. One that is there is kept, and made private."""
    private_folder(path.parent)
    os.close(os.open(path, os.O_CREAT | os.O_RDWR, FILE))
    _restrict(path, FILE)


def open_to_others(root: Path) -> Iterator[Path]:
    """What others may enter or read: the folder, and what lies in it and in its folders, each of those with nothing below."""
    for path in (root, *sorted(root.glob("*")), *sorted(root.glob("*/*"))):
        if not path.is_symlink() and path.exists() and _mode(path) & ~FOLDER:
            yield path


def _restrict(path: Path, mode: int) -> None:
    if _mode(path) & ~mode:
        path.chmod(mode)


def _mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)
