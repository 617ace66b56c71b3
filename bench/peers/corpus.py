"""What all contenders are filled with: a person's conversations, and the vectors of their turns, in two files."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np

from bench._text import Writer
from bench.peers.contender import Memory
from bench.peers.embedding import Embed, embedding
from shared.runtime.embedders.port import Vectors

_SESSION = 30
_BEGIN = datetime(2025, 1, 1, tzinfo=UTC)
_AT_ONCE = 256
_TELLING = 12
"""A turn of so many words is like no other."""


@dataclass(frozen=True, slots=True)
class Corpus:
    """So many memories, kept in a folder."""

    folder: Path
    size: int
    embedder: str

    @property
    def digest(self) -> str:
        """Says which memories and vectors these are: stores that were filled with others are filled anew."""
        return hashlib.sha256(self.texts.read_bytes() + self.vectors.read_bytes()).hexdigest()

    @property
    def texts(self) -> Path:
        """The file of the memories."""
        return self.folder / f"memories-{self.size}.json"

    @property
    def vectors(self) -> Path:
        """The file of their vectors."""
        return self.folder / f"vectors-{self.size}-{self.embedder}.npy"

    def make(self, models: Path) -> None:
        """Write both files, unless they are there."""
        self.folder.mkdir(parents=True, exist_ok=True)
        memories = list(_conversations(self.size))
        said = json.dumps(memories)
        if self.vectors.exists() and self.texts.exists() and self.texts.read_text(encoding="utf-8") == said:
            return
        print(f"embedding {self.size:,} memories; the next time their vectors are there already", flush=True)
        write(memories, self.texts, self.vectors, embedding(self.embedder, models))

    def some(self, count: int) -> list[Memory]:
        """Memories from all over the corpus that are like no other: asked for by their words, they must be found."""
        telling = [memory for memory in read(self.texts, self.vectors)[0] if len(memory.text.split()) >= _TELLING]
        return telling[:: max(1, len(telling) // count)][:count]


def write(memories: Sequence[Memory], texts: Path, vectors: Path, embed: Embed) -> None:
    """Write memories and their vectors where a contender's process can read them."""
    texts.write_text(json.dumps(memories), encoding="utf-8")
    spoken = [memory.spoken for memory in memories]
    np.save(vectors, np.concatenate([embed(spoken[begin : begin + _AT_ONCE]) for begin in range(0, len(spoken), _AT_ONCE)]))


def read(texts: Path, vectors: Path) -> tuple[list[Memory], Vectors]:
    """The memories of such files, and a vector for each."""
    memories = [Memory(*fields) for fields in json.loads(texts.read_text(encoding="utf-8"))]
    loaded: Vectors = np.load(vectors)
    return memories, loaded


def _conversations(size: int) -> Iterator[Memory]:
    write = Writer(f"peers/{size}")
    names = (write.name(), "Assistant")
    for number in range(size):
        session, turn = divmod(number, _SESSION)
        at = _BEGIN + timedelta(days=session, minutes=turn)
        yield Memory(f"turn-{number}", f"session-{session}", names[turn % 2], write.turn(), at.isoformat())
