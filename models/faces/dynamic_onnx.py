"""Makes a network file with fixed shapes take pictures of any size, and run at full speed.

The stored CenterFace says that its input is 10x3x32x32 and lists its weights among the inputs of the graph, as
files of ONNX IR version 3 had to. onnxruntime must then assume that weights may be replaced at run time and fuses
nothing: without that list it is twice as fast. The few fields concerned are rewritten here on the wire format of
protocol buffers, so that the `onnx` package is not needed.
"""

from collections.abc import Iterator

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

    Raises:
        ValueError: these bytes are not a network.
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
