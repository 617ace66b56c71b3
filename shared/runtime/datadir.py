"""The data folder: where each file of an installation lies."""

from __future__ import annotations

import os
import tempfile
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class DataDir:
    """Names every file under one root, so that no other module joins paths to it."""

    root: Path

    @property
    def keys(self) -> Path:
        """Salt and digest key (0600). Belongs in every backup."""
        return self.root / "keys.toml"

    @property
    def credentials(self) -> Path:
        """Passwords of the services and the bots (0600)."""
        return self.root / "credentials.toml"

    @property
    def ranking(self) -> Path:
        """The operator's ranking, for everybody and for single spaces; optional."""
        return self.root / "ranking.toml"

    @property
    def nats_conf(self) -> Path:
        """The embedded server's configuration (0600), written anew at every start."""
        return self.root / "nats.conf"

    @property
    def nats_store(self) -> Path:
        """The embedded server's streams: the log lives here."""
        return self.root / "nats"

    @property
    def nats_log(self) -> Path:
        """The embedded server's own log; holds no message."""
        return self.root / "nats-server.log"

    @property
    def running(self) -> Path:
        """Where the running embedded server listens, and its process id."""
        return self.root / "running.json"

    @property
    def ingest(self) -> Path:
        """The ingest projection."""
        return self.root / "ingest"

    @property
    def retriever(self) -> Path:
        """The retriever's projection."""
        return self.root / "retriever"

    @property
    def maintenance(self) -> Path:
        """The projection of maintenance."""
        return self.root / "maintenance"

    @property
    def consolidator(self) -> Path:
        """The projection of the consolidator."""
        return self.root / "consolidator"

    @property
    def backups(self) -> Path:
        """Where backups may lie; nothing is erased from them, so a receipt names them."""
        return self.root / "backups"

    def create(self) -> None:
        """Make the root, readable by its owner only."""
        self.root.mkdir(parents=True, exist_ok=True, mode=0o700)


def write_private(path: Path, text: str) -> None:
    """Replace a file as a whole, readable by its owner only, safe against a crash and a power cut."""
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    with os.fdopen(handle, "w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    Path(name).replace(path)
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)
