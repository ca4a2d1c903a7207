"""Builds the voice embedding network as an ONNX file from the weights in the wheel of Resemblyzer 0.1.4."""

import numpy as np
from numpy.typing import NDArray

from models.runtime.onnx_files import OnnxNode, write_network

FRAMES, BANDS, DIMENSIONS = 160, 40, 256
INPUT, OUTPUT = "mel", "voice"
_LAYERS, _HIDDEN, _GATES = 3, 256, 4
# Where a storage of numbers begins in the file, and how many there are.
_LSTM, _LINEAR, _BIAS = (269_883, 1_357_824), (7_731, 65_536), (6_699, 256)
# In the storage of the LSTM, where the weights of each layer begin: of its input, of its hidden state, the two biases.
_STARTS = (
    (0, 40_960, 1_351_680, 1_352_704),
    (303_104, 565_248, 1_353_728, 1_354_752),
    (827_392, 1_089_536, 1_355_776, 1_356_800),
)
# torch keeps the gates as input, forget, cell, output; ONNX wants input, output, forget, cell.
_GATE_ORDER = (0, 3, 1, 2)
_COUNT_BYTES, _FLOAT_BYTES = 8, 4

Floats = NDArray[np.float32]


def build(pretrained: bytes) -> bytes:
    """Return the network, always the same bytes for the same weights.

    It takes `mel`, n x 160 x 40, and gives `voice`, n x 256, of length 1; all zeros where the rectifier left nothing.
    """
    lstm = _storage(pretrained, *_LSTM)
    constants: dict[str, NDArray[np.generic]] = {"direction": np.array([1], np.int64)}
    nodes = [OnnxNode("Transpose", (INPUT,), ("frames_0",), {"perm": (1, 0, 2)})]
    for layer in range(_LAYERS):
        weights = tuple(f"{kind}_{layer}" for kind in ("input", "hidden", "bias"))
        constants |= dict(zip(weights, _layer(lstm, layer), strict=True))
        given = ("", "last") if layer == _LAYERS - 1 else (f"directed_{layer}",)
        nodes.append(OnnxNode("LSTM", (f"frames_{layer}", *weights), given, {"hidden_size": _HIDDEN}))
        if layer < _LAYERS - 1:
            nodes.append(OnnxNode("Squeeze", (given[0], "direction"), (f"frames_{layer + 1}",)))
    constants["first"] = np.array([0], np.int64)
    constants["linear"] = _storage(pretrained, *_LINEAR).reshape(DIMENSIONS, _HIDDEN)
    constants["linear_bias"] = _storage(pretrained, *_BIAS)
    nodes += [
        OnnxNode("Squeeze", ("last", "first"), ("summary",)),
        OnnxNode("Gemm", ("summary", "linear", "linear_bias"), ("projected",), {"transB": 1}),
        OnnxNode("Relu", ("projected",), ("positive",)),
        OnnxNode("LpNormalization", ("positive",), (OUTPUT,), {"axis": 1, "p": 2}),
    ]
    shapes = {INPUT: ("n", FRAMES, BANDS)}, {OUTPUT: ("n", DIMENSIONS)}
    return write_network(nodes, *shapes, constants, name="voice")


def _storage(content: bytes, start: int, count: int) -> Floats:
    """Return the numbers of a storage; how many there are stands before them in the file."""
    told = int.from_bytes(content[start - _COUNT_BYTES : start], "little")
    assert told == count, f"{told} numbers at {start}, not {count}"
    return np.frombuffer(content, "<f4", count, start)


def _layer(lstm: Floats, layer: int) -> tuple[Floats, Floats, Floats]:
    """Return the weights of a layer as ONNX's LSTM wants them.

    Those of its input, 1 x 1024 x width, of its hidden state, 1 x 1024 x 256, and both biases in a row, 1 x 2048.
    """
    width = BANDS if layer == 0 else _HIDDEN
    rows = _GATES * _HIDDEN
    at_input, at_hidden, at_bias, at_hidden_bias = _STARTS[layer]
    of_input = _ordered(lstm[at_input : at_input + rows * width].reshape(rows, width))
    of_hidden = _ordered(lstm[at_hidden : at_hidden + rows * _HIDDEN].reshape(rows, _HIDDEN))
    biases = [_ordered(lstm[at : at + rows].reshape(rows, 1)) for at in (at_bias, at_hidden_bias)]
    return of_input[None], of_hidden[None], np.concatenate(biases).reshape(1, 2 * rows)


def _ordered(rows: Floats) -> Floats:
    gates = rows.reshape(_GATES, _HIDDEN, rows.shape[1])
    return np.ascontiguousarray(gates[list(_GATE_ORDER)].reshape(rows.shape))
