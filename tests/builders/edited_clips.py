"""Files as cutting without encoding leaves them: with edit lists, beginning anywhere, without some of their packets."""

import struct
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import av
from av.packet import Packet

_HEAD = 8
_MOVIE_TICKS = 1_000


def with_edits(source: Path, target: Path, edits: Sequence[tuple[float, float]]) -> Path:
    """Copy an MP4 file whose tables come last, with an edit list for every track (ISO/IEC 14496-12, 8.6.6).

    Args:
        source: an MP4 file.
        target: of the copy.
        edits: what is shown one after the other: from which second on the pictures' and the sound's time, and how many
            seconds. A start of -1 shows nothing for so long.
    """
    content = source.read_bytes()
    *others, (kind, movie) = _boxes(content)
    assert kind == b"moov", [name for name, _ in others]
    tracks = (_with_edit_list(body, edits) if name == b"trak" else _box(name, body) for name, body in _boxes(movie))
    target.write_bytes(b"".join(_box(name, body) for name, body in others) + _box(b"moov", b"".join(tracks)))
    return target


def _with_edit_list(track: bytes, edits: Sequence[tuple[float, float]]) -> bytes:
    parts = dict(_boxes(track))
    header = dict(_boxes(parts[b"mdia"]))[b"mdhd"]
    (ticks,) = struct.unpack_from(">I", header, 12)
    zero = 0
    if b"edts" in parts:
        (zero,) = struct.unpack_from(">i", dict(_boxes(parts[b"edts"]))[b"elst"], 12)
    entries = b"".join(
        struct.pack(">IiI", round(length * _MOVIE_TICKS), -1 if start < 0 else round(start * ticks) + zero, 1 << 16)
        for start, length in edits
    )
    parts[b"edts"] = _box(b"elst", struct.pack(">II", 0, len(edits)) + entries)
    order = [b"tkhd", b"edts", *(name for name in parts if name not in (b"tkhd", b"edts"))]
    return _box(b"trak", b"".join(_box(name, parts[name]) for name in order))


def _boxes(content: bytes) -> Iterator[tuple[bytes, bytes]]:
    at = 0
    while at < len(content):
        size, name = struct.unpack_from(">I4s", content, at)
        yield name, content[at + _HEAD : at + size]
        at += size


def _box(name: bytes, body: bytes) -> bytes:
    return struct.pack(">I4s", _HEAD + len(body), name) + body


def copied(
    source: Path,
    target: Path,
    *,
    wanted: Callable[[Packet, int], bool] = lambda packet, number: True,
    later_us: int = 0,
) -> Path:
    """Copy packets into another file, without encoding.

    Args:
        source: the file.
        target: its suffix names the container.
        wanted: tells of a packet, and its number in its stream, whether it is copied.
        later_us: added to all time stamps.
    """
    counts: dict[int, int] = {}
    ends: dict[int, int] = {}
    with av.open(str(source)) as reading, av.open(str(target), "w") as writing:
        streams = {stream.index: writing.add_stream_from_template(stream) for stream in reading.streams}
        for packet in reading.demux():
            if not packet.size:
                continue
            if packet.dts is None and packet.pts is None:
                packet.pts = packet.dts = ends.get(packet.stream_index, 0)
            ends[packet.stream_index] = (packet.pts if packet.dts is None else packet.dts) + (packet.duration or 0)
            number = counts.get(packet.stream_index, 0)
            counts[packet.stream_index] = number + 1
            if wanted(packet, number):
                _move(packet, later_us)
                packet.stream = streams[packet.stream_index]
                writing.mux(packet)
    return target


def _move(packet: Packet, later_us: int) -> None:
    ticks = round(later_us / 1_000_000 / packet.time_base)
    packet.pts = None if packet.pts is None else packet.pts + ticks
    packet.dts = None if packet.dts is None else packet.dts + ticks


def joined(first: Path, second: Path, target: Path, later_us: int) -> Path:
    """Write the pictures of two files into one stream, those of the second so much later."""
    with av.open(str(first)) as before, av.open(str(second)) as after, av.open(str(target), "w") as writing:
        stream = writing.add_stream_from_template(before.streams.video[0])
        for reading, shift_us in ((before, 0), (after, later_us)):
            for packet in reading.demux(video=0):
                if packet.size:
                    _move(packet, shift_us)
                    packet.stream = stream
                    writing.mux(packet)
    return target
