"""The port of all embedders, and what they have in common: which model made a vector, and unit length."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol, TypeAlias, runtime_checkable

from shared.domain.arrays import Floats, np

Vectors: TypeAlias = Floats
"""Array of float32[texts, dimensions]."""


@dataclass(frozen=True, slots=True)
class EmbedderModel:
    """Which model makes the vectors; vectors of two models cannot be compared."""

    id: str  # the name changes with anything that changes the vectors: weights, tokenizer, pooling
    dimensions: int
    weights_sha256: str = ""  # of a remote model, and of one without weights, there is none
    is_english: bool = field(default=False, compare=False)  # it knows no other script than the Latin one

    @property
    def fingerprint(self) -> str:
        """The name stored with each vector: `id/dimensions/first 16 digits of the weights' SHA-256`, if there are weights.

        >>> EmbedderModel("text-embedding-3-large", 256).fingerprint
        'text-embedding-3-large/256'
        """
        return "/".join(filter(None, (self.id, str(self.dimensions), self.weights_sha256[:16])))


class Embedder(Protocol):
    """Turns texts into vectors whose dot product is their cosine similarity. Questions and memories go the same way."""

    @property
    def model(self) -> EmbedderModel:
        """Which model this is; known before the model is loaded."""

    async def embed(self, texts: Sequence[str]) -> Vectors:
        """One unit vector a text, in the texts' order: float32[n, dimensions]; no text gives shape (0, dimensions).

        Any text will do: an empty one gets a vector too, of a long one only its beginning may count. Models in this process
        run in a thread. Raises Unavailable when trying again later may help, Misconfigured when it will not before somebody
        acts, InputRefused when it is these texts that may not be taken.
        """

    async def close(self) -> None:
        """Release the model or the connections."""


@runtime_checkable
class EmbedderHere(Embedder, Protocol):
    """An embedder whose model is in this process, so that a thread that waits for nothing else need not wait for another."""

    def embed_here(self, texts: Sequence[str]) -> Vectors:
        """Vectors as `embed` defines them, made by the thread that calls it."""


def unit_rows(rows: Vectors) -> Vectors:
    """Each row at length 1; a row of zeros, which has no direction, becomes (1/√d, … 1/√d).

    >>> unit_rows(np.array([[3, 4], [0, 0]], dtype=np.float32)).round(2).tolist()
    [[0.6000000238418579, 0.800000011920929], [0.7099999785423279, 0.7099999785423279]]
    """
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    directed = np.where(lengths > 0, rows / np.where(lengths > 0, lengths, 1), 1 / math.sqrt(rows.shape[1]))
    return directed.astype(np.float32)


def printable(text: str, *, most_bytes: int | None = None) -> str:
    r"""The text without lone surrogates, which JSON allows and UTF-8 does not, cut to whole characters within `most_bytes`.

    >>> printable("é\ud83dé", most_bytes=3)
    'é'
    """
    return text.encode("utf-8", "ignore")[:most_bytes].decode("utf-8", "ignore")
