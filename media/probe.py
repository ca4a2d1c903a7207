"""What kind of file it is: found out quickly, without reading all of it."""

from fractions import Fraction
from pathlib import Path

import av
import numpy as np
from av.audio.stream import AudioStream
from av.container import InputContainer
from av.video.stream import VideoStream

from media.canvas import Canvas
from media.completeness import missing_us
from media.index import FrameIndex, first_frame, gaps_differ
from media.source import opened, picture_stream, sound_stream, start_of, to_us, unreadable
from project.errors import UserError
from project.timebase import SECOND
from project.types import AudioFacts, MediaFacts, VideoFacts

_STILLS = ("image2", "tty")
_ENOUGH = 600


def probe(path: Path, index: FrameIndex | None = None) -> MediaFacts:
    """Return the facts about a media file.

    With an index of the file, the number of frames, the rate and whether it varies are exact; without one they come
    from the container's own tables and the first frames.

    Raises:
        UserError: missing, a folder, unreadable, empty, cut short, or not a video or sound file.
    """
    with opened(path) as container:
        name = " ".join(path.name.split())
        if container.format.name in _STILLS or container.format.name.endswith("_pipe"):
            raise UserError(f"{name} is a still picture, not a video.", "Choose a video or sound file.")
        picture = picture_stream(container)
        sound = sound_stream(container)
        if picture is None and sound is None:
            raise unreadable(path)
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
    varies = _varies(stream, container) if index is None else index.variable_rate
    canvas = Canvas.of(frame, stream.sample_aspect_ratio)
    rate = float(stream.average_rate or stream.guessed_rate or 0)
    start, length = _stretch(container, stream)
    frames = stream.frames
    if index is not None:
        start = index.times.time_of(0)
        length = index.times.end_us - start
        frames = len(index)
        rate = frames * SECOND / length if length else rate
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
    return AudioFacts(codec.codec.canonical_name, codec.sample_rate, codec.channels, start, length)


def _stretch(container: InputContainer, stream: VideoStream | AudioStream) -> tuple[int, int]:
    """Start and length of a stream on the recording's axis; the container's length where it has none."""
    base = stream.time_base or Fraction(1, SECOND)
    start = to_us(stream.start_time, base.numerator, base.denominator) - start_of(container) if stream.start_time else 0
    if stream.start_time == 0:
        start = -start_of(container)
    if stream.duration:
        return start, to_us(stream.duration, base.numerator, base.denominator)
    return start, max(0, int(container.duration or 0) - start)


def _length(container: InputContainer, video: VideoFacts | None, audio: AudioFacts | None) -> int:
    ends = [facts.start_us + facts.duration_us for facts in (video, audio) if facts is not None]
    return int(container.duration or max(ends))


def _varies(stream: VideoStream, container: InputContainer) -> bool:
    """Look at the container's own table of all frames, or at the first frames where it has none."""
    entries = stream.index_entries
    if stream.frames and len(entries) == stream.frames:
        return gaps_differ(np.array([entry.timestamp for entry in entries], np.int64))
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
    return gaps_differ(np.unique(np.array(found, np.int64))[: -16 if len(found) >= _ENOUGH else None])
