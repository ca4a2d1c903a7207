"""Finds out what a media file contains without reading all of it, and digests its encoded pictures.

`stream_digest` recognises the same footage in another container.
"""

import hashlib
import re
from collections.abc import Iterator
from fractions import Fraction
from itertools import islice
from pathlib import Path

import av
import numpy as np
from av.audio.stream import AudioStream
from av.container import InputContainer
from av.video.stream import VideoStream

from media.frame_index import FrameIndex, first_frame, has_uneven_gaps, missing_us
from media.picture import FrameGeometry
from media.source import (
    axis_start_us,
    open_media,
    picture_stream,
    require_sound_stream,
    sound_stream,
    ticks_to_us,
    unreadable_error,
)
from project.entities.study_records import AudioFacts, MediaFacts, VideoFacts
from project.errors import UserError
from project.timebase import SECOND_US

_STILLS = ("image2", "tty")
_ENOUGH = 600


def probe(path: Path, index: FrameIndex | None = None, *, track: int = 0) -> MediaFacts:
    """Return the facts about a media file.

    With an index of the file, the number of frames, the rate and whether it varies are exact; without one they come
    from the container's own tables and the first frames. With a track, the facts about the sound are those of this
    sound track, counted from 1, else those of the container's default.

    Raises:
        UserError: missing, a folder, unreadable, empty, cut short, or not a video or sound file; or it has no such
            sound track.
    """
    with open_media(path) as container:
        name = " ".join(path.name.split())
        if container.format.name in _STILLS or container.format.name.endswith("_pipe"):
            raise UserError(f"{name} is a still picture, not a video.", "Choose a video or sound file.")
        picture = picture_stream(container)
        sound = require_sound_stream(container, path, track) if track else sound_stream(container)
        if picture is None and sound is None:
            raise unreadable_error(path)
        video = None if picture is None else _video(container, picture, name, index)
        audio = None if sound is None else _audio(container, sound)
        length = _length(container, video, audio)
        kind = container.format.name.split(",")[0]
        missing = missing_us(container, path) if index is None else index.missing_us
        return MediaFacts(kind, length, container.size, video, audio, missing)


def _video(container: InputContainer, stream: VideoStream, name: str, index: FrameIndex | None) -> VideoFacts:
    frame = first_frame(container, stream)
    if frame is None:
        raise UserError(f"The picture of {name} cannot be decoded.", "Convert it to MP4 (H.264) first.")
    varies = _has_variable_rate(stream, container) if index is None else index.variable_rate
    canvas = FrameGeometry.from_frame(frame, stream.sample_aspect_ratio)
    rate = float(stream.average_rate or stream.guessed_rate or 0)
    start, length = _stretch(container, stream)
    frames = stream.frames
    if index is not None:
        start = index.times.time_of(0)
        length = index.times.end_us - start
        frames = len(index)
        rate = frames * SECOND_US / length if length else rate
    return VideoFacts(
        codec=stream.codec_context.codec.canonical_name,
        width=canvas.width,
        height=canvas.height,
        rotation=canvas.rotation,
        frame_rate=rate,
        variable_rate=varies,
        frames=frames,
        start_us=start,
        duration_us=length,
        pixel_format=frame.format.name,
        bit_depth=frame.format.components[0].bits,
    )


def _audio(container: InputContainer, stream: AudioStream) -> AudioFacts:
    start, length = _stretch(container, stream)
    codec = stream.codec_context
    tracks = [each_stream.index for each_stream in container.streams.audio]
    return AudioFacts(
        codec.codec.canonical_name,
        codec.sample_rate,
        codec.channels,
        start,
        length,
        tracks.index(stream.index) + 1,
        len(tracks),
    )


def _stretch(container: InputContainer, stream: VideoStream | AudioStream) -> tuple[int, int]:
    """Start and length of a stream on the recording's axis; the container's length where it has none."""
    base = stream.time_base or Fraction(1, SECOND_US)
    start = (
        ticks_to_us(stream.start_time, base.numerator, base.denominator) - axis_start_us(container)
        if stream.start_time
        else 0
    )
    if stream.start_time == 0:
        start = -axis_start_us(container)
    if stream.duration:
        return start, ticks_to_us(stream.duration, base.numerator, base.denominator)
    return start, max(0, int(container.duration or 0) - start)


def _length(container: InputContainer, video: VideoFacts | None, audio: AudioFacts | None) -> int:
    ends = [facts.start_us + facts.duration_us for facts in (video, audio) if facts is not None]
    return int(container.duration or max(ends))


def _has_variable_rate(stream: VideoStream, container: InputContainer) -> bool:
    """Look at the container's own table of all frames, or at the first frames where it has none."""
    entries = stream.index_entries
    if stream.frames and len(entries) == stream.frames:
        return has_uneven_gaps(np.array([entry.timestamp for entry in entries], np.int64))
    found: list[int] = []
    try:
        for packet in container.demux(stream):
            if packet.pts is not None:
                found.append(packet.pts)
            if len(found) >= _ENOUGH:
                break
    except av.FFmpegError:
        return False
    # The last ones may still miss a neighbour that is stored after them.
    return has_uneven_gaps(np.unique(np.array(found, np.int64))[: -16 if len(found) >= _ENOUGH else None])


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
        with open_media(path) as container:
            pictures = picture_stream(container)
            stream = pictures or sound_stream(container)
            if stream is None:
                return ""
            codec = stream.codec_context.name
            packets = (bytes(packet) for packet in container.demux(stream) if packet.size)
            for content in islice(packets, _PACKETS) if pictures is not None else _sound_content(packets, codec):
                for unit in _picture_units(content, codec):
                    digest.update(unit)
                    count += 1
    except av.FFmpegError as error:
        raise UserError(f"{path.name} cannot be read: {error.strerror}.", "It may be damaged.") from None
    return digest.hexdigest() if count else ""


def _sound_content(packets: Iterator[bytes], codec: str) -> Iterator[bytes]:
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


def _picture_units(content: bytes, codec: str) -> Iterator[bytes]:
    holds_picture = _UNITS_WITH_PICTURES.get(codec)
    if holds_picture is None:
        yield content
        return
    units = _split_by_lengths(content)
    if units is None:
        units = [unit.rstrip(b"\0") for unit in _START_CODE.split(content)]
    yield from (unit for unit in units if unit and holds_picture(unit))


def _split_by_lengths(content: bytes) -> list[bytes] | None:
    """Return the units of a packet in which each has its length before it; None where they have start codes."""
    units, at = [], 0
    while at + _LENGTH_BYTES <= len(content):
        end = at + _LENGTH_BYTES + int.from_bytes(content[at : at + _LENGTH_BYTES])
        units.append(content[at + _LENGTH_BYTES : end].rstrip(b"\0"))
        at = end
    return units if at == len(content) else None
