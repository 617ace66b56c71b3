"""The contenders: what each is called, which module asks it, and what must be installed for that."""

from __future__ import annotations

import hashlib
import sys
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from bench.peers.environments import REQUIREMENTS, python_with

OURS = "memstream"


@dataclass(frozen=True, slots=True)
class Entry:
    """One contender. Without requirements it runs in the environment of memstream."""

    name: str  # on the command line
    title: str
    adapter: str
    requirements: Path | None = None
    package: str = ""  # whose version is named
    key: str = ""  # whether it needs one as its first page shows it

    @property
    def called(self) -> str:
        """How rows name it: with its version."""
        if self.requirements is None:
            return self.title
        pin = f"{self.package}=="
        lines = self.requirements.read_text(encoding="utf-8").splitlines()
        return f"{self.title} {next(line.removeprefix(pin) for line in lines if line.startswith(pin))}"

    @property
    def digest(self) -> str:
        """Changes with the adapter and with what is installed for it: what was stored by others is stored anew."""
        spec = find_spec(self.adapter)
        files = [Path(spec.origin)] if spec and spec.origin else []
        files += [self.requirements] if self.requirements else []
        return hashlib.sha256(b"".join(path.read_bytes() for path in files)).hexdigest()

    def python(self, environments: Path) -> Path:
        """The interpreter that runs it. Raises NotInstalled."""
        return Path(sys.executable) if self.requirements is None else python_with(self.requirements, environments)


def _peer(name: str, title: str, adapter: str, package: str, key: str) -> Entry:
    return Entry(name, title, f"bench.peers.adapters.{adapter}", REQUIREMENTS / f"{name}.txt", package, key)


ENTRIES = (
    Entry(OURS, "memstream", "bench.peers.adapters.memstream", key="no"),
    _peer("chroma", "Chroma", "chroma", "chromadb", "no; it downloads its embedder"),
    _peer("langgraph", "LangGraph's SQLite store", "langgraph_sqlite", "langgraph-checkpoint-sqlite", "no; bring an embedder"),
    _peer("mem0", "mem0", "mem0_qdrant", "mem0ai", "yes, OpenAI's by default"),
    Entry("recipe", "the plain recipe", "bench.peers.adapters.recipe", key="no"),
)
