"""Tiny networks written as ONNX files, without the `onnx` package: a few operators, named inputs and outputs."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

Shape = Sequence[int | str]
Node = tuple[str, Sequence[str], Sequence[str]]
_IR_VERSION, _OPSET = 8, 17
_FLOAT, _INT64 = 1, 7
_KINDS = {np.dtype(np.float32): _FLOAT, np.dtype(np.int64): _INT64, np.dtype(np.float16): 10}


def write_onnx(
    path: Path,
    nodes: Sequence[Node],
    inputs: Mapping[str, Shape],
    outputs: Mapping[str, Shape],
    constants: Mapping[str, NDArray[np.generic]] | None = None,
    kind: type[np.generic] = np.float32,
) -> Path:
    """Write a network.

    Args:
        path: of the file.
        nodes: operator, names of what it takes, names of what it gives; operators that need no attributes.
        inputs: shapes by name; a size is a number, or a word where it is open.
        outputs: the same.
        constants: values by name.
        kind: of inputs and outputs.
    """
    element = _KINDS[np.dtype(kind)]
    graph = b"".join(_field(1, _node(*node)) for node in nodes) + _text(2, "tiny")
    graph += b"".join(_field(5, _constant(name, value)) for name, value in (constants or {}).items())
    graph += b"".join(_field(11, _value(name, shape, element)) for name, shape in inputs.items())
    graph += b"".join(_field(12, _value(name, shape, element)) for name, shape in outputs.items())
    opset = _text(1, "") + _number(2, _OPSET)
    path.write_bytes(_number(1, _IR_VERSION) + _field(7, graph) + _field(8, opset))
    return path


def picture_network(path: Path, inputs: Shape, output: Shape, gain: float = 1.0) -> Path:
    """Write a network from one picture to another that multiplies by a number."""
    constants = {"gain": np.array(gain, np.float32)}
    return write_onnx(path, [("Mul", ("x", "gain"), ("y",))], {"x": inputs}, {"y": output}, constants)


def _node(operator: str, takes: Sequence[str], gives: Sequence[str]) -> bytes:
    named = b"".join(_text(1, name) for name in takes) + b"".join(_text(2, name) for name in gives)
    return named + _text(4, operator)


def _constant(name: str, value: NDArray[np.generic]) -> bytes:
    sizes = b"".join(_number(1, size) for size in value.shape)
    return sizes + _number(2, _KINDS[value.dtype]) + _text(8, name) + _field(9, value.tobytes())


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


def _number(field: int, value: int) -> bytes:
    return _varint(field << 3) + _varint(value)


def _text(field: int, value: str) -> bytes:
    return _field(field, value.encode())


def _field(number: int, content: bytes) -> bytes:
    return _varint(number << 3 | 2) + _varint(len(content)) + content
