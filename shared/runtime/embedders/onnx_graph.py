"""Reads the tensors of an ONNX file, and writes graphs: as much of the format as that takes.

The package `onnx` would do it too; it is 31 MB, and takes 0.2 s to import.
Source: onnx.proto of https://github.com/onnx/onnx, whose numbers these are; https://protobuf.dev/programming-guides/encoding.
"""

import struct
from collections.abc import Iterator, Sequence
from typing import Any, TypeAlias

from shared.domain.arrays import NDArray, np

Tensor: TypeAlias = "NDArray[Any]"
FLOAT, UINT8, INT8, INT32, INT64, BOOL = 1, 2, 3, 6, 7, 9
"""ONNX's numbers of the types of elements."""

_TYPES = {FLOAT: "float32", UINT8: "uint8", INT8: "int8", INT32: "int32", INT64: "int64", BOOL: "bool"}
_NUMBERS = {name: number for number, name in _TYPES.items()}
ONNXRUNTIME = "com.microsoft"
"""The domain of the operators that only onnxruntime has."""

_GRAPH, _TENSOR = 7, 5  # the fields of a file and of a graph that are read
_SIZE, _TYPE, _NAME, _BYTES = 1, 2, 8, 9  # those of a tensor
_MORE = 0x80  # in a byte of a number: another byte follows
_FORMAT = 10
_OPERATORS = {"": 18, ONNXRUNTIME: 1}  # the versions of both domains


class OnnxGraph:
    """A graph that is written node by node. Equal calls give equal bytes."""

    def __init__(self) -> None:
        self._parts: list[bytes] = []
        self._names = 0

    def input(self, name: str, of_type: int, dimensions: Sequence[str | int]) -> str:
        """Declare an input. A dimension is a number, or the name of one that differs from call to call."""
        self._parts.append(_field(11, _value(name, of_type, dimensions)))
        return name

    def output(self, name: str, of_type: int, dimensions: Sequence[str | int]) -> None:
        """Declare that this value is an output."""
        self._parts.append(_field(12, _value(name, of_type, dimensions)))

    def constant(self, array: Tensor) -> str:
        """Add a constant; return its name."""
        name = self._name()
        about = [*(_field(_SIZE, size) for size in array.shape), _field(_TYPE, _NUMBERS[array.dtype.name]), _field(_NAME, name)]
        self._parts.append(_field(_TENSOR, b"".join([*about, _field(_BYTES, array.tobytes())])))
        return name

    def node(self, operator: str, inputs: Sequence[str], *, domain: str = "", **attributes: float) -> str:
        """Add an operation with one output; return the output's name. An input that is left out is an empty name."""
        return self.nodes(operator, inputs, 1, domain=domain, **attributes)[0]

    def nodes(self, operator: str, inputs: Sequence[str], outputs: int, *, domain: str = "", **attributes: float) -> list[str]:
        """Add an operation with so many outputs; return their names."""
        names = [self._name() for _ in range(outputs)]
        wires = [*(_field(1, name) for name in inputs), *(_field(2, name) for name in names)]
        options = [_field(5, _attribute(name, value)) for name, value in attributes.items()]
        self._parts.append(_field(1, b"".join([*wires, _field(4, operator), *options, _field(7, domain)])))
        return names

    def file(self, name: str) -> bytes:
        """The file: the graph under a name, and the versions of what it is written in."""
        operators = [_field(8, _field(1, domain) + _field(2, version)) for domain, version in _OPERATORS.items()]
        graph = b"".join([*self._parts, _field(2, name)])
        return b"".join([_field(1, _FORMAT), _field(_GRAPH, graph), *operators])

    def _name(self) -> str:
        self._names += 1
        return f"v{self._names}"


def read_tensors(model: bytes) -> dict[str, Tensor]:
    """The constants of a file by their names, in its order: views of its bytes. Its nodes are not read."""
    [graph] = [part for number, part in _fields(memoryview(model)) if number == _GRAPH]
    return dict(_tensor(part) for number, part in _fields(graph) if number == _TENSOR)


def _tensor(part: memoryview) -> tuple[str, Tensor]:
    sizes: list[int] = []
    found: dict[int, Any] = {}
    for number, value in _fields(part):
        if number == _SIZE:
            sizes.append(value)
        else:
            found[number] = value
    return bytes(found[_NAME]).decode(), np.frombuffer(found[_BYTES], _TYPES[found[_TYPE]]).reshape(sizes)


def _fields(message: memoryview) -> Iterator[tuple[int, Any]]:
    """The fields of a message, each with its number: an int, or the bytes of a string or of another message."""
    place = 0
    while place < len(message):
        key, place = _varint_at(message, place)
        value, place = _varint_at(message, place)
        match key & 7:
            case 0:
                yield key >> 3, value
            case 2:
                yield key >> 3, message[place : (place := place + value)]
            case other:
                raise ValueError(f"no field of a file, graph or tensor has the type {other}")


def _varint_at(message: memoryview, place: int) -> tuple[int, int]:
    """The number that begins there, seven bits to a byte and the lowest first, and the place after it."""
    number = shift = 0
    while True:
        byte = message[place]
        number |= (byte & 0x7F) << shift
        place, shift = place + 1, shift + 7
        if not byte & _MORE:
            return number, place


def _varint(number: int) -> bytes:
    written = bytearray()
    while number >= _MORE:
        written.append(number & 0x7F | _MORE)
        number >>= 7
    return bytes([*written, number])


def _field(number: int, value: float | str | bytes) -> bytes:
    match value:
        case int():
            return _varint(number << 3) + _varint(value)
        case float():
            return _varint(number << 3 | 5) + struct.pack("<f", value)
        case str():
            value = value.encode()
    return _varint(number << 3 | 2) + _varint(len(value)) + value


def _value(name: str, of_type: int, dimensions: Sequence[str | int]) -> bytes:
    shape = b"".join(_field(1, _field(1 if isinstance(size, int) else 2, size)) for size in dimensions)
    return _field(1, name) + _field(2, _field(1, _field(1, of_type) + _field(2, shape)))


def _attribute(name: str, value: float) -> bytes:
    is_float = isinstance(value, float)
    return _field(1, name) + _field(2 if is_float else 3, value) + _field(20, 1 if is_float else 2)
