"""Reads the heads of coded pictures, to tell without decoding which packets show a picture and of what size it is."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from av.packet import Packet
from av.video.stream import VideoStream

_START_CODE = re.compile(b"\x00\x00\x00?\x01")
_LENGTH_BYTES = 4
_HEAD_BYTES = 1 << 13
_SEQUENCE_BYTES = 1 << 10
_SLICE_HEAD_BYTES = 32
_SEQUENCES = {"h264": 7, "hevc": 33}
_SLICES = {"h264": range(1, 6), "hevc": range(32)}
_SIZES = {
    "mpeg1video": re.compile(rb"\x00\x00\x01\xb3(.{3})", re.DOTALL),
    "mpeg2video": re.compile(rb"\x00\x00\x01\xb3(.{3})", re.DOTALL),
    "mpeg4": re.compile(rb"\x00\x00\x01[\x20-\x2f](.+?)\x00\x00\x01", re.DOTALL),
    "mjpeg": re.compile(rb"\xff[\xc0-\xc2].{3}(.{4})", re.DOTALL),
    "vp8": re.compile(rb"\A.{3}\x9d\x01\x2a(.{4})", re.DOTALL),
    "vp9": re.compile(rb"\A.{1,2}\x49\x83\x42(.{5})", re.DOTALL),
    "av1": re.compile(rb"\A(?:\x12\x00)?\x0a(.{10})", re.DOTALL),
}
"""Codec -> the part of a picture's head that holds its size."""
_HIGH_PROFILES = (100, 110, 122, 244, 44, 83, 86, 118, 128, 138, 139, 134, 135)
_FULL_CHROMA = 3
_VP8_SHOWN = 0x10


def split_units(content: bytes, codec: str, within: int | None = None) -> Iterator[tuple[int, bytes]]:
    """Yield the units of a packet of H.264 or HEVC, each after its kind (ITU-T H.264 and H.265, table 7-1).

    Where units have start codes, `within` says how many bytes are read; the last unit may be cut.
    """
    for begin, end in _length_spans(content) or _start_code_spans(content, within or len(content)):
        unit = content[begin:end].rstrip(b"\0")
        if unit:
            yield (unit[0] & 0x1F if codec == "h264" else unit[0] >> 1 & 0x3F), unit


def picture_units(content: bytes, codec: str) -> Iterator[bytes]:
    """Yield the coded pictures of a packet; other units describe the stream, and containers keep them differently."""
    if codec in _SLICES:
        yield from (unit for kind, unit in split_units(content, codec) if kind in _SLICES[codec])
    else:
        yield content


def _length_spans(content: bytes) -> list[tuple[int, int]]:
    """Return the spans of units of which each has its length before it; none where they have start codes."""
    spans, at = [], 0
    while at + _LENGTH_BYTES <= len(content):
        begin, at = at + _LENGTH_BYTES, at + _LENGTH_BYTES + int.from_bytes(content[at : at + _LENGTH_BYTES])
        spans.append((begin, at))
    return spans if at == len(content) else []


def _start_code_spans(content: bytes, within: int) -> Iterator[tuple[int, int]]:
    begin = None
    for code in _START_CODE.finditer(content, 0, within):
        if begin is not None:
            yield begin, code.start()
        begin = code.end()
    if begin is not None:
        yield begin, min(within, len(content))


