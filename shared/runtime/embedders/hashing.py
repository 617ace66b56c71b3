"""An embedder without a model: words and their trigrams, hashed into 256 numbers. It knows spelling, not meaning.

For machines where nothing else runs, and for tests: no dependency but numpy, and the same vector everywhere, always.
Source: Weinberger et al., Feature Hashing for Large Scale Multitask Learning, arXiv:0902.2206, section 3:
v[h(f)] += s(f) · w(f) over the features f, with h in 0 … d-1 and s = ±1 from one hash; w is 1 for a word, 1/2 for a trigram.
"""

import hashlib
import re
from collections.abc import Iterator, Sequence
from functools import partial

from shared.domain.arrays import np
from shared.runtime.embedders.local import LocalEmbedder
from shared.runtime.embedders.port import EmbedderModel, Vectors

_WORD = re.compile(r"\w+|[^\w\s]")  # an emoji or a mark is a word; part of what `hashing-1` means, which stored vectors name
_TRIGRAM_WEIGHT = 0.5


def hashing_embedder(*, dimensions: int = 256) -> LocalEmbedder:
    """The embedder without a model, for any number of dimensions."""
    model = EmbedderModel("hashing-1", dimensions)
    return LocalEmbedder(model, key=f"hashing/{dimensions}", load=partial(Hashing, dimensions=dimensions))


class Hashing:
    """Feature hashing of words and of the trigrams of `<word>`."""

    def __init__(self, *, dimensions: int) -> None:
        self._dimensions = dimensions

    def encode(self, texts: Sequence[str]) -> Vectors:
        """float32[n, dimensions]; zeros for a text without a word."""
        rows = np.zeros((len(texts), self._dimensions), np.float32)
        for row, text in zip(rows, texts, strict=True):
            for feature, weight in _features(text):
                hashed = int.from_bytes(hashlib.blake2b(feature.encode("utf-8", "surrogatepass"), digest_size=8).digest())
                sign = 1 if hashed & 1 else -1
                row[(hashed >> 1) % self._dimensions] += sign * weight
        return rows


def _features(text: str) -> Iterator[tuple[str, float]]:
    for word in _WORD.findall(text.casefold()):
        yield word, 1.0
        framed = f"<{word}>"
        for start in range(len(framed) - 2):
            yield f"3:{framed[start : start + 3]}", _TRIGRAM_WEIGHT
