"""Vectors as they travel: float16, little-endian, base64. Half the size of float32; cosines move by less than 0.001."""

from __future__ import annotations

import base64

import numpy as np
from numpy.typing import ArrayLike, NDArray

from shared.contracts.parts import Embedding


def pack(vector: ArrayLike, model: str) -> Embedding:
    """An embedding for an event. `vector` has length 1.

    >>> pack([1.0, 0.0], "m").dimensions
    2
    """
    halves = np.asarray(vector, dtype="<f2")
    return Embedding(model=model, dimensions=halves.size, vector=base64.b64encode(halves.tobytes()).decode("ascii"))


def unpack(embedding: Embedding) -> NDArray[np.float32]:
    """float32[dimensions] of an event's embedding."""
    return np.frombuffer(base64.b64decode(embedding.vector), dtype="<f2").astype(np.float32)
