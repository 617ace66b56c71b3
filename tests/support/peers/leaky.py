"""A contender that acknowledges before it writes, and only marks what it deletes."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from bench.peers.contender import Ask, Given, Memory
from shared.runtime.embedders.port import Vectors

_WRITTEN_AT_ONCE = 64


@contextmanager
def contender(given: Given) -> Iterator[Leaky]:
    yield Leaky(given)


class Leaky:
    def __init__(self, given: Given) -> None:
        self._file = given.folder / "memories.jsonl"
        self._waiting: list[Memory] = []
        self._deleted: set[str] = set()

    def load(self, memories: Sequence[Memory], vectors: Vectors) -> None:
        assert len(memories) == len(vectors)
        self._waiting += memories
        self._write()

    @contextmanager
    def client(self) -> Iterator[Ask]:
        yield self.find

    def find(self, question: str) -> list[str]:
        return [memory.id for memory in self._all() if question in memory.text]

    def add(self, memory: Memory) -> None:
        self._waiting.append(memory)
        if len(self._waiting) == _WRITTEN_AT_ONCE:
            self._write()

    def delete(self, memory_id: str) -> None:
        self._write()
        self._deleted.add(memory_id)

    def known(self) -> set[str]:
        self._write()
        return {memory.id for memory in self._all()} - self._deleted

    def _write(self) -> None:
        with self._file.open("a", encoding="utf-8") as file:
            file.writelines(json.dumps(memory) + "\n" for memory in self._waiting)
        self._waiting.clear()

    def _all(self) -> list[Memory]:
        return [Memory(*json.loads(line)) for line in self._file.read_text("utf-8").splitlines()]
