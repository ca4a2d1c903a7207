"""Recognising footage in another container: its encoded pictures are the same, whatever stands around them."""

import hashlib
import re
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

import av

from media.source import opened, picture_stream, sound_stream
from project.errors import UserError

_PACKETS = 24
_SOUND_BYTES = 1 << 18
_START_CODE = re.compile(b"\x00\x00\x00?\x01")
_LENGTH_BYTES = 4
_UNITS_WITH_PICTURES = {"h264": lambda unit: 1 <= unit[0] & 0x1F <= 5, "hevc": lambda unit: (unit[0] >> 1) & 0x3F < 32}
"""Codec -> whether a unit holds picture data; others describe the stream, and containers keep them differently."""


def stream_digest(path: Path) -> str:
    """Return a checksum over the first encoded pictures of a file, or the first sound where it has none.

    It is the same after the streams were copied into another container. A file that was encoded anew, or begins later,
    has another one. "" where the file has neither.

    Raises:
        UserError: it is no media file, or cannot be read.
    """
    digest, count = hashlib.blake2b(digest_size=16), 0
    try:
        with opened(path) as container:
            pictures = picture_stream(container)
            stream = pictures or sound_stream(container)
            if stream is None:
                return ""
            codec = stream.codec_context.name
            packets = (bytes(packet) for packet in container.demux(stream) if packet.size)
            for content in islice(packets, _PACKETS) if pictures is not None else _sound(packets, codec):
                for unit in _units(content, codec):
                    digest.update(unit)
                    count += 1
    except av.FFmpegError as error:
        raise UserError(f"{path.name} cannot be read: {error.strerror}.", "It may be damaged.") from None
    return digest.hexdigest() if count else ""


def _sound(packets: Iterator[bytes], codec: str) -> Iterator[bytes]:
    """Yield the beginning of the sound as one piece: containers part it as they like, and some write heads into it."""
    content = bytearray()
    for packet in packets:
        # MPEG-TS and bare AAC begin each packet with a head (ADTS; ISO/IEC 13818-7, 6.2), of 9 bytes with a checksum.
        has_head = codec == "aac" and len(packet) > 1 and packet[0] == 0xFF and packet[1] & 0xF6 == 0xF0
        content += packet[(7 if packet[1] & 1 else 9) if has_head else 0 :]
        if len(content) >= _SOUND_BYTES:
            break
    if content:
        yield bytes(content[:_SOUND_BYTES])


def _units(content: bytes, codec: str) -> Iterator[bytes]:
    holds_picture = _UNITS_WITH_PICTURES.get(codec)
    if holds_picture is None:
        yield content
        return
    units = _with_lengths(content)
    if units is None:
        units = [unit.rstrip(b"\0") for unit in _START_CODE.split(content)]
    yield from (unit for unit in units if unit and holds_picture(unit))


def _with_lengths(content: bytes) -> list[bytes] | None:
    """Return the units of a packet in which each has its length before it; None where they have start codes."""
    units, at = [], 0
    while at + _LENGTH_BYTES <= len(content):
        end = at + _LENGTH_BYTES + int.from_bytes(content[at : at + _LENGTH_BYTES])
        units.append(content[at + _LENGTH_BYTES : end].rstrip(b"\0"))
        at = end
    return units if at == len(content) else None
