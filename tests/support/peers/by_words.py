"""A contender that works: it keeps its memories in a file and answers by shared words."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from bench.peers.contender import LIMIT, Ask, Given, Memory
from shared.runtime.embedders.port import Vectors


@contextmanager
def contender(given: Given) -> Iterator[ByWords]:
    os.write(1, b"as some libraries print when they are imported\n")
    yield ByWords(given)


class ByWords:
    def __init__(self, given: Given) -> None:
        self._given = given
        self._file = given.folder / "memories.json"

    def load(self, memories: Sequence[Memory], vectors: Vectors) -> None:
        assert not self._file.exists(), "it was filled before"
        assert vectors.shape == (len(memories), self._given.embed(["a"]).shape[1])
        self._file.write_text(json.dumps([[memory.id, memory.spoken] for memory in memories]), encoding="utf-8")

    @contextmanager
    def client(self) -> Iterator[Ask]:
        memories = json.loads(self._file.read_text(encoding="utf-8"))

        def ask(question: str) -> list[str]:
            words = set(question.split())
            ranked = sorted(memories, key=lambda memory: -len(words & set(memory[1].split())))
            return [id_ for id_, _ in ranked[:LIMIT]]

        yield ask
