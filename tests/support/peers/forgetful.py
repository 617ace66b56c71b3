"""A contender that answers quickly, with the wrong memories."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from bench.peers.contender import Ask, Given, Memory
from shared.runtime.embedders.port import Vectors


@contextmanager
def contender(_given: Given) -> Iterator[Forgetful]:
    yield Forgetful()


class Forgetful:
    def load(self, memories: Sequence[Memory], vectors: Vectors) -> None:
        pass

    @contextmanager
    def client(self) -> Iterator[Ask]:
        yield lambda _: ["turn-0"]
