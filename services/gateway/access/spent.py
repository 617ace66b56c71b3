"""Passes that must not be taken again: links that were opened, cookies that were given back."""

from contextlib import suppress
from datetime import datetime
from pathlib import Path

from shared.contracts.errors import Unavailable
from shared.runtime.passes import Pass
from shared.runtime.private_files import FILE, private_folder


class SpentPasses:
    """A file for each, named by its id and empty, gone soon after the pass is over. Several gateways may share the folder."""

    def __init__(self, folder: Path) -> None:
        private_folder(folder)
        self._folder = folder

    def spend(self, used: Pass, *, now: datetime) -> bool:
        """Note that a pass is used; True for one caller only. Raises Unavailable where that cannot be kept."""
        for path in self._folder.iterdir():  # passes that are over go: nobody could use them
            until, _, _ = path.name.partition("-")
            if until.isdigit() and int(until) < now.timestamp():
                with suppress(OSError):
                    path.unlink()
        try:
            self._place(used).touch(mode=FILE, exist_ok=False)
        except FileExistsError:
            return False
        except OSError as error:
            raise Unavailable("what was used cannot be noted; is the disk full?") from error
        return True

    def is_spent(self, shown: Pass) -> bool:
        """Whether a pass was used."""
        return self._place(shown).exists()

    def _place(self, each: Pass) -> Path:
        return self._folder / f"{int(each.expires_at.timestamp())}-{each.pass_id}"
