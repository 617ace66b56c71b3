"""A backup as a folder: keys, passwords, ranking, a snapshot of each stream, and a manifest by which all are checked."""

import hashlib
import json
import os
import shutil
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import Any, Self

from shared.contracts.errors import Misconfigured
from shared.runtime.datadir import DataDir, write_private
from shared.runtime.private_files import private_folder
from shared.runtime.topology import MEMORY, REJECTED, SEND

MANIFEST = "manifest.json"
STREAMS = (MEMORY, REJECTED, SEND)
"""In the order in which they are copied. SEND last: whatever the copied log does not say is decided is in it still, and
sequences that the copied log names are not given again."""

_UNFINISHED = ".unfinished"
_BLOCK_BYTES = 1_048_576


@dataclass(frozen=True, slots=True)
class Manifest:
    """What a backup holds."""

    made_at: str  # UTC, ISO 8601
    memstream: str  # the version that made it
    keys: str  # their fingerprint
    log_id: str
    last_positions: dict[str, int]  # by stream, when its copy began
    sha256: dict[str, str] = field(default_factory=dict)  # by file

    @classmethod
    def read(cls, folder: Path) -> Self:
        """The manifest of a backup. Raises Misconfigured where there is none that can be read."""
        try:
            return cls(**json.loads((folder / MANIFEST).read_text(encoding="utf-8")))
        except (OSError, ValueError, TypeError) as error:
            raise Misconfigured(f"{folder} is no backup of memstream: its {MANIFEST} cannot be read") from error

    def require_whole(self, folder: Path) -> None:
        """Raises Misconfigured, naming the file, where one is missing or is not what was written."""
        for name, expected in self.sha256.items():
            path = folder / name
            if not path.is_file() or _sha256(path) != expected:
                raise Misconfigured(f"{path} is not what was backed up; take another backup")


def settings_of(files: DataDir) -> list[Path]:
    """The files beside the streams that belong in a backup."""
    return [path for path in (files.keys, files.credentials, files.ranking) if path.exists()]


def unfinished(folder: Path) -> Path:
    """A new folder beside this one, in which its backup is made. Raises Misconfigured if there is one of this name already."""
    if folder.exists():
        raise Misconfigured(f"{folder} exists already, and nothing is overwritten")
    beside = folder.with_name(f".{folder.name}{_UNFINISHED}")
    shutil.rmtree(beside, ignore_errors=True)
    private_folder(beside)
    return beside


def finish(made: Path, folder: Path, manifest: Manifest) -> Manifest:
    """Write the manifest, with the digests of all files, and give the backup its name: only a whole one ever has it."""
    files = sorted(path for path in made.rglob("*") if path.is_file())
    manifest = replace(manifest, sha256={str(path.relative_to(made)): _sha256(path) for path in files})
    write_private(made / MANIFEST, json.dumps(asdict(manifest), indent=2) + "\n")
    made.rename(folder)
    sync_folder(folder.parent)
    return manifest


def backups_in(folder: Path) -> list[tuple[Path, Manifest]]:
    """The backups in a folder, oldest first."""
    return sorted(_read(folder), key=lambda found: datetime.fromisoformat(found[1].made_at))


def size_of(folder: Path) -> int:
    """Bytes of a backup."""
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def described(folder: Path, manifest: Manifest) -> dict[str, Any]:
    """A backup as `--json` prints it."""
    told = asdict(manifest)
    del told["sha256"]
    return {"path": str(folder), "bytes": size_of(folder), **told}


def sync_folder(folder: Path) -> None:
    """Have the names in a folder outlast a power cut."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _read(folder: Path) -> Iterator[tuple[Path, Manifest]]:
    for path in folder.glob(f"*/{MANIFEST}"):
        if not path.parent.name.endswith(_UNFINISHED):
            yield path.parent, Manifest.read(path.parent)


def _sha256(path: Path) -> str:
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while block := file.read(_BLOCK_BYTES):
            digest.update(block)
    return digest.hexdigest()