class PictureHeads:
    """Reads the packets of one stream in the order of the file."""

    def __init__(self, stream: VideoStream) -> None:
        self._codec = stream.codec_context.codec.canonical_name
        self._sequence: _Sequence | None = None
        self._open_field: tuple[int, int] | None = None
        record = stream.codec_context.extradata or b""
        if self._codec == "h264" and record[:1] == b"\x01":
            self._read_sequence(record[8 : 8 + int.from_bytes(record[6:8])])
        elif self._codec == "h264":
            self._read_sequences(record)

    def is_picture(self, packet: "Packet[VideoStream]") -> bool:
        """Whether a packet shows a picture of its own; a second field and a hidden reference do not."""
        if self._codec == "vp8":
            return bool(memoryview(packet)[0] & _VP8_SHOWN)
        if self._sequence is None or not self._sequence.has_fields:
            return True
        field = self._read_field(bytes(packet), self._sequence)
        first, self._open_field = self._open_field, None
        if field is None or first is None or field[0] != first[0] or field[1] == first[1]:
            self._open_field = field
            return True
        return False

    def size_mark(self, packet: "Packet[VideoStream]") -> bytes:
        """Return bytes of a key packet that change when its size does; none where it does not say it."""
        changed = bytes(packet.get_sidedata("new_extradata")) if packet.has_sidedata("new_extradata") else b""
        content = bytes(packet)
        if self._codec in _SEQUENCES:
            return changed + self._read_sequences(content)
        found = _SIZES[self._codec].search(content, 0, _HEAD_BYTES) if self._codec in _SIZES else None
        return changed + (found[1] if found else b"")

    def _read_sequences(self, content: bytes) -> bytes:
        wanted = _SEQUENCES[self._codec]
        units = [unit for kind, unit in split_units(content, self._codec, _HEAD_BYTES) if kind == wanted]
        if units and self._codec == "h264":
            self._read_sequence(units[0])
        return b"".join(units)

    def _read_sequence(self, unit: bytes) -> None:
        try:
            self._sequence = _Sequence.read(unit)
        except ValueError:
            return

    def _read_field(self, content: bytes, sequence: "_Sequence") -> tuple[int, int] | None:
        slices = (unit for kind, unit in split_units(content, self._codec, _HEAD_BYTES) if kind in _SLICES["h264"])
        try:
            return sequence.read_field(next(slices, b""))
        except ValueError:
            return None


@dataclass(frozen=True, slots=True)
class _Sequence:
    """What a sequence parameter set says about the heads of slices (ITU-T H.264, 7.3.2.1.1 and 7.3.3)."""

    number_bits: int
    has_planes_apart: bool
    has_fields: bool

    @classmethod
    def read(cls, unit: bytes) -> "_Sequence":
        bits = _BitReader(unit[1:_SEQUENCE_BYTES])
        profile = bits.read(8)
        bits.read(16)
        bits.read_code()
        apart = False
        if profile in _HIGH_PROFILES:
            chroma = bits.read_code()
            apart = chroma == _FULL_CHROMA and bool(bits.read(1))
            bits.skip_codes(2)
            bits.read(1)
            if bits.read(1):
                _skip_scaling_lists(bits, 12 if chroma == _FULL_CHROMA else 8)
        number_bits = bits.read_code() + 4
        order = bits.read_code()
        if order == 0:
            bits.read_code()
        elif order == 1:
            bits.read(1)
            bits.skip_codes(2)
            bits.skip_codes(bits.read_code())
        bits.read_code()
        bits.read(1)
        bits.skip_codes(2)
        return cls(number_bits, apart, not bits.read(1))

    def read_field(self, unit: bytes) -> tuple[int, int] | None:
        """Return the number of a field's frame and which field it is; None for a whole frame."""
        bits = _BitReader(unit[1:_SLICE_HEAD_BYTES])
        bits.skip_codes(3)
        if self.has_planes_apart:
            bits.read(2)
        number = bits.read(self.number_bits)
        return (number, bits.read(1)) if bits.read(1) else None


def _skip_scaling_lists(bits: "_BitReader", count: int) -> None:
    for number in range(count):
        if not bits.read(1):
            continue
        last = following = 8
        for _ in range(16 if number < 6 else 64):
            if following:
                code = bits.read_code()
                following = (last + (code + 1 >> 1 if code & 1 else -(code >> 1))) % 256
            last = following or last


class _BitReader:
    """Reads a unit bit by bit (ITU-T H.264, 7.2 and 9.1); a ValueError where it ends."""

    def __init__(self, content: bytes) -> None:
        plain = content.replace(b"\0\0\3", b"\0\0")
        self._value, self._left = int.from_bytes(plain), 8 * len(plain)

    def read(self, count: int) -> int:
        self._left -= count
        return self._value >> self._left & (1 << count) - 1

    def read_code(self) -> int:
        """Read a number of variable length (Exp-Golomb)."""
        zeros = 0
        while not self.read(1):
            zeros += 1
        return (1 << zeros) - 1 + self.read(zeros)

    def skip_codes(self, count: int) -> None:
        for _ in range(count):
            self.read_code()
