"""MiniLM's network as a graph that multiplies in whole numbers, made from the file of its package.

The package's own graph turns its int8 weights into float32 when it is loaded, so that each question reads 42 MB of them. This
one has the same weights as they are, and rounds what meets them to 8 bits, each 32 numbers by a scale of their own: so a vector
stays nearly what it was, and depends on no other text of its batch (docs/adr/0037).
Source: Devlin et al., BERT, arXiv:1810.04805, whose encoder it is, six layers deep.
"""

from typing import NamedTuple

from shared.domain.arrays import Floats, NDArray, np
from shared.runtime.embedders.onnx_graph import FLOAT, INT32, INT64, ONNXRUNTIME, OnnxGraph, Tensor, read_tensors

PIECES, MASK = "pieces", "mask"
"""The inputs, each [texts, pieces]: the ids of the pieces, int64, and 1 where there is one, else 0, int32.

The output is float32[texts, pieces, 384], the last layer.
"""

_LAYERS, _HEADS, _WIDTH, _MOST_PIECES = 6, 12, 384, 256
_BLOCK = 32
"""Numbers with a scale of their own. One channel is five times as wide as the rest: in a long block it spoils more of them."""

_EPSILON = 1e-12
_WHOLE_NUMBERS = 4  # onnxruntime's name for rounding what meets the weights to int8, rather than the weights to float32
_EMBEDDINGS = "inner.embeddings"
_SELF_ATTENTION = ("query", "key", "value")


class _Weights(NamedTuple):
    """A matrix: `whole`, int8[inputs, outputs], times `scale`, one number for each output."""

    whole: "NDArray[np.int8]"
    scale: Floats


def minilm_graph(package_file: bytes) -> bytes:
    """The graph as an ONNX file, the same bytes on every machine."""
    return _Network(read_tensors(package_file)).file()


class _Network:
    """Writes the network layer by layer. Each method returns the name of what it made."""

    def __init__(self, tensors: dict[str, Tensor]) -> None:
        self._tensors = tensors
        names = [name.removesuffix("_q") for name in tensors if name.startswith("val_") and name.endswith("_q")]
        self._matrices = iter([_Weights(tensors[f"{name}_q"], tensors[f"{name}_scale"].reshape(-1)) for name in names])
        self._graph = OnnxGraph()

    def file(self) -> bytes:
        """The whole network."""
        pieces = self._graph.input(PIECES, INT64, ["texts", "pieces"])
        mask = self._graph.input(MASK, INT32, ["texts", "pieces"])
        layer = self._embedded(pieces)
        for number in range(_LAYERS):
            layer = self._encoded(layer, mask, f"inner.encoder.layer.{number}")
        self._graph.output(layer, FLOAT, ["texts", "pieces", _WIDTH])
        return self._graph.file("minilm")

    def _embedded(self, pieces: str) -> str:
        """What each piece means by itself and by its place. Only the rows of these pieces become float32."""
        words = f"{_EMBEDDINGS}.word_embeddings.weight"
        whole, scale = (
            self._graph.node("Gather", [self._tensor(f"{words}_{part}"), pieces], axis=0) for part in ("q", "scale")
        )
        meaning = self._graph.node("Mul", [self._graph.node("Cast", [whole], to=FLOAT), scale])
        placed = self._graph.node("Add", [meaning, self._places(pieces)])
        return self._graph.node("LayerNormalization", [placed, *self._norm(f"{_EMBEDDINGS}.LayerNorm")], epsilon=_EPSILON)

    def _places(self, pieces: str) -> str:
        """What the first place means, the second and so on, for as many as there are pieces: all in the first sentence."""
        places = f"{_EMBEDDINGS}.position_embeddings.weight"
        meaning = self._tensors[f"{places}_q"] * self._tensors[f"{places}_scale"]
        sentence = self._tensors[f"{_EMBEDDINGS}.token_type_embeddings.weight"][0]
        start = self._graph.constant(np.zeros(1, np.int64))
        end = self._graph.node("Shape", [pieces], start=1, end=2)
        return self._graph.node("Slice", [self._graph.constant((meaning + sentence)[:_MOST_PIECES]), start, end, start])

    def _encoded(self, layer: str, mask: str, name: str) -> str:
        """The next layer: what the pieces see of each other is added to each of them, then what follows from that."""
        seen = self._attention(layer, mask, f"{name}.attention.self")
        layer = self._added(self._times(seen, next(self._matrices)), layer, f"{name}.attention.output")
        wide, bias = self._times(layer, next(self._matrices)), self._tensor(f"{name}.intermediate.dense.bias")
        followed = self._graph.node("BiasGelu", [wide, bias], domain=ONNXRUNTIME)
        return self._added(self._times(followed, next(self._matrices)), layer, f"{name}.output")

    def _attention(self, layer: str, mask: str, name: str) -> str:
        """What each piece sees of the others, with all its heads. Queries, keys and values are one multiplication."""
        parts = [next(self._matrices) for _ in _SELF_ATTENTION]
        whole, scale = (np.concatenate(of_parts, axis=-1) for of_parts in zip(*parts, strict=True))
        bias = np.concatenate([self._tensors[f"{name}.{part}.bias"] for part in _SELF_ATTENTION])
        together = self._times(layer, _Weights(whole, scale), self._graph.constant(bias))
        heads = self._graph.nodes("Split", [together], 3, axis=2, num_outputs=3)
        return self._graph.node("MultiHeadAttention", [*heads, "", mask], domain=ONNXRUNTIME, num_heads=_HEADS)

    def _times(self, layer: str, weights: _Weights, bias: str = "") -> str:
        """The layer times a matrix. The operator wants a row for each output, in blocks, with 128 for nought."""
        inputs, outputs = weights.whole.shape
        blocks = (weights.whole.T.view(np.uint8) ^ np.uint8(128)).reshape(outputs, inputs // _BLOCK, _BLOCK)
        scales = np.repeat(weights.scale[:, None], inputs // _BLOCK, axis=1)
        return self._graph.node(
            "MatMulNBits",
            [layer, self._graph.constant(blocks), self._graph.constant(scales), "", "", bias],
            domain=ONNXRUNTIME,
            K=inputs,
            N=outputs,
            bits=8,
            block_size=_BLOCK,
            accuracy_level=_WHOLE_NUMBERS,
        )

    def _added(self, change: str, layer: str, name: str) -> str:
        """The layer with a change and its bias added, at unit variance again."""
        inputs = [change, layer, *self._norm(f"{name}.LayerNorm"), self._tensor(f"{name}.dense.bias")]
        return self._graph.node("SkipLayerNormalization", inputs, domain=ONNXRUNTIME, epsilon=_EPSILON)

    def _norm(self, name: str) -> list[str]:
        return [self._tensor(f"{name}.weight"), self._tensor(f"{name}.bias")]

    def _tensor(self, name: str) -> str:
        return self._graph.constant(self._tensors[name])
