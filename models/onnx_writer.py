"""Writes a network as an ONNX file, without the `onnx` package: operators, named inputs, outputs and constants.

The few messages of onnx.proto that this takes are written on the wire format of protocol buffers, in the order of their
numbers, so the same network is always the same bytes.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

Shape = Sequence[int | str]
_IR_VERSION, _OPSET = 8, 17
_KINDS = {np.dtype(np.float32): 1, np.dtype(np.int64): 7, np.dtype(np.float16): 10}
_INT_ATTRIBUTE, _INTS_ATTRIBUTE = 2, 7
_BYTES = 2


@dataclass(frozen=True, slots=True)
class Node:
    """One operator of a network.

    Attributes:
        takes: names of its inputs; "" for one that is left out.
        gives: names of its outputs; "" for one that nobody wants.
        settings: its attributes: a whole number, or several.
    """

    operator: str
    takes: Sequence[str]
    gives: Sequence[str]
    settings: Mapping[str, int | Sequence[int]] = field(default_factory=dict)


def network(
    nodes: Sequence[Node],
    inputs: Mapping[str, Shape],
    outputs: Mapping[str, Shape],
    constants: Mapping[str, NDArray[np.generic]],
    kind: type[np.generic] = np.float32,
    name: str = "network",
) -> bytes:
    """Return a network as the content of an ONNX file.

    Args:
        nodes: in an order in which they can run.
        inputs: shapes by name; a size is a number, or a word where it is open.
        outputs: the same.
        constants: values by name: float32, float16 or int64.
        kind: of the numbers of inputs and outputs.
        name: of the graph.
    """
    element = _KINDS[np.dtype(kind)]
    graph = b"".join(_field(1, _node(node)) for node in nodes) + _text(2, name)
    graph += b"".join(_field(5, _constant(key, value)) for key, value in constants.items())
    graph += b"".join(_field(11, _value(key, shape, element)) for key, shape in inputs.items())
    graph += b"".join(_field(12, _value(key, shape, element)) for key, shape in outputs.items())
    opset = _text(1, "") + _number(2, _OPSET)
    return _number(1, _IR_VERSION) + _field(7, graph) + _field(8, opset)


def _node(node: Node) -> bytes:
    named = b"".join(_text(1, name) for name in node.takes) + b"".join(_text(2, name) for name in node.gives)
    settings = b"".join(_field(5, _setting(name, value)) for name, value in node.settings.items())
    return named + _text(4, node.operator) + settings


def _setting(name: str, value: int | Sequence[int]) -> bytes:
    if isinstance(value, int):
        return _text(1, name) + _number(3, value) + _number(20, _INT_ATTRIBUTE)
    return _text(1, name) + b"".join(_number(8, one) for one in value) + _number(20, _INTS_ATTRIBUTE)


def _constant(name: str, value: NDArray[np.generic]) -> bytes:
    sizes = b"".join(_number(1, size) for size in value.shape)
    stored = value.astype(value.dtype.newbyteorder("<"), copy=False).tobytes()
    return sizes + _number(2, _KINDS[value.dtype]) + _text(8, name) + _field(9, stored)


def _value(name: str, shape: Shape, element: int) -> bytes:
    sizes = b"".join(_field(1, _number(1, size) if isinstance(size, int) else _text(2, size)) for size in shape)
    tensor = _number(1, element) + _field(2, sizes)
    return _text(1, name) + _field(2, _field(1, tensor))


def _varint(value: int) -> bytes:
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*out, value])


def _number(number: int, value: int) -> bytes:
    return _varint(number << 3) + _varint(value)


def _text(number: int, value: str) -> bytes:
    return _field(number, value.encode())


def _field(number: int, content: bytes) -> bytes:
    return _varint(number << 3 | _BYTES) + _varint(len(content)) + content
