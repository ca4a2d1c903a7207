"""Builds a MediaPipe FaceLandmarker bundle from two networks in the wheel of mediapipe 0.10.21.

The Tasks API wants one output of 478 points and one that says whether there is a face. The attention network has seven:
the mesh, refined lips, eyes and irises, and the flag. What put them together was MediaPipe's
LandmarksRefinementCalculator; here the network's own graph does it: the refined x and y take the place of the mesh's,
and an iris is as deep as the mean of its eye's outline.
"""

import io
import zipfile
from collections.abc import Sequence
from typing import Any

import flatbuffers
import numpy as np
from numpy.typing import NDArray

from models.runtime.mediapipe_tasks import left_out

with left_out():
    from mediapipe.tasks.metadata import metadata_schema_py_generated as metadata_schema
    from mediapipe.tasks.metadata import schema_py_generated as schema

# Which points of the mesh the refined parts are, in their order (MediaPipe, face_landmark.pbtxt).
_LIPS = (
    *(61, 146, 91, 181, 84, 17, 314, 405, 321, 375, 291, 185, 40, 39, 37, 0, 267, 269, 270, 409),
    *(78, 95, 88, 178, 87, 14, 317, 402, 318, 324, 308, 191, 80, 81, 82, 13, 312, 311, 310, 415),
    *(76, 77, 90, 180, 85, 16, 315, 404, 320, 307, 306, 184, 74, 73, 72, 11, 302, 303, 304, 408),
    *(62, 96, 89, 179, 86, 15, 316, 403, 319, 325, 292, 183, 42, 41, 38, 12, 268, 271, 272, 407),
)
_FIRST_EYE = (
    *(33, 7, 163, 144, 145, 153, 154, 155, 133, 246, 161, 160, 159, 158, 157, 173),
    *(130, 25, 110, 24, 23, 22, 26, 112, 243, 247, 30, 29, 27, 28, 56, 190),
    *(226, 31, 228, 229, 230, 231, 232, 233, 244, 113, 225, 224, 223, 222, 221, 189),
    *(35, 124, 46, 53, 52, 65, 143, 111, 117, 118, 119, 120, 121, 128, 245, 156, 70, 63, 105, 66, 107, 55, 193),
)
_SECOND_EYE = (
    *(263, 249, 390, 373, 374, 380, 381, 382, 362, 466, 388, 387, 386, 385, 384, 398),
    *(359, 255, 339, 254, 253, 252, 256, 341, 463, 467, 260, 259, 257, 258, 286, 414),
    *(446, 261, 448, 449, 450, 451, 452, 453, 464, 342, 445, 444, 443, 442, 441, 413),
    *(265, 353, 276, 283, 282, 295, 372, 340, 346, 347, 348, 349, 350, 357, 465, 383, 300, 293, 334, 296, 336, 285),
    417,
)
_OUTLINE = 16
_MESH, _IRIS = 468, 5
_POINTS = _MESH + 2 * _IRIS
_MEMBERS = ("face_landmarks_detector.tflite", "face_detector.tflite")
_ALIGNED = 16
_LOCAL_HEADER = 30
# An extra field of a zip file that only fills: its number, and the four bytes of its own header.
_FILLER, _FILLER_HEADER = b"\x35\xd9", 4
_DAY_ONE = (1980, 1, 1, 0, 0, 0)
_START_BYTES = 4 << 20


def build(attention: bytes, detector: bytes) -> bytes:
    """Return the bundle, always the same bytes for the same networks."""
    networks = dict(zip(_MEMBERS, (one_output(attention), detector), strict=True))
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_STORED) as bundle:
        for name in sorted(networks):
            member = zipfile.ZipInfo(name, _DAY_ONE)
            # The members are mapped into memory as they lie in the file, so their content must start aligned.
            fill = -(made.tell() + _LOCAL_HEADER + len(name) + _FILLER_HEADER) % _ALIGNED
            member.extra = _FILLER + fill.to_bytes(2, "little") + bytes(fill)
            bundle.writestr(member, networks[name])
    return made.getvalue()


def one_output(attention: bytes) -> bytes:
    """Return the attention network with two outputs: 478 x 3 numbers, and whether there is a face."""
    graph = _TfliteGraph(attention)
    mesh, lips, first_eye, second_eye, first_iris, second_iris, flag = graph.outputs
    depths = [
        graph.mean(graph.gather(mesh, [3 * point + 2 for point in eye[:_OUTLINE]], f"{name}_pts"), name)
        for name, eye in (("zl", _FIRST_EYE), ("zr", _SECOND_EYE))
    ]
    parts = [mesh, lips, first_eye, second_eye, first_iris, second_iris, *depths]
    points = graph.gather(graph.concatenate(parts, "all_parts"), refined_order(), "landmarks_478")
    graph.outputs = [points, flag]
    graph.name_outputs(["landmarks", "presence"])
    return graph.content()


