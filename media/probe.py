"""Finds out what a media file contains, and digests its encoded pictures.

`stream_digest` recognises the same footage in another container.
"""

import hashlib
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

import av
from av.audio.stream import AudioStream
from av.container import InputContainer
from av.video.stream import VideoStream

from media.coded_pictures import picture_units
from media.frame_index import FrameIndex, load_index
from media.packet_scan import scan_packets
from media.source import (
    axis_start_us,
    open_media,
    picture_stream,
    require_sound_stream,
    sound_stream,
    ticks_to_us,
    unreadable_error,
)
from media.truncation import missing_us
from project.entities.study_records import AudioFacts, MediaFacts, VideoFacts
from project.errors import UserError
from project.progress import Progress, Silent
from project.timebase import SECOND_US

_STILLS = ("image2", "tty")


def probe(path: Path, cache: Path | None = None, progress: Progress | None = None, *, track: int = 0) -> MediaFacts:
    """Return the facts about a media file, which follow from its index and the packets of its sound, never its header.

    `cache` is a folder that keeps the index. Progress is in bytes. The sound is the track counted from 1, or the
    container's default.
    """
    progress = progress or Silent()
    with open_media(path) as container:
        name = " ".join(path.name.split())
        if container.format.name in _STILLS or container.format.name.endswith("_pipe"):
            raise UserError(f"{name} is a still picture, not a video.", "Choose a video or sound file.")
        picture = picture_stream(container)
        sound = require_sound_stream(container, path, track) if track else sound_stream(container)
        if picture is None and sound is None:
            raise unreadable_error(path)
        video = None
        if picture is not None:
            index = load_index(path, cache, progress)
            video, ends_us, missing = _video(picture, index), index.sound_ends_us, index.missing_us
        else:
            ends_us = scan_packets(container, name, progress).sound_ends_us
            missing = missing_us(container, path)
        audio = None if sound is None else _audio(container, sound, ends_us[sound.index])
        length = max(facts.start_us + facts.duration_us for facts in (video, audio) if facts is not None)
        return MediaFacts(container.format.name.split(",")[0], length, container.size, video, audio, missing)


def _video(stream: VideoStream, index: FrameIndex) -> VideoFacts:
    start = index.times.time_of(0)
    length = index.times.end_us - start
    pixels = av.VideoFormat(index.pixel_format)
    return VideoFacts(
        codec=stream.codec_context.codec.canonical_name,
        width=index.canvas.width,
        height=index.canvas.height,
        rotation=index.canvas.rotation,
        frame_rate=len(index) * SECOND_US / max(1, length),
        variable_rate=index.variable_rate,
        frames=len(index),
        start_us=start,
        duration_us=length,
        pixel_format=pixels.name,
        bit_depth=pixels.components[0].bits,
    )


def _audio(container: InputContainer, stream: AudioStream, end_us: int) -> AudioFacts:
    start = 0
    if stream.start_time is not None and stream.time_base is not None:
        start = ticks_to_us(stream.start_time, stream.time_base.numerator, stream.time_base.denominator)
        start -= axis_start_us(container)
    codec = stream.codec_context
    tracks = [each_stream.index for each_stream in container.streams.audio]
    return AudioFacts(
        codec.codec.canonical_name,
        codec.sample_rate,
        codec.channels,
        start,
        max(0, end_us - start),
        tracks.index(stream.index) + 1,
        len(tracks),
    )


_PACKETS = 24
_SOUND_BYTES = 1 << 18


def stream_digest(path: Path) -> str:
    """Return a checksum over the first encoded pictures of a file, or the first sound where it has none.

    It is the same after the streams were copied into another container. A file that was encoded anew, or begins later,
    has another one. "" where the file has neither.
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
                for unit in picture_units(content, codec):
                    digest.update(unit)
                    count += 1
    except av.FFmpegError as error:
        raise UserError(
            f"{path.name} cannot be read: {error.strerror}.", "The file may be damaged; copy it again from its source."
        ) from None
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
