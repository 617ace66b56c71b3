"""mem0, with the vector store that it takes by default: Qdrant in the process, on disk. Nothing is extracted by a model."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any
from uuid import NAMESPACE_URL, uuid5

from mem0 import Memory as Mem0
from mem0.configs.base import MemoryConfig

from bench.peers.contender import LIMIT, PERSON, Ask, Given, Memory
from shared.runtime.embedders.port import Vectors

_BATCH = 200
_ALL = 100_000
_NEVER_CALLED = {"provider": "openai", "config": {"api_key": "none"}}  # it cannot be made without naming a model


@contextmanager
def contender(given: Given) -> Iterator[Mem0Qdrant]:
    """Open the store in the folder, with our embedder in the place of its own."""
    logging.getLogger("mem0").setLevel(logging.ERROR)
    embedder = _Embedder(given)
    place = {"path": str(given.folder / "qdrant"), "on_disk": True, "embedding_model_dims": embedder.dimensions}
    memory = Mem0(
        MemoryConfig.model_validate(
            {
                "vector_store": {"provider": "qdrant", "config": {**place, "collection_name": PERSON}},
                "embedder": _NEVER_CALLED,
                "llm": _NEVER_CALLED,
                "history_db_path": str(given.folder / "history.db"),
            }
        )
    )
    memory.embedding_model = embedder
    yield Mem0Qdrant(memory)
    memory.vector_store.client.close()
    memory.db.close()


class _Embedder:
    """What mem0 expects of an embedder."""

    def __init__(self, given: Given) -> None:
        self._given = given
        self.dimensions = given.embed(["?"]).shape[1]

    def embed(self, text: str, _action: str | None = None) -> list[float]:
        """The vector of a text."""
        return self.embed_batch([text])[0]

    def embed_batch(self, texts: Sequence[str], _action: str | None = None) -> list[list[float]]:
        """The vectors of texts."""
        vectors: list[list[float]] = self._given.embed(texts).tolist()
        return vectors


class Mem0Qdrant:
    """The memories of one user."""

    def __init__(self, memory: Any) -> None:  # noqa: ANN401 - mem0 is not installed beside memstream
        self._memory = memory

    def load(self, memories: Sequence[Memory], vectors: Vectors) -> None:
        """Insert the points that `add(..., infer=False)` would: it takes one text at a time, and embeds it."""
        for begin in range(0, len(memories), _BATCH):
            some = memories[begin : begin + _BATCH]
            self._memory.vector_store.insert(
                vectors=[vector.tolist() for vector in vectors[begin : begin + _BATCH]],
                ids=[str(uuid5(NAMESPACE_URL, memory.id)) for memory in some],
                payloads=[_payload(memory) for memory in some],
            )

    def add(self, memory: Memory) -> None:
        """Add one as its pages say for words that no model should change."""
        said = [{"role": "user", "content": memory.spoken}]
        self._memory.add(said, user_id=PERSON, infer=False, metadata={"message": memory.id, "session": memory.session})

    def delete(self, memory_id: str) -> None:
        """Delete it by the id that mem0 gave it."""
        self._memory.delete(next(item["id"] for item in self._all() if item["metadata"]["message"] == memory_id))

    def known(self) -> set[str]:
        """The message of every memory."""
        return {item["metadata"]["message"] for item in self._all()}

    def _all(self) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = self._memory.get_all(filters={"user_id": PERSON}, top_k=_ALL)["results"]
        return found

    @contextmanager
    def client(self) -> Iterator[Ask]:
        """All share the memory, as in a server that serves many."""
        yield self.find

    def find(self, question: str) -> list[str]:
        """Those whose vectors are nearest."""
        found = self._memory.search(question, filters={"user_id": PERSON}, top_k=LIMIT)
        return [item["metadata"]["message"] for item in found["results"]]


def _payload(memory: Memory) -> dict[str, str]:
    own = {
        "user_id": PERSON,
        "role": "user",
        "data": memory.spoken,
        "hash": "",
        "created_at": memory.at,
        "updated_at": memory.at,
    }
    return {**own, "text_lemmatized": memory.spoken.lower(), "message": memory.id, "session": memory.session}
