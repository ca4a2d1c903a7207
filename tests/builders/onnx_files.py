"""Tiny networks written as ONNX files: a few operators, named inputs and outputs."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from models.runtime import onnx_files as onnx_writer
from models.runtime.onnx_files import Shape

Node = tuple[str, Sequence[str], Sequence[str]]


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
    operators = [onnx_writer.OnnxNode(*node) for node in nodes]
    path.write_bytes(onnx_writer.write_network(operators, inputs, outputs, constants or {}, kind, "tiny"))
    return path


def picture_network(path: Path, inputs: Shape, output: Shape, gain: float = 1.0) -> Path:
    """Write a network from one picture to another that multiplies by a number."""
    constants = {"gain": np.array(gain, np.float32)}
    return write_onnx(path, [("Mul", ("x", "gain"), ("y",))], {"x": inputs}, {"y": output}, constants)
