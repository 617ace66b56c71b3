"""Generations of a projection: one that counts, one that is being made beside it, and an older one that is kept until told.

Each is a folder; a pointer, replaced as a whole, names the one that counts. Without a pointer it is the first.
"""

import shutil
from pathlib import Path

from shared.runtime.datadir import DataDir, write_private

_INDEX = "index.db"
_SCRATCH = "scratch"


class Generations:
    """The folders of one service's projection."""

    def __init__(self, files: DataDir, service: str) -> None:
        self._files = files
        self._service = service

    @property
    def current(self) -> Path:
        """The folder that counts."""
        return self._files.projection(self._service)

    @property
    def kept(self) -> list[Path]:
        """Complete ones older than the one that counts, oldest first."""
        return [folder for folder in self.complete if self._number(folder) < self._number(self.current)]

    @property
    def next(self) -> Path:
        """A newer one: complete, if a switch to it did not come about; else where to make it."""
        return self._files.root / f"{self._service}.{self._number(self.current) + 1}"

    def point_at(self, folder: Path) -> None:
        """Let another folder count from now on, safe against a crash: one file is replaced."""
        write_private(self._files.pointer(self._service), f"{folder.name}\n")

    def drop_kept(self) -> int:
        """Delete the older ones; return how many they were."""
        kept = self.kept
        for folder in kept:
            clear(folder)
        return len(kept)

    def leftovers(self) -> list[Path]:
        """What half-made ones left, whoever made them."""
        return sorted(self._files.root.glob(f"{self._service}.*[0-9].new"))

    @property
    def complete(self) -> list[Path]:
        """All that are not half made, oldest first."""
        return sorted((each for each in self.folders if (each / _INDEX).exists()), key=self._number)

    @property
    def folders(self) -> list[Path]:
        """The first one's, and all that are there."""
        root = self._files.root
        return [root / self._service, *(each for each in root.glob(f"{self._service}.*") if self._number(each))]

    def _number(self, folder: Path) -> int:
        """1 for the first; 0 for what is no generation."""
        if folder.name == self._service:
            return 1
        number = folder.name.removeprefix(f"{self._service}.")
        return int(number) if number.isdecimal() else 0


def clear(folder: Path) -> None:
    """Delete a projection's folder; where services make what they delete again, that stays."""
    for path in folder.glob("*"):
        if path.name == _SCRATCH:
            continue
        if path.is_dir():
            shutil.rmtree(path, ignore_errors=True)
        else:
            path.unlink(missing_ok=True)
    if not any(folder.glob("*")):
        folder.rmdir()
