"""Caches the vectors of the latest texts, for people and agents repeat questions."""

import hashlib
from collections import OrderedDict
from collections.abc import Sequence

from shared.domain.arrays import Floats, np
from shared.runtime.embedders.port import Embedder, EmbedderModel, Vectors


class CachedEmbedder:
    """Wraps another embedder, and caches the vectors of the `most` texts used last (1 KB each).

    It keeps digests of the texts, not the texts. Failures are not cached.
    """

    def __init__(self, inner: Embedder, *, most: int = 1_024) -> None:
        self._inner = inner
        self._most = most
        self._kept: OrderedDict[bytes, Floats] = OrderedDict()

    @property
    def model(self) -> EmbedderModel:
        """The model of the inner embedder."""
        return self._inner.model

    async def embed(self, texts: Sequence[str]) -> Vectors:
        """Vectors as `Embedder.embed` defines them. A text that is in the call twice goes to the inner embedder once."""
        wanted = {_digest(text): text for text in texts}
        missing = [digest for digest in wanted if digest not in self._kept]
        found = {digest: self._kept[digest] for digest in wanted.keys() - missing}
        if missing:
            made = await self._inner.embed([wanted[digest] for digest in missing])
            found.update(zip(missing, made, strict=True))
        self._keep({digest: found[digest] for digest in wanted})
        return np.array([found[_digest(text)] for text in texts], np.float32).reshape(len(texts), self.model.dimensions)

    async def close(self) -> None:
        """Close the inner embedder, and empty the cache."""
        self._kept.clear()
        await self._inner.close()

    def _keep(self, used: dict[bytes, Floats]) -> None:
        for digest, vector in used.items():
            self._kept[digest] = vector.copy()  # a row alone, without the array that it came in
            self._kept.move_to_end(digest)
        while len(self._kept) > self._most:
            self._kept.popitem(last=False)


def _digest(text: str) -> bytes:
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()
