"""MiniLM's network as a graph that multiplies in whole numbers, made from the file of its package.

The package's own graph turns its int8 weights into float32 when it is loaded, so that each question reads 42 MB of them. This
one has the same weights as they are, and writes what meets them in two digits of 7 bits, which processors multiply many times
as fast as float32. The digits' steps are fixed, so a vector depends on no other text of its batch (docs/adr/0078).
Source: Devlin et al., BERT, arXiv:1810.04805, whose encoder it is, six layers deep.
"""

from typing import NamedTuple

from shared.domain.arrays import Floats, NDArray, np
from shared.runtime.embedders.onnx_graph import FLOAT, INT8, INT32, INT64, ONNXRUNTIME, OnnxGraph, Tensor, read_tensors

PIECES, MASK, MEANINGS = "pieces", "mask", "meanings"
"""The inputs: [texts, pieces] the ids of the pieces, int64, and 1 where there is one, else 0, int32.

Where the table of meanings is apart, also the rows of these pieces, int8[texts, pieces, 384].
The output is float32[texts, pieces, 384], the last layer.
"""

WIDTH = 384
"""Of a layer, and so of a vector: so many numbers."""

_LAYERS, _HEADS, _MOST_PIECES = 6, 12, 256
_LOWER_DIGIT = 2.0**-7
"""The step of the second digit, as a part of the first one's. Half of the first step is then 64 of the second."""

_EPSILON = 1e-12
_EMBEDDINGS = "inner.embeddings"
_MEANINGS = f"{_EMBEDDINGS}.word_embeddings.weight"
_SELF_ATTENTION = ("query", "key", "value")


class _Weights(NamedTuple):
    """A matrix: `whole`, int8[inputs, outputs], times `scale`, one number for each output."""

    whole: "NDArray[np.int8]"
    scale: Floats


class _Digit(NamedTuple):
    """How a number becomes one of 0 to 255: in steps of `step`, with `nought` for 0. Beyond them it is the least or the most.

    Both digits of all that was ever seen here stay within 0 to 128: then the sum of two products with int8 fits int16, in which
    processors without int8 dot products add them, and cut off what does not fit.
    """

    step: float
    nought: int

    @property
    def lower(self) -> "_Digit":
        """The next digit, for what this one leaves."""
        return _Digit(self.step * _LOWER_DIGIT, 64)


# What is the most that was seen on each way, in six layers: 10.5, 4.1, 30.3, and from -0.17 to 24.6 (docs/adr/0078).
_LAYER, _SEEN, _ATTENDED, _FOLLOWED = _Digit(2.0**-2, 64), _Digit(2.0**-3, 64), _Digit(2.0**-1, 64), _Digit(2.0**-2, 8)


def minilm_graph(package_file: bytes, *, is_whole: bool = True) -> bytes:
    """The graph as an ONNX file, the same bytes on every machine. If it is not whole, `minilm_meanings` is apart from it."""
    return _Network(read_tensors(package_file), is_whole=is_whole).file()


def minilm_meanings(package_file: bytes) -> bytes:
    """What each piece means by itself: a row of 384 bytes, int8, for each id. Half of all weights; a text needs a few rows."""
    return read_tensors(package_file)[f"{_MEANINGS}_q"].tobytes()


class _Network:
    """Writes the network layer by layer. Each method returns the name of what it made."""

    def __init__(self, tensors: dict[str, Tensor], *, is_whole: bool) -> None:
        self._tensors = tensors
        self._is_whole = is_whole
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
        self._graph.output(layer, FLOAT, ["texts", "pieces", WIDTH])
        return self._graph.file("minilm")

    def _embedded(self, pieces: str) -> str:
        """What each piece means by itself and by its place. Only the rows of these pieces become float32."""
        whole = (
            self._row_of_each(f"{_MEANINGS}_q", pieces)
            if self._is_whole
            else self._graph.input(MEANINGS, INT8, ["texts", "pieces", WIDTH])
        )
        scale = self._row_of_each(f"{_MEANINGS}_scale", pieces)
        meaning = self._graph.node("Mul", [self._graph.node("Cast", [whole], to=FLOAT), scale])
        placed = self._graph.node("Add", [meaning, self._places(pieces)])
        return self._graph.node("LayerNormalization", [placed, *self._norm(f"{_EMBEDDINGS}.LayerNorm")], epsilon=_EPSILON)

    def _row_of_each(self, table: str, pieces: str) -> str:
        return self._graph.node("Gather", [self._tensor(table), pieces], axis=0)

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
        layer = self._added(self._times(seen, _SEEN, next(self._matrices)), layer, f"{name}.attention.output")
        wide, bias = self._times(layer, _ATTENDED, next(self._matrices)), self._tensor(f"{name}.intermediate.dense.bias")
        followed = self._graph.node("BiasGelu", [wide, bias], domain=ONNXRUNTIME)
        return self._added(self._times(followed, _FOLLOWED, next(self._matrices)), layer, f"{name}.output")

    def _attention(self, layer: str, mask: str, name: str) -> str:
        """What each piece sees of the others, with all its heads. Queries, keys and values are one multiplication."""
        parts = [next(self._matrices) for _ in _SELF_ATTENTION]
        whole, scale = (np.concatenate(of_parts, axis=-1) for of_parts in zip(*parts, strict=True))
        bias = np.concatenate([self._tensors[f"{name}.{part}.bias"] for part in _SELF_ATTENTION])
        together = self._times(layer, _LAYER, _Weights(whole, scale), self._graph.constant(bias))
        heads = self._graph.nodes("Split", [together], 3, axis=2, num_outputs=3)
        return self._graph.node("MultiHeadAttention", [*heads, "", mask], domain=ONNXRUNTIME, num_heads=_HEADS)

    def _times(self, layer: str, upper: _Digit, weights: _Weights, bias: str = "") -> str:
        """The layer times a matrix, and a bias added. The layer is written in two digits, whose products are added."""
        steps, lower_steps = self._steps(upper), self._steps(upper.lower)
        whole, scale = self._graph.constant(weights.whole), self._graph.constant(weights.scale)

        def product(digits: str, steps: tuple[str, str], bias: str = "") -> str:
            step, nought = steps
            inputs = [digits, whole, step, scale, nought, "", bias]
            return self._graph.node("MatMulIntegerToFloat", inputs, domain=ONNXRUNTIME)

        digits = self._graph.node("QuantizeLinear", [layer, *steps])
        left = self._graph.node("Sub", [layer, self._graph.node("DequantizeLinear", [digits, *steps])])
        lower_digits = self._graph.node("QuantizeLinear", [left, *lower_steps])
        return self._graph.node("Add", [product(digits, steps, bias), product(lower_digits, lower_steps)])

    def _steps(self, digit: _Digit) -> tuple[str, str]:
        return self._graph.constant(np.asarray(digit.step, np.float32)), self._graph.constant(
            np.asarray(digit.nought, np.uint8)
        )

    def _added(self, change: str, layer: str, name: str) -> str:
        """The layer with a change and its bias added, at unit variance again."""
        inputs = [change, layer, *self._norm(f"{name}.LayerNorm"), self._tensor(f"{name}.dense.bias")]
        return self._graph.node("SkipLayerNormalization", inputs, domain=ONNXRUNTIME, epsilon=_EPSILON)

    def _norm(self, name: str) -> list[str]:
        return [self._tensor(f"{name}.weight"), self._tensor(f"{name}.bias")]

    def _tensor(self, name: str) -> str:
        return self._graph.constant(self._tensors[name])