def refined_order() -> list[int]:
    """Return where each of 478 x 3 numbers is found in mesh, lips, eyes, irises and depths of the irises in a row."""
    order = np.zeros((_POINTS, 3), np.int64)
    order[:_MESH] = np.arange(3 * _MESH).reshape(-1, 3)
    at = 3 * _MESH
    irises = (range(_MESH, _MESH + _IRIS), range(_MESH + _IRIS, _POINTS))
    for part in (_LIPS, _FIRST_EYE, _SECOND_EYE, *irises):
        order[list(part), :2] = at + np.arange(2 * len(part)).reshape(-1, 2)
        at += 2 * len(part)
    for depth, iris in enumerate(irises):
        order[list(iris), 2] = at + depth
    return [int(number) for number in order.reshape(-1)]


class _TfliteGraph:
    """A TFLite network whose graph is added to at its end; all that is added works on rows of numbers, 1x1x1xn."""

    def __init__(self, content: bytes) -> None:
        self._model = schema.ModelT.InitFromObj(schema.Model.GetRootAs(content, 0))
        self._graph = self._model.subgraphs[0]
        self._graph.operators = list(self._graph.operators)
        self._graph.tensors = list(self._graph.tensors)
        self._model.buffers = list(self._model.buffers)

    @property
    def outputs(self) -> list[int]:
        """The tensors that the network gives, by number."""
        return [int(number) for number in self._graph.outputs]

    @outputs.setter
    def outputs(self, numbers: Sequence[int]) -> None:
        self._graph.outputs = np.array(numbers, np.int32)

    def gather(self, source: int, order: Sequence[int], name: str) -> int:
        """Take some numbers of a row, in an order."""
        chosen = self._constant(f"{name}_idx", order)
        options = schema.GatherOptionsT()
        options.axis = 3
        row = self._row(name, len(order))
        return self._apply("GATHER", [source, chosen], row, options, "GatherOptions")

    def mean(self, source: int, name: str) -> int:
        """Take the mean of a row."""
        axis = self._constant(f"{name}_ax", [3])
        options = schema.ReducerOptionsT()
        options.keepDims = True
        return self._apply("MEAN", [source, axis], self._row(name, 1), options, "ReducerOptions")

    def concatenate(self, sources: Sequence[int], name: str) -> int:
        """Put rows behind each other."""
        length = sum(int(self._graph.tensors[source].shape[-1]) for source in sources)
        options = schema.ConcatenationOptionsT()
        options.axis = 3
        return self._apply("CONCATENATION", sources, self._row(name, length), options, "ConcatenationOptions")

    def name_outputs(self, names: Sequence[str]) -> None:
        """Let the metadata speak of the outputs that there are now."""
        for entry in self._model.metadata or ():
            if entry.name != b"TFLITE_METADATA":
                continue
            buffer = self._model.buffers[entry.buffer]
            told = metadata_schema.ModelMetadataT.InitFromObj(
                metadata_schema.ModelMetadata.GetRootAs(bytes(buffer.data), 0)
            )
            told.subgraphMetadata[0].outputTensorMetadata = [_tensor_metadata(name) for name in names]
            buffer.data = np.frombuffer(_packed(told, 1024, b"M001"), np.uint8)

    def content(self) -> bytes:
        """Return the network as a file."""
        return _packed(self._model, _START_BYTES, b"TFL3")

    def _row(self, name: str, length: int) -> int:
        return self._tensor(name, [1, 1, 1, length], schema.TensorType.FLOAT32, 0)

    def _constant(self, name: str, values: Sequence[int]) -> int:
        buffer = schema.BufferT()
        content: NDArray[np.int32] = np.array(values, np.int32)
        buffer.data = content.view(np.uint8)
        self._model.buffers.append(buffer)
        return self._tensor(name, [len(values)], schema.TensorType.INT32, len(self._model.buffers) - 1)

    def _tensor(self, name: str, shape: Sequence[int], kind: int, buffer: int) -> int:
        tensor = schema.TensorT()
        tensor.name, tensor.shape, tensor.type, tensor.buffer = name, np.array(shape, np.int32), kind, buffer
        self._graph.tensors.append(tensor)
        return len(self._graph.tensors) - 1

    def _apply(self, operator: str, sources: Sequence[int], target: int, options: Any, kind: str) -> int:
        applied = schema.OperatorT()
        applied.opcodeIndex = self._code(getattr(schema.BuiltinOperator, operator))
        applied.inputs, applied.outputs = np.array(sources, np.int32), np.array([target], np.int32)
        applied.builtinOptions, applied.builtinOptionsType = options, getattr(schema.BuiltinOptions, kind)
        self._graph.operators.append(applied)
        return target

    def _code(self, wanted: int) -> int:
        codes = self._model.operatorCodes
        for number, code in enumerate(codes):
            if max(code.builtinCode, code.deprecatedBuiltinCode) == wanted:
                return number
        code = schema.OperatorCodeT()
        code.builtinCode = code.deprecatedBuiltinCode = wanted
        code.version = 1
        codes.append(code)
        return len(codes) - 1


def _tensor_metadata(name: str) -> Any:
    made = metadata_schema.TensorMetadataT()
    made.name = name
    return made


def _packed(table: Any, start: int, identifier: bytes) -> bytes:
    builder = flatbuffers.Builder(start)
    builder.Finish(table.Pack(builder), identifier)
    return bytes(builder.Output())
