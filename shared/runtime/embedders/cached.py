"""Remembers the vectors of the latest texts: people and agents ask the same question again, and reload the page."""

from __future__ import annotations

import hashlib
from collections import OrderedDict
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from shared.runtime.embedders.port import Embedder, EmbedderModel, Vectors


class CachedEmbedder:
    """An embedder before another: asks it only for texts that are not among the `most` used last (1 KB each).

    Keeps digests of the texts, not the texts. What failed is not kept.
    """

    def __init__(self, inner: Embedder, *, most: int = 1_024) -> None:
        self._inner = inner
        self._most = most
        self._kept: OrderedDict[bytes, NDArray[np.float32]] = OrderedDict()

    @property
    def model(self) -> EmbedderModel:
        """The inner one's."""
        return self._inner.model

    async def embed(self, texts: Sequence[str]) -> Vectors:
        """See the port; a text that is asked for twice goes to the inner embedder once."""
        wanted = {_digest(text): text for text in texts}
        missing = [digest for digest in wanted if digest not in self._kept]
        found = {digest: self._kept[digest] for digest in wanted.keys() - missing}
        if missing:
            made = await self._inner.embed([wanted[digest] for digest in missing])
            found.update(zip(missing, made, strict=True))
        self._keep({digest: found[digest] for digest in wanted})
        return np.array([found[_digest(text)] for text in texts], np.float32).reshape(len(texts), self.model.dimensions)

    async def close(self) -> None:
        """Close the inner one, and forget."""
        self._kept.clear()
        await self._inner.close()

    def _keep(self, used: dict[bytes, NDArray[np.float32]]) -> None:
        for digest, vector in used.items():
            self._kept[digest] = vector.copy()  # a row alone, without the array that it came in
            self._kept.move_to_end(digest)
        while len(self._kept) > self._most:
            self._kept.popitem(last=False)


def _digest(text: str) -> bytes:
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()
