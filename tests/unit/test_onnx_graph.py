"""A graph that is written here is one that onnxruntime runs, and what is read from a file is what was written."""

from __future__ import annotations

import numpy as np
import onnxruntime
import pytest

from shared.runtime.embedders.onnx_graph import FLOAT, INT64, ONNXRUNTIME, OnnxGraph, read_tensors


def doubled() -> bytes:
    """x · 2 + [1 … 300], and which rows there are."""
    graph = OnnxGraph()
    x = graph.input("x", FLOAT, ["rows", 300])
    twice = graph.node("Mul", [x, graph.constant(np.array(2, np.float32))])
    graph.output(graph.node("Add", [twice, graph.constant(np.arange(1, 301, dtype=np.float32))]), FLOAT, ["rows", 300])
    graph.output(graph.node("Shape", [x], start=0, end=1), INT64, [1])
    return graph.file("doubled")


def test_what_was_written_runs() -> None:
    session = onnxruntime.InferenceSession(doubled(), providers=["CPUExecutionProvider"])
    given = np.ones((2, 300), np.float32)
    made, rows = session.run(None, {"x": given})
    assert np.array_equal(made, np.tile(np.arange(3, 303), (2, 1)))
    assert rows.tolist() == [2]


def test_an_operation_may_have_several_outputs_numbers_as_options_and_inputs_that_are_left_out() -> None:
    graph = OnnxGraph()
    left, right = graph.nodes("Split", [graph.input("x", FLOAT, [1, 4])], 2, axis=1, num_outputs=2)
    norm = [graph.constant(np.ones(2, np.float32)), "", graph.constant(np.zeros(2, np.float32))]
    added = graph.node("SkipLayerNormalization", [left, right, *norm], domain=ONNXRUNTIME, epsilon=0.5)
    graph.output(added, FLOAT, [1, 2])
    session = onnxruntime.InferenceSession(graph.file("split"), providers=["CPUExecutionProvider"])
    [made] = session.run(None, {"x": np.array([[1, 2, 3, 4]], np.float32)})
    assert made[0] == pytest.approx([-1 / np.sqrt(1.5), 1 / np.sqrt(1.5)])  # 4 and 6 about 5, variance 1 + 0.5


@pytest.mark.parametrize(
    "array",
    [
        np.arange(6, dtype=np.float32).reshape(2, 3),
        np.array([-128, 127], np.int8),
        np.array([[0], [255]], np.uint8),
        np.array(7, np.int64),
        np.array([True, False]),
        np.zeros((0, 3), np.int32),
        np.zeros(70_000, np.uint8),
    ],
)
def test_tensors_are_read_as_they_were_written(array: np.ndarray[tuple[int, ...], np.dtype[np.generic]]) -> None:
    graph = OnnxGraph()
    name = graph.constant(array)
    graph.constant(np.ones(3, np.float32))
    read = read_tensors(graph.file("constants"))
    assert list(read) == [name, "v2"]
    assert read[name].dtype == array.dtype
    assert np.array_equal(read[name], array)
    assert read[name].shape == array.shape


def test_equal_calls_give_equal_bytes() -> None:
    assert doubled() == doubled()


def test_what_is_no_such_file_is_not_read_as_one() -> None:
    with pytest.raises(ValueError, match="type 5"):
        read_tensors(b"\x3d\0\0\0\0")
