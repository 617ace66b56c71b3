"""LangGraph's long-term store on SQLite, with a vector index over the texts."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from typing import Any

import pysqlite3

# ruff: noqa: E402 - before the imports below: the store loads an extension, which many Pythons' own sqlite3 cannot
sys.modules["sqlite3"] = pysqlite3

from langgraph.store.base import PutOp
from langgraph.store.sqlite import SqliteStore

from bench.peers.contender import LIMIT, PERSON, Ask, Given, Memory
from shared.runtime.embedders.port import Vectors

_BATCH = 200
_ALL = 1_000_000
_NAMESPACE = (PERSON,)


@contextmanager
def contender(given: Given) -> Iterator[LangGraphStore]:
    """Open the database in the folder."""
    path = str(given.folder / "store.db")
    with closing(pysqlite3.connect(path, check_same_thread=False, isolation_level=None)) as connection:
        yield LangGraphStore(given, connection)


class LangGraphStore:
    """A store with one namespace, the person's."""

    def __init__(self, given: Given, connection: Any) -> None:  # noqa: ANN401 - untyped
        self._given = given
        self._known: dict[str, list[float]] = {}  # vectors of the texts that are being loaded
        dimensions = given.embed(["?"]).shape[1]
        # `fields` is what its pages name, `text_fields` what it reads
        index: Any = {"dims": dimensions, "embed": self._embed, "fields": ["text"], "text_fields": ["text"]}
        self._store = SqliteStore(connection, index=index)
        self._store.setup()

    def load(self, memories: Sequence[Memory], vectors: Vectors) -> None:
        """Put them in batches; the store asks for their vectors, which are there."""
        self._known = {memory.spoken: vector.tolist() for memory, vector in zip(memories, vectors, strict=True)}
        for begin in range(0, len(memories), _BATCH):
            self._store.batch([PutOp(_NAMESPACE, memory.id, _value(memory)) for memory in memories[begin : begin + _BATCH]])
        self._known.clear()

    def add(self, memory: Memory) -> None:
        """Put one; the store has it embedded."""
        self._store.put(_NAMESPACE, memory.id, _value(memory))

    def delete(self, memory_id: str) -> None:
        """Delete it from the namespace."""
        self._store.delete(_NAMESPACE, memory_id)

    def known(self) -> set[str]:
        """Every key of the namespace."""
        return {item.key for item in self._store.search(_NAMESPACE, limit=_ALL)}

    @contextmanager
    def client(self) -> Iterator[Ask]:
        """All share the store, which lets one thread at a time to its connection."""
        yield self.find

    def find(self, question: str) -> list[str]:
        """Those whose vectors are nearest."""
        return [item.key for item in self._store.search(_NAMESPACE, query=question, limit=LIMIT)]

    def _embed(self, texts: Sequence[str]) -> list[list[float]]:
        if self._known:
            return [self._known[text] for text in texts]
        vectors: list[list[float]] = self._given.embed(texts).tolist()
        return vectors


def _value(memory: Memory) -> dict[str, str]:
    return {"text": memory.spoken, "session": memory.session, "speaker": memory.speaker, "at": memory.at}
