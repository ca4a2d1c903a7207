"""When every frame of a file is shown, and where decoding can start: read once, kept in a cache."""

from contextlib import suppress
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path

import av
import numpy as np
from av.container import InputContainer
from av.video.stream import VideoStream
from numpy.typing import NDArray

from media.cache import Arrays, load_arrays, save_arrays
from media.canvas import Canvas
from media.completeness import missing_us
from media.fingerprint import fingerprint
from media.source import all_to_us, opened, picture_stream, start_of
from project.errors import UserError
from project.progress import Progress, Silent
from project.timebase import FrameTimes

_FORMAT = 2
_EVERY = 500


@dataclass(frozen=True, slots=True, eq=False)
class FrameIndex:
    """The frames of a file in the order they are shown.

    Attributes:
        times: time stamps on the recording's axis and the end of the last frame.
        pts: (n,) int64, the stream's own time stamps, in `time_base`; 0, 1, 2... where the stream has none to go by.
        keyframes: (k,) int64, ascending positions of the frames that decoding can start from.
        key_dts: (k,) int64, the decoding time stamps of those, which seeking goes by.
        time_base: seconds of one tick.
        origin_us: the container's start, which is zero on the recording's axis.
        stream: which stream of the file it is.
        codec: FFmpeg's name.
        canvas: shape and turn of the pictures.
        counted: the stream has no usable time stamps: frames are told apart by counting from the first.
        missing_us: how much the file lacks at its end of what it declares, at least; see `media.completeness`.
    """

    times: FrameTimes
    pts: NDArray[np.int64]
    keyframes: NDArray[np.int64]
    key_dts: NDArray[np.int64]
    time_base: Fraction
    origin_us: int
    stream: int
    codec: str
    canvas: Canvas
    counted: bool = False
    missing_us: int = 0

    def __len__(self) -> int:
        return len(self.pts)

    def key_of(self, frame: int) -> int:
        """Return which of `keyframes` decoding must start from to reach a frame."""
        return max(0, int(np.searchsorted(self.keyframes, frame, side="right")) - 1)

    def position_of(self, pts: int) -> int | None:
        """Return the position of the frame with a stream time stamp, or None where no frame has it."""
        i = int(np.searchsorted(self.pts, pts))
        return i if i < len(self.pts) and self.pts[i] == pts else None

    @property
    def variable_rate(self) -> bool:
        """Whether the gaps between frames differ by more than rounding."""
        return gaps_differ(self.pts)


def gaps_differ(pts: NDArray[np.int64]) -> bool:
    """Whether gaps between ascending time stamps differ by more than a tick and a fiftieth of the usual gap."""
    if len(pts) < 3:
        return False
    gaps = np.diff(pts)
    usual = float(np.median(gaps))
    return bool(np.abs(gaps - usual).max() > 1 + usual / 50)


def load_index(path: Path, cache: Path | None = None, progress: Progress | None = None) -> FrameIndex:
    """Return the index of a file, from the cache folder when it was made before.

    Made by reading the packets without decoding them. Only a stream whose packets carry no usable time stamps is
    decoded once from end to end.

    Raises:
        UserError: the file cannot be read or has no picture.
    """
    name = f"index-{fingerprint(path)}" if cache is not None else ""
    kept = load_arrays(cache, name)
    if kept is not None:
        index = _from_arrays(kept)
        if index is not None:
            return index
    index = _read(path, progress or Silent())
    save_arrays(cache, name, _to_arrays(index))
    return index


def forget_index(path: Path, cache: Path) -> None:
    """Remove what `load_index` kept of a file."""
    with suppress(OSError):
        (cache / f"index-{fingerprint(path)}.npz").unlink()


def first_frame(container: InputContainer, stream: VideoStream, packets: int = 300) -> av.VideoFrame | None:
    """Decode the first picture that can be decoded among the first packets."""
    for count, packet in enumerate(container.demux(stream)):
        try:
            frames = stream.codec_context.decode(packet)
        except av.FFmpegError:
            continue
        if frames:
            return frames[0]
        if count > packets:
            break
    return None


def _read(path: Path, progress: Progress) -> FrameIndex:
    name = " ".join(path.name.split())
    with opened(path) as container:
        stream = picture_stream(container)
        if stream is None:
            raise UserError(f"{name} has no picture.", "It can be used as sound only.")
        frame = first_frame(container, stream)
        if frame is None:
            raise UserError(f"The picture of {name} cannot be decoded.", "Convert it to MP4 (H.264) first.")
        canvas = Canvas.of(frame, stream.sample_aspect_ratio)
    for read in (_demuxed, _counted):
        with opened(path) as container:
            stream = picture_stream(container)
            assert stream is not None
            index = read(container, stream, canvas, progress)
            if index is not None:
                return replace(index, missing_us=missing_us(container, path))
    raise UserError(f"The picture of {name} cannot be decoded.", "Convert it to MP4 (H.264) first.")


