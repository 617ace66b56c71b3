"""The data folder: where each file of an installation lies."""

import os
import re
import tempfile
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from shared.contracts.errors import Misconfigured, NotInitialised
from shared.runtime.private_files import private_folder

T = TypeVar("T")
_OF_A_SERVER = re.compile(r"nats\.[a-z0-9-]+\.conf|running\.[a-z0-9-]+\.json")


class ServerFiles(NamedTuple):
    """The files of one server: of the only one, or of one of a cluster."""

    conf: Path  # written anew at every start (0600)
    store: Path  # its streams
    log: Path  # its own log, without messages
    running: Path  # where it listens, and its process id


class DataDir:
    """Names every file under one root, so that no other module joins paths to it."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.keys = root / "keys.toml"
        """Salt and digest key (0600). Belongs in every backup."""
        self.person_keys = root / "people.keys"
        """The keys that seal what the log holds of people (0600); never in a backup of the log."""
        self.credentials = root / "credentials.toml"
        """Passwords of the services and the bots (0600)."""
        self.ranking = root / "ranking.toml"
        """The operator's ranking, for everybody and for single spaces; optional."""
        self.nats_conf = root / "nats.conf"
        """The embedded server's configuration (0600), written anew at every start."""
        self.nats_store = root / "nats"
        """The embedded server's streams: the log lives here."""
        self.nats_log = root / "nats-server.log"
        """The embedded server's own log; holds no message."""
        self.models = root / "models"
        """What the embedders make of their packages' files; made again where it is missing."""
        self.running = root / "running.json"
        """Where the running embedded server listens, and its process id."""
        self.http_tokens = root / "tokens.toml"
        """Hashes of the gateway's tokens (0600)."""
        self.gateway_running = root / "gateway.json"
        """Where the running gateway listens."""
        self.spent_passes = root / "gateway"
        """The ids of links that were opened and of cookies that were given back; each file is gone when its pass would be."""
        self.backups = root / "backups"
        """Where backups may lie; nothing is erased from them, so a receipt names them."""

    @property
    def held(self) -> list[Path]:
        """What is there of an installation."""
        parts = self.keys, self.credentials, self.nats_store, *self.root.glob("*/*.db")
        return [each for each in parts if each.exists()]

    def of_server(self, name: str | None) -> ServerFiles:
        """The files of the server of this name in a cluster, or of the only one."""
        if name is None:
            return ServerFiles(self.nats_conf, self.nats_store, self.nats_log, self.running)
        return ServerFiles(
            self.root / f"nats.{name}.conf",
            self.nats_store / name,
            self.root / f"{self.nats_log.name}-{name}",
            self.root / f"running.{name}.json",
        )

    def is_of_a_server(self, path: Path) -> bool:
        """True for what says how a server is set up and where it listens."""
        fixed = {self.nats_conf, self.running}
        return path in fixed or (path.parent == self.root and bool(_OF_A_SERVER.fullmatch(path.name)))

    def projection(self, service: str) -> Path:
        """The folder of what a service builds from the log."""
        return self.root / service

    def scratch(self, service: str) -> Path:
        """Where a service makes files that it deletes again; what a crash left there is of no use."""
        return self.root / service / "scratch"

    def lock(self, role: str) -> Path:
        """The file whose lock one process at a time has: whoever has this role."""
        return self.root / f"{role}.lock"

    def create(self) -> None:
        """Make the root, readable by its owner only."""
        self.root.parent.mkdir(parents=True, exist_ok=True)
        private_folder(self.root)


def write_private(path: Path, content: str | bytes) -> None:
    """Replace a file as a whole, readable by its owner only, safe against a crash and a power cut. Raises OSError."""
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content.encode() if isinstance(content, str) else content)
            file.flush()
            os.fsync(file.fileno())
        Path(name).replace(path)
    except OSError:
        Path(name).unlink(missing_ok=True)
        raise
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


def read_private(path: Path, parse: Callable[[dict[str, Any]], T]) -> T:
    """What a private TOML file says. Raises NotInitialised where there is none, Misconfigured where it is broken."""
    try:
        return parse(tomllib.loads(path.read_text(encoding="utf-8")))
    except FileNotFoundError as error:
        beside = ", ".join(each.name for each in DataDir(path.parent).held)
        gone = f"{path} is missing, beside {beside}; put back the one from your backup" if beside else None
        raise NotInitialised(gone) from error
    except (KeyError, ValueError, TypeError, AttributeError) as error:
        raise Misconfigured(f"{path.name} is not readable; put back the one from your backup") from error
