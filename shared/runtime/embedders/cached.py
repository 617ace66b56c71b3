"""Caches the vectors of the latest texts, for people and agents repeat questions."""

import functools
import hashlib
import threading
from collections import OrderedDict
from collections.abc import Iterable, Sequence

from shared.domain.arrays import Floats, np
from shared.runtime.embedders.port import Embedder, EmbedderHere, EmbedderModel, Vectors


class CachedEmbedder:
    """Wraps another embedder, and caches the vectors of the `most` texts used last (1 KB each).

    It keeps digests of the texts, not the texts. Failures are not cached. What one person has asked is no faster for another:
    else somebody could find out by the clock what others ask.
    """

    def __init__(self, inner: Embedder, *, most: int = 1_024) -> None:
        self._inner = inner
        self._most = most
        self._kept: OrderedDict[bytes, Floats] = OrderedDict()
        self._lock = threading.Lock()

    @property
    def model(self) -> EmbedderModel:
        """The model of the inner embedder."""
        return self._inner.model

    @functools.cached_property
    def _here(self) -> EmbedderHere | None:
        """The inner embedder, if its model is in this process: to look takes 20 us, and a question asks twice."""
        return self._inner if isinstance(self._inner, EmbedderHere) else None

    async def embed(self, texts: Sequence[str], *, whose: str = "") -> Vectors:
        """Vectors as `Embedder.embed` defines them. A text that is in the call twice goes to the inner embedder once.

        `whose`: the person whose texts they are.
        """
        wanted = {_digest(whose, text): text for text in texts}
        found = self._known(wanted)
        if missing := [digest for digest in wanted if digest not in found]:
            made = await self._inner.embed([wanted[digest] for digest in missing])
            found.update(zip(missing, made, strict=True))
        self._keep({digest: found[digest] for digest in wanted})
        rows = [found[_digest(whose, text)] for text in texts]
        return np.array(rows, np.float32) if rows else np.empty((0, self.model.dimensions), np.float32)

    def embed_here(self, text: str, *, whose: str = "") -> Floats | None:
        """The vector of a text, made by the thread that calls if it is not cached; None if the model is not in this process."""
        if self._here is None:
            return None
        digest = _digest(whose, text)
        vector = self._known([digest]).get(digest)
        if vector is None:
            [vector] = self._here.embed_here([text])
        self._keep({digest: vector})
        return vector

    def may_be_made_here(self, text: str, *, whose: str = "") -> bool:
        """True if `embed_here` has to make the vector of a text: it is not cached, and the model is in this process."""
        return self._here is not None and not self._known([_digest(whose, text)])

    async def close(self) -> None:
        """Close the inner embedder, and empty the cache."""
        with self._lock:
            self._kept.clear()
        await self._inner.close()

    def _known(self, wanted: Iterable[bytes]) -> dict[bytes, Floats]:
        with self._lock:
            return {digest: self._kept[digest] for digest in wanted if digest in self._kept}

    def _keep(self, used: dict[bytes, Floats]) -> None:
        with self._lock:
            for digest, vector in used.items():
                self._kept[digest] = vector.copy()  # a row alone, without the array that it came in
                self._kept.move_to_end(digest)
            while len(self._kept) > self._most:
                self._kept.popitem(last=False)


def _digest(whose: str, text: str) -> bytes:
    return hashlib.blake2b(f"{whose}\0{text}".encode("utf-8", "surrogatepass"), digest_size=16).digest()
