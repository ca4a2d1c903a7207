"""H.264 whose fields are pictures of their own (PAFF), as camcorders write it; all its blocks are stored (I_PCM)."""

from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

import av
import numpy as np
from av.packet import Packet
from numpy.typing import NDArray

from tests.builders.clips import numbered

WIDTH, HEIGHT, RATE = 96, 64, 25
_BLOCK = 16
_GOP = 12
_TICKS = 90_000
_SAMPLES = 1_152
_SOUND_RATE = 48_000


def make_field_clip(
    path: Path,
    *,
    packets: str = "fields",
    whole: Callable[[int], bool] = lambda frame: False,
    late_us: int = 0,
) -> Path:
    """Write a clip of 30 numbered frames, 25 a second, with silence, and return its path.

    Args:
        path: its suffix names the container.
        packets: `fields`: each field in a packet with a time stamp; `frames`: both fields in one packet.
        whole: tells of a frame whether it is coded as one picture.
        late_us: how long after the sound the pictures begin.
    """
    step = _TICKS // RATE
    with av.open(str(path), "w") as output:
        stream = output.add_stream("h264", rate=RATE)
        stream.width, stream.height, stream.pix_fmt, stream.time_base = WIDTH, HEIGHT, "yuv420p", Fraction(1, _TICKS)
        stream.codec_context.extradata = _sequence() + _picture_set()
        track = output.add_stream("mp2", rate=_SOUND_RATE, layout="mono")
        sent = 0
        for frame in range(30):
            while sent * RATE < (frame + 1) * _SOUND_RATE:
                block = av.AudioFrame.from_ndarray(np.zeros((1, _SAMPLES), np.int16), format="s16", layout="mono")
                block.sample_rate, block.time_base = _SOUND_RATE, Fraction(1, _SOUND_RATE)
                block.pts = sent + _SOUND_RATE
                sent += _SAMPLES
                output.mux(track.encode(block))
            coded = _code(frame, whole(frame))
            parts = coded if packets == "fields" else [b"".join(coded)]
            for place, content in enumerate(parts):
                packet = Packet(content)
                packet.stream, packet.time_base = stream, Fraction(1, _TICKS)
                packet.pts = packet.dts = (
                    _TICKS + round(late_us * _TICKS / 1e6) + frame * step + place * step // len(parts)
                )
                packet.duration = step // len(parts)
                packet.is_keyframe = frame % _GOP == 0 and place == 0
                output.mux(packet)
        output.mux(track.encode(None))
    return path


def _code(frame: int, is_whole: bool) -> list[bytes]:
    luma = numbered(frame, WIDTH, HEIGHT).mean(axis=2).astype(np.uint8)
    number, is_first = frame % _GOP, frame % _GOP == 0
    fields = [None] if is_whole else [0, 1]
    coded = [
        _slice(luma if field is None else luma[field::2], number, field, frame // _GOP % 2, is_first and not field)
        for field in fields
    ]
    return [(_sequence() + _picture_set() if is_first else b"") + coded[0], *coded[1:]]


def _slice(luma: NDArray[np.uint8], number: int, field: int | None, refresh: int, is_refresh: bool) -> bytes:
    bits = _BitWriter().codes(0, 7, 0).write(number, 4)
    bits.write(0, 1) if field is None else bits.write(1, 1).write(field, 1)
    if is_refresh:
        bits.codes(refresh)
    bits.write(2 * number + (field or 0), 8).write(0, 2 if is_refresh else 1).codes(0)
    for top in range(0, luma.shape[0], _BLOCK):
        for left in range(0, luma.shape[1], _BLOCK):
            bits.codes(25).align()
            block = np.maximum(luma[top : top + _BLOCK, left : left + _BLOCK], 1)
            bits.write(int.from_bytes(block.tobytes() + bytes([128]) * (_BLOCK * _BLOCK // 2)), 12 * _BLOCK * _BLOCK)
    return _unit(5 if is_refresh else 1, bits)


def _sequence() -> bytes:
    """ITU-T H.264, 7.3.2.1.1: Main profile, fields allowed, 50 of them a second."""
    bits = _BitWriter().write(77, 8).write(0, 8).write(30, 8).codes(0, 0, 0, 4, 1).write(0, 1)
    bits.codes(WIDTH // _BLOCK - 1, HEIGHT // (2 * _BLOCK) - 1).write(0, 1).write(0, 1).write(1, 1).write(0, 1)
    bits.write(1, 1).write(0, 4).write(1, 1).write(1, 32).write(2 * RATE, 32).write(1, 1).write(0, 4)
    return _unit(7, bits)


def _picture_set() -> bytes:
    bits = _BitWriter().codes(0, 0).write(0, 2).codes(0, 0, 0).write(0, 3).codes(0, 0, 0).write(0, 3)
    return _unit(8, bits)


def _unit(kind: int, bits: "_BitWriter") -> bytes:
    written, zeros = bytearray([3 << 5 | kind]), 0
    for byte in bits.write(1, 1).align().content():
        if zeros >= 2 and byte <= 3:
            written.append(3)
            zeros = 0
        written.append(byte)
        zeros = zeros + 1 if byte == 0 else 0
    return b"\0\0\0\1" + bytes(written)


class _BitWriter:
    def __init__(self) -> None:
        self._value, self._count = 0, 0

    def write(self, value: int, count: int) -> "_BitWriter":
        self._value, self._count = self._value << count | value, self._count + count
        return self

    def codes(self, *values: int) -> "_BitWriter":
        """Write numbers of variable length (9.1)."""
        for value in values:
            self.write(value + 1, 2 * (value + 1).bit_length() - 1)
        return self

    def align(self) -> "_BitWriter":
        return self.write(0, -self._count % 8)

    def content(self) -> bytes:
        return self._value.to_bytes(self._count // 8)