def _demuxed(container: InputContainer, stream: VideoStream, canvas: Canvas, progress: Progress) -> FrameIndex | None:
    """Read all packets without decoding; None where their time stamps cannot be gone by."""
    if container.format.name == "avi" and stream.codec_context.has_b_frames:
        return None
    size = container.size
    rows: list[tuple[int, int, bool]] = []
    durations: dict[int, int] = {}
    try:
        for count, packet in enumerate(container.demux(stream)):
            if count % _EVERY == 0:
                progress.check_cancelled()
                progress.progress(min(packet.pos or 0, size), size, "Reading the time stamps")
            if packet.size == 0 or packet.is_discard:
                continue
            if packet.pts is None:
                return None
            rows.append((packet.pts, packet.pts if packet.dts is None else packet.dts, packet.is_keyframe))
            durations[packet.pts] = packet.duration or 0
    except av.FFmpegError:
        pass
    if not rows:
        return None
    pts = np.array(sorted({row[0] for row in rows}), np.int64)
    starts = dict(sorted((row[0], row[1]) for row in rows if row[2]))
    if not starts:
        return None
    keys = np.searchsorted(pts, np.array(list(starts), np.int64))
    if len(pts) > 1 and len(pts) < 0.9 * len(rows):
        return None
    last = durations[int(pts[-1])]
    base = stream.time_base or Fraction(1, 1_000_000)
    if last <= 0:
        last = int(np.median(np.diff(pts))) if len(pts) > 1 else round(1 / (stream.average_rate or 25) / base)
    ticks = np.append(pts, pts[-1] + max(1, last))
    times = all_to_us(ticks, base.numerator, base.denominator) - start_of(container)
    return FrameIndex(
        FrameTimes(times[:-1], int(times[-1])),
        pts,
        keys.astype(np.int64),
        np.array(list(starts.values()), np.int64),
        base,
        start_of(container),
        stream.index,
        stream.codec_context.name,
        canvas,
    )


def _counted(container: InputContainer, stream: VideoStream, canvas: Canvas, progress: Progress) -> FrameIndex | None:
    """Count the frames by decoding them all, at an even pace."""
    stream.thread_type = "AUTO"
    frames = 0
    for packet in container.demux(stream):
        progress.check_cancelled()
        try:
            frames += len(stream.codec_context.decode(packet))
        except av.FFmpegError:
            continue
        progress.progress(frames, 0, "Counting the frames")
    if not frames:
        return None
    gap = 1 / Fraction(stream.average_rate or stream.guessed_rate or 25)
    ticks = np.arange(frames + 1, dtype=np.int64)
    times = all_to_us(ticks, gap.numerator, gap.denominator)
    zero = np.zeros(1, np.int64)
    return FrameIndex(
        FrameTimes(times[:-1], int(times[-1])),
        ticks[:-1],
        zero,
        zero,
        gap,
        0,
        stream.index,
        stream.codec_context.name,
        canvas,
        counted=True,
    )


def _to_arrays(index: FrameIndex) -> Arrays:
    canvas = index.canvas
    numbers = [
        _FORMAT,
        index.times.end_us,
        index.time_base.numerator,
        index.time_base.denominator,
        index.origin_us,
        index.stream,
        canvas.stored_width,
        canvas.stored_height,
        canvas.rotation,
        canvas.pixel_aspect.numerator,
        canvas.pixel_aspect.denominator,
        int(index.counted),
        index.missing_us,
    ]
    return {
        "numbers": np.array(numbers, np.int64),
        "codec": np.array(index.codec),
        "times": index.times.times_us,
        "pts": index.pts,
        "keyframes": index.keyframes,
        "key_dts": index.key_dts,
    }


def _from_arrays(kept: Arrays) -> FrameIndex | None:
    try:
        numbers = [int(n) for n in kept["numbers"]]
        version, end, numerator, denominator, origin, stream, width, height, turn, across, down, counted, missing = (
            numbers
        )
        times, pts, keys, key_dts = kept["times"], kept["pts"], kept["keyframes"], kept["key_dts"]
        if version != _FORMAT or len(times) != len(pts) or len(keys) != len(key_dts) or not len(pts):
            return None
        if not (np.diff(pts) > 0).all():
            return None
        canvas = Canvas(width, height, turn, Fraction(across, down))
        base = Fraction(numerator, denominator)
        codec = str(kept["codec"])
    except (KeyError, ValueError, ZeroDivisionError):
        return None
    return FrameIndex(
        FrameTimes(times, end), pts, keys, key_dts, base, origin, stream, codec, canvas, bool(counted), missing
    )
