"""Vectors as events hold them: float16, little-endian, base64. Cosines differ from those of float32 by less than 0.001."""

import base64

from shared.contracts.parts import Embedding
from shared.domain.arrays import ArrayLike, Floats, np


def pack(vector: ArrayLike, model: str) -> Embedding:
    """Pack a vector of length 1 as the embedding of an event.

    >>> pack([1.0, 0.0], "m").dimensions
    2
    """
    halves = np.asarray(vector, dtype="<f2")
    return Embedding(model=model, dimensions=halves.size, vector=base64.b64encode(halves.tobytes()).decode("ascii"))


def unpack(embedding: Embedding) -> Floats:
    """The vector of an event's embedding: float32[dimensions]."""
    return floats(halves(embedding))


def halves(embedding: Embedding) -> bytes:
    """The vector of an event's embedding as it came: float16[dimensions], little-endian."""
    return base64.b64decode(embedding.vector)


def floats(stored: bytes) -> Floats:
    """Return float16 numbers that are stored as bytes, little-endian, as float32[n]; vectors joined end to end stay so."""
    return np.frombuffer(stored, dtype="<f2").astype(np.float32)
