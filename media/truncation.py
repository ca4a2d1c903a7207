"""Measures how much a truncated file lacks of what its own tables declare: such files often open without an error."""

from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import BinaryIO

import av
import numpy as np
from av.audio.stream import AudioStream
from av.container import InputContainer
from av.stream import Disposition
from av.video.stream import VideoStream

from media.source import axis_start_us, explain_open_errors, open_media, ticks_to_us
from project.files.filesystem import read_regular
from project.timebase import SECOND_US

_LOOK_US = 5 * SECOND_US
_LEAST_US = SECOND_US // 10
_LEAST_TAIL = 4096
_TAIL_PER_SECOND = 256
_SEGMENT = bytes.fromhex("18538067")
_CLUSTER = bytes.fromhex("1f43b675")
_CHUNK_HEAD = 8
_RIFF_HEAD = 12
_TS_PACKETS = ((0, 188), (4, 192), (0, 204))
_TS_SYNC = 0x47
_MAX_PARTS = 200_000
"""Boxes, chunks or elements of a file; what has more is not looked at to its end."""


def missing_us(container: InputContainer, path: Path) -> int:
    """Return how many microseconds at least are missing at the end of a file; 0 where nothing is known to be.

    What is compared depends on the container. MP4: the places of the samples in its tables with the size of the file.
    Matroska and AVI: the declared length with where the packets end, which counts only together with a file that is
    smaller than it says or with many bytes after the last packet that is found, since a last picture may be shown for
    long. MPEG-TS: whether it ends with a whole packet; it declares no more than that. Live recordings declare nothing.
    The position of the container is changed.
    """
    with explain_open_errors(path):
        return _missing_us(container, path)


def _missing_us(container: InputContainer, path: Path) -> int:
    name, size = container.format.name, container.size
    if "mp4" in name:
        box = _cut_box(path, size)
        beyond = max((_lost_samples_us(stream, size, bool(box)) for stream in _streams(container)), default=0)
        if beyond or box in (b"", b"mdat"):
            return beyond
        return _missing_after_packets_us(container, path, True) or _gap_us(container)
    if "matroska" in name:
        cut, inside = _ends_in_segment(path, size)
        missing = _missing_after_packets_us(container, path, cut)
        return missing or (_gap_us(container) if inside else 0)
    if name == "avi":
        cut = _ends_in_riff(path, size)
        missing = _missing_after_packets_us(container, path, cut)
        return missing or (_gap_us(container) if cut and _ends_in_chunk(path, size) else 0)
    if name == "mpegts":
        return _gap_us(container) if _ends_in_packet(path, size) else 0
    return 0


def _streams(container: InputContainer) -> Iterator[VideoStream | AudioStream]:
    for stream in container.streams:
        if isinstance(stream, VideoStream | AudioStream) and not stream.disposition & Disposition.attached_pic:
            yield stream


def _lost_samples_us(stream: VideoStream | AudioStream, size: int, cut: bool) -> int:
    """How much of a stream lies in samples that end after the end of the file, going by the table of all samples."""
    entries = stream.index_entries
    if not len(entries) or not (cut or entries[-1].pos + entries[-1].size > size):
        return 0
    ends = np.array([(entry.timestamp, entry.pos + entry.size) for entry in entries], np.int64)
    lost = ends[ends[:, 1] > size, 0]
    if not len(lost):
        return 0
    gap = int(np.median(np.diff(ends[:, 0]))) if len(ends) > 1 else 1
    return max(1, _ticks_to_us(stream, int(ends[:, 0].max() - lost.min()) + gap))


def _missing_after_packets_us(container: InputContainer, path: Path, cut: bool) -> int:
    """How far before the declared end the last packets lie, if that means that some are lost."""
    declared = _declared(container)
    if not declared:
        return _gap_us(container) if cut else 0
    end, last = 0, 0
    if container.format.name != "avi":
        end, last = _last_packets(container, declared - _LOOK_US)
    if not last:
        # An AVI file that lost its table gives wrong times after a jump, a cut Matroska file may give no packet at all.
        with open_media(path) as fresh:
            end, last = _last_packets(fresh)
    short = declared - end
    tail = container.size - last > _LEAST_TAIL + _TAIL_PER_SECOND * declared // SECOND_US
    least = _gap_us(container) if cut else max(_LEAST_US, 2 * _gap_us(container))
    return short if (cut or tail) and 2 * short > least else 0


def _declared(container: InputContainer) -> int:
    if container.format.name == "avi":
        # Its duration is reduced to what the bytes are good for; the number of frames in its head is not.
        return max((_ticks_to_us(s, s.frames) for s in _streams(container) if isinstance(s, VideoStream)), default=0)
    return int(container.duration or 0)


