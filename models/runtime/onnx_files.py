"""Reads and writes ONNX files on the wire format of protocol buffers, so that the `onnx` package is not needed.

`free_shapes` makes a network with fixed shapes take pictures of any size, and run at full speed. The stored CenterFace
says that its input is 10x3x32x32 and lists its weights among the inputs of the graph, as files of ONNX IR version 3 had
to. onnxruntime must then assume that weights may be replaced at run time and fuses nothing: without that list it is
twice as fast.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

_MODEL_GRAPH = 7
_GRAPH_INITIALIZER = 5
_GRAPH_INPUT, _GRAPH_OUTPUT = 11, 12
_INITIALIZER_NAME = 8
_VALUE_NAME = 1
_VALUE_DIMENSION = (2, 1, 2, 1)  # ValueInfoProto.type.tensor_type.shape.dim
_ANY_SIZE = b"\x12\x01n"  # Dimension.dim_param = "n"
_VARINT, _FIXED64, _BYTES, _FIXED32 = 0, 1, 2, 5


def _read_varint(data: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, at
        shift += 7


def _varint(value: int) -> bytes:
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def _fields(message: bytes) -> Iterator[tuple[int, bytes, bytes | None]]:
    """Yield number, whole field and, of length-delimited ones, the content."""
    at = 0
    while at < len(message):
        start = at
        tag, at = _read_varint(message, at)
        number, kind = tag >> 3, tag & 7
        if kind == _BYTES:
            length, at = _read_varint(message, at)
            at += length
            if at > len(message):
                raise ValueError("the file is cut short")
            yield number, message[start:at], message[at - length : at]
            continue
        if kind == _VARINT:
            _, at = _read_varint(message, at)
        elif kind in (_FIXED32, _FIXED64):
            at += 4 if kind == _FIXED32 else 8
        else:
            raise ValueError("not a protocol buffer")
        yield number, message[start:at], None


def _field(number: int, content: bytes) -> bytes:
    return _varint(number << 3 | _BYTES) + _varint(len(content)) + content


def _content(message: bytes, wanted: int) -> bytes | None:
    return next((content for number, _, content in _fields(message) if number == wanted), None)


def _replace(message: bytes, path: tuple[int, ...], new: bytes) -> bytes:
    if not path:
        return new
    return b"".join(
        _field(number, _replace(content, path[1:], new)) if number == path[0] and content is not None else whole
        for number, whole, content in _fields(message)
    )


def _free_graph(graph: bytes) -> bytes:
    fields = list(_fields(graph))
    weights = {_content(c, _INITIALIZER_NAME) for number, _, c in fields if number == _GRAPH_INITIALIZER and c}
    parts = []
    for number, whole, content in fields:
        if number in (_GRAPH_INPUT, _GRAPH_OUTPUT) and content is not None:
            if number == _GRAPH_INPUT and _content(content, _VALUE_NAME) in weights:
                continue
            parts.append(_field(number, _replace(content, _VALUE_DIMENSION, _ANY_SIZE)))
        else:
            parts.append(whole)
    return b"".join(parts)


def free_shapes(model: bytes) -> bytes:
    """Return the network with every size of its inputs and outputs left open, and its weights constant.

    Raises ValueError where these bytes are not a network.
    """
    try:
        fields = list(_fields(model))
        if not any(number == _MODEL_GRAPH and content for number, _, content in fields):
            raise ValueError("no graph inside")
        return b"".join(
            _field(number, _free_graph(content)) if number == _MODEL_GRAPH and content is not None else whole
            for number, whole, content in fields
        )
    except IndexError:
        raise ValueError("the file is cut short") from None


Shape = Sequence[int | str]
_IR_VERSION, _OPSET = 8, 17
_KINDS = {np.dtype(np.float32): 1, np.dtype(np.int64): 7, np.dtype(np.float16): 10}
_INT_ATTRIBUTE, _INTS_ATTRIBUTE = 2, 7


@dataclass(frozen=True, slots=True)
class OnnxNode:
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


def write_network(
    nodes: Sequence[OnnxNode],
    inputs: Mapping[str, Shape],
    outputs: Mapping[str, Shape],
    constants: Mapping[str, NDArray[np.generic]],
    kind: type[np.generic] = np.float32,
    name: str = "network",
) -> bytes:
    """Return a network as the content of an ONNX file.

    Nodes come in an order in which they can run; sizes are numbers, or words where they are open; constants are
    float32, float16 or int64.
    """
    element = _KINDS[np.dtype(kind)]
    graph = b"".join(_field(1, _node(node)) for node in nodes) + _text(2, name)
    graph += b"".join(_field(5, _constant(key, value)) for key, value in constants.items())
    graph += b"".join(_field(11, _value(key, shape, element)) for key, shape in inputs.items())
    graph += b"".join(_field(12, _value(key, shape, element)) for key, shape in outputs.items())
    opset = _text(1, "") + _number(2, _OPSET)
    return _number(1, _IR_VERSION) + _field(7, graph) + _field(8, opset)


def _node(node: OnnxNode) -> bytes:
    named = b"".join(_text(1, name) for name in node.takes) + b"".join(_text(2, name) for name in node.gives)
    settings = b"".join(_field(5, _setting(name, value)) for name, value in node.settings.items())
    return named + _text(4, node.operator) + settings


def _setting(name: str, value: int | Sequence[int]) -> bytes:
    if isinstance(value, int):
        return _text(1, name) + _number(3, value) + _number(20, _INT_ATTRIBUTE)
    return _text(1, name) + b"".join(_number(8, number) for number in value) + _number(20, _INTS_ATTRIBUTE)


def _constant(name: str, value: NDArray[np.generic]) -> bytes:
    sizes = b"".join(_number(1, size) for size in value.shape)
    stored = value.astype(value.dtype.newbyteorder("<"), copy=False).tobytes()
    return sizes + _number(2, _KINDS[value.dtype]) + _text(8, name) + _field(9, stored)


def _value(name: str, shape: Shape, element: int) -> bytes:
    sizes = b"".join(_field(1, _number(1, size) if isinstance(size, int) else _text(2, size)) for size in shape)
    tensor = _number(1, element) + _field(2, sizes)
    return _text(1, name) + _field(2, _field(1, tensor))


def _number(number: int, value: int) -> bytes:
    return _varint(number << 3) + _varint(value)


def _text(number: int, value: str) -> bytes:
    return _field(number, value.encode())
