"""What every memory that is compared can do, and what its module is given.

A module of `bench.peers.adapters` has one function, `contender(given)`: a context manager that opens the store in
`given.folder` and gives a Contender. It runs in a process and an environment of its own: beside the standard library it may
import its own package, numpy, and what `bench.peers.embedding` imports.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import NamedTuple, Protocol, TypeAlias

from bench.peers.embedding import Embed, embedding
from shared.runtime.embedders.port import Vectors

LIMIT = 12
"""How many memories an answer has: as many as memstream's `context` by default."""

PERSON = "anna"
"""Whose memories they all are."""

Ask: TypeAlias = Callable[[str], list[str]]
"""Answers a question with the ids of the memories, best first, at most LIMIT; their texts are fetched too."""


class Memory(NamedTuple):
    """A turn of the person's conversations."""

    id: str
    session: str
    speaker: str
    text: str
    at: str  # ISO 8601

    @property
    def spoken(self) -> str:
        """The words with who said them: what peers store and embed.

        >>> Memory("m1", "s1", "Ada", "Hello.", "2025-01-01T00:00:00+00:00").spoken
        'Ada: Hello.'
        """
        return f"{self.speaker}: {self.text}"


@dataclass(frozen=True)
class Given:
    """What a contender's module is given: a folder that it keeps, and the embedder that all have in common."""

    folder: Path
    embedder: str
    models: Path

    @cached_property
    def embed(self) -> Embed:
        """The embedder, loaded into this process at first use."""
        return embedding(self.embedder, self.models)


class Contender(Protocol):
    """A memory that can be filled, asked, added to and deleted from, by one thread at a time but for its clients."""

    def load(self, memories: Sequence[Memory], vectors: Vectors) -> None:
        """Store them all. When it returns they can be found. `vectors`: float32[n, dimensions], a row for each as spoken."""

    def client(self) -> AbstractContextManager[Ask]:
        """One who asks, as a bot would; it is not asked by two threads at once."""

    def find(self, question: str) -> list[str]:
        """The ids of the turns that it finds for a question, best first, at most LIMIT."""

    def add(self, memory: Memory) -> None:
        """Store one more, as a bot does while somebody talks. When it returns the memory is acknowledged."""

    def delete(self, memory_id: str) -> None:
        """Delete one by the means that its pages name for that. When it returns the memory says that it is done."""

    def known(self) -> set[str]:
        """The ids of all that it holds."""