def _last_packets(container: InputContainer, from_us: int = 0) -> tuple[int, int]:
    """Where the last packet ends on the recording's axis and in the file, reading from a time on; zeros for none."""
    wanted = {stream.index: stream for stream in _streams(container)}
    end = last = 0
    try:
        if from_us > 0:
            container.seek(from_us + axis_start_us(container))
        for packet in container.demux(list(wanted.values())):
            stamp = packet.dts if packet.pts is None else packet.pts
            if not packet.size or stamp is None:
                continue
            stream = wanted[packet.stream_index]
            length = _ticks_to_us(stream, packet.duration) if packet.duration else _frame_us(stream)
            end = max(end, _ticks_to_us(stream, stamp) - axis_start_us(container) + length)
            last = max(last, (packet.pos or 0) + packet.size)
    except av.FFmpegError:
        pass
    return end, last


def _gap_us(container: InputContainer) -> int:
    return max((_frame_us(stream) for stream in _streams(container)), default=0) or _LEAST_US


def _frame_us(stream: VideoStream | AudioStream) -> int:
    rate = stream.average_rate if isinstance(stream, VideoStream) else None
    return round(SECOND_US / rate) if rate else 0


def _ticks_to_us(stream: VideoStream | AudioStream, ticks: int) -> int:
    base = stream.time_base or Fraction(1, SECOND_US)
    return ticks_to_us(ticks, base.numerator, base.denominator)


def _cut_box(path: Path, size: int) -> bytes:
    """Return which part of an MP4 file its end cuts: `moov`, `mdat`, `moof` for any part of a fragment, or nothing."""
    fragmented = False
    with read_regular(path) as file:
        at = 0
        for _ in range(_MAX_PARTS):
            if at + _CHUNK_HEAD > size:
                break
            file.seek(at)
            head = file.read(2 * _CHUNK_HEAD)
            kind, length = head[4:8], int.from_bytes(head[:4], "big")
            if length == 1:
                length = int.from_bytes(head[8:16], "big")
            fragmented |= kind == b"moof"
            if length < _CHUNK_HEAD:
                return b""
            if at + length > size and kind in (b"moov", b"moof", b"mdat"):
                return b"moof" if fragmented else kind
            at += length
    return b""


def _ends_in_riff(path: Path, size: int) -> bool:
    """Whether an AVI file is smaller than its chunks say."""
    with read_regular(path) as file:
        at = 0
        for _ in range(_MAX_PARTS):
            if at + _RIFF_HEAD > size:
                break
            file.seek(at)
            head = file.read(_RIFF_HEAD)
            if head[:4] != b"RIFF":
                return False
            at += _CHUNK_HEAD + int.from_bytes(head[4:8], "little")
    return at > size


def _ends_in_chunk(path: Path, size: int) -> bool:
    """Whether the last packet of an AVI file has fewer bytes than its chunk says."""
    with open_media(path) as fresh, read_regular(path) as file:
        first = max((packet.pos or 0 for packet in fresh.demux() if packet.size), default=0)
        if first < _CHUNK_HEAD:
            return False
        file.seek(first - _CHUNK_HEAD // 2)
        return first + int.from_bytes(file.read(_CHUNK_HEAD // 2), "little") > size


def _ends_in_packet(path: Path, size: int) -> bool:
    """Whether an MPEG-TS file, of any of the three lengths of packets, ends within a packet."""
    with read_regular(path) as file:
        head = file.read(2 * _TS_PACKETS[-1][1])
    for first, length in _TS_PACKETS:
        places = range(first, len(head), length)
        if len(places) > 1 and all(head[place] == _TS_SYNC for place in places):
            return size % length != 0
    return False


def _ends_in_segment(path: Path, size: int) -> tuple[bool, bool]:
    """Whether a Matroska file is smaller than it says, and whether it ends within pictures or sound."""
    with read_regular(path) as file:
        at, end = 0, 0
        for _ in range(_MAX_PARTS):
            file.seek(at)
            kind, length = _element(file)
            if length is None:
                return False, False
            if kind == _SEGMENT:
                at = file.tell()
                end = at + length
                if end <= size:
                    return False, False
                continue
            after = file.tell() + length
            if after > size or not kind:
                return bool(end), kind == _CLUSTER
            at = after
    return False, False


def _element(file: BinaryIO) -> tuple[bytes, int | None]:
    """Read the name of an EBML element and its length, None where that is unknown (RFC 8794, sections 4 to 6)."""
    first = file.read(1)
    if not first or not first[0]:
        return b"", 0
    kind = first + file.read(8 - first[0].bit_length())
    head = file.read(1)
    if not head or not head[0]:
        return b"", 0
    more = 8 - head[0].bit_length()
    rest = file.read(more)
    value = int.from_bytes(head + rest, "big") & (1 << 7 * (more + 1)) - 1
    return kind, None if value == (1 << 7 * (more + 1)) - 1 else value
