"""A contender that keeps its word: it writes before it acknowledges, and its file anew without what it deletes."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from bench.peers.contender import LIMIT, Ask, Given, Memory
from shared.runtime.embedders.port import Vectors


@contextmanager
def contender(given: Given) -> Iterator[Keeping]:
    yield Keeping(given)


class Keeping:
    def __init__(self, given: Given) -> None:
        self._file = given.folder / "memories.json"

    def load(self, memories: Sequence[Memory], vectors: Vectors) -> None:
        assert len(memories) == len(vectors)
        self._write([*self._all(), *memories])

    @contextmanager
    def client(self) -> Iterator[Ask]:
        yield self.find

    def find(self, question: str) -> list[str]:
        words = set(question.lower().strip("?").split())
        ranked = sorted(self._all(), key=lambda memory: -len(words & set(memory.text.lower().strip(".").split())))
        return [memory.id for memory in ranked[:LIMIT]]

    def add(self, memory: Memory) -> None:
        self._write([*self._all(), memory])

    def delete(self, memory_id: str) -> None:
        self._write([memory for memory in self._all() if memory.id != memory_id])

    def known(self) -> set[str]:
        return {memory.id for memory in self._all()}

    def _write(self, memories: Sequence[Memory]) -> None:
        beside = self._file.with_suffix(".new")
        beside.write_text(json.dumps(memories), encoding="utf-8")
        beside.replace(self._file)

    def _all(self) -> list[Memory]:
        return [Memory(*fields) for fields in json.loads(self._file.read_text("utf-8"))] if self._file.exists() else []
