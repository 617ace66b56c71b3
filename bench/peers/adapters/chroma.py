"""Chroma, embedded: a persistent client with one collection, asked by vectors."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import chromadb
from chromadb.config import Settings

from bench.peers.contender import LIMIT, PERSON, Ask, Given, Memory
from shared.runtime.embedders.port import Vectors

_BATCH = 500


@contextmanager
def contender(given: Given) -> Iterator[Chroma]:
    """Open the database in the folder."""
    client = chromadb.PersistentClient(str(given.folder), settings=Settings(anonymized_telemetry=False))
    cosine: Any = {"hnsw": {"space": "cosine"}}
    yield Chroma(given, client.get_or_create_collection(PERSON, embedding_function=None, configuration=cosine))


class Chroma:
    """A collection of one person's memories, so that no filter is needed: its quickest layout."""

    def __init__(self, given: Given, collection: Any) -> None:  # noqa: ANN401 - chromadb is not installed beside memstream
        self._given = given
        self._collection = collection

    def load(self, memories: Sequence[Memory], vectors: Vectors) -> None:
        """Add them with their vectors."""
        for begin in range(0, len(memories), _BATCH):
            some = memories[begin : begin + _BATCH]
            self._collection.add(
                ids=[memory.id for memory in some],
                documents=[memory.spoken for memory in some],
                embeddings=vectors[begin : begin + _BATCH],
                metadatas=[{"session": memory.session, "speaker": memory.speaker, "at": memory.at} for memory in some],
            )

    def add(self, memory: Memory) -> None:
        """Add one, embedded now."""
        self.load([memory], self._given.embed([memory.spoken]))

    def delete(self, memory_id: str) -> None:
        """Delete it from the collection."""
        self._collection.delete(ids=[memory_id])

    def known(self) -> set[str]:
        """Every id of the collection."""
        return set(self._collection.get(include=[])["ids"])

    @contextmanager
    def client(self) -> Iterator[Ask]:
        """All share the collection, which may be queried from any thread."""
        yield self.find

    def find(self, question: str) -> list[str]:
        """Those whose vectors are nearest."""
        vector = self._given.embed([question])
        found = self._collection.query(query_embeddings=vector, n_results=LIMIT, include=["documents", "metadatas"])
        ids: list[str] = found["ids"][0]
        return ids
