"""A large file that is made of others, and kept in the data folder: from there it takes less memory than from here."""

import hashlib
from collections.abc import Callable
from pathlib import Path

from shared.contracts.errors import Misconfigured
from shared.runtime.datadir import write_private
from shared.runtime.logs import log
from shared.runtime.private_files import private_folder

_DIGITS = 16


class MadeFile:
    """A file of which everything is known but where it lies: its SHA-256, and how it is made. Several processes may use it."""

    def __init__(self, kind: str, suffix: str, *, sha256: str, make: Callable[[], bytes]) -> None:
        self._name = f"{kind}-{sha256[:_DIGITS]}{suffix}"
        self._of_any_version = f"{kind}-*{suffix}"
        self._sha256 = sha256
        self._make = make

    def kept_in(self, folder: Path | None) -> Path | bytes:
        """The path in the folder; made anew where the file is missing or damaged. Its bytes where nothing can be kept.

        Files of other versions are deleted. Raises Misconfigured if what was made is not what it should be.
        """
        if folder is None:
            return self._made()
        path = folder / self._name
        if self._is_sound(path):
            return path
        made = self._made()
        return path if self._keep(path, made) else made

    def _made(self) -> bytes:
        made = self._make()
        if hashlib.sha256(made).hexdigest() != self._sha256:
            raise Misconfigured(f"{self._name} does not come out as it should on this machine; set MEMSTREAM_EMBEDDER_KIND")
        return made

    def _is_sound(self, path: Path) -> bool:
        try:
            with path.open("rb") as file:
                return hashlib.file_digest(file, "sha256").hexdigest() == self._sha256
        except OSError:
            return False

    def _keep(self, path: Path, made: bytes) -> bool:
        """Write the file for the next start, which else takes a moment to make it again. False if that is impossible."""
        try:
            private_folder(path.parent)
            write_private(path, made)
            for other in {*path.parent.glob(self._of_any_version)} - {path}:
                other.unlink(missing_ok=True)
        except OSError as error:
            log.warning("file.not_kept", file=path.name, reason=error.strerror)
            return False
        return True
