"""Reads and caches which pictures a file shows and when, where decoding can start, and where its sound ends."""

import json
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import astuple, dataclass, field
from fractions import Fraction
from pathlib import Path

import av
import numpy as np
from av.container import InputContainer
from av.video.stream import VideoStream
from numpy.typing import NDArray

from media.packet_scan import PicturePacket, first_frame, packets_from_key, scan_packets
from media.picture import FrameGeometry
from media.source import (
    axis_start_us,
    open_media,
    require_picture_stream,
    ticks_array_to_us,
    undecodable_error,
)
from media.truncation import missing_us
from project.files.fingerprints import fingerprint
from project.files.temporary_files import Arrays, load_arrays, save_arrays
from project.progress import Progress, Silent
from project.timebase import SECOND_US, FrameTimes

_FORMAT = 4


@dataclass(frozen=True, slots=True, eq=False)
class FrameIndex:
    """The pictures of a file in the order they are shown.

    What an edit list hides is no picture, nor what comes before the first that can be decoded, nor the second field of
    a picture whose fields have a packet each.

    Attributes:
        times: time stamps on the recording's axis and the end of the last frame.
        pts: (n,) int64, the stream's own time stamps, in `time_base`; made up where it has none to go by.
        sizes: (n,) int64, bytes of the packets; 0 where frames are counted.
        keyframes: (k,) int64, ascending positions of the frames that decoding can start from. The first is 0: to reach
            it, decoding starts at the beginning of the file.
        key_dts: (k,) int64, the decoding time stamps of those, which seeking goes by.
        time_base: seconds of one tick.
        origin_us: the container's start, which is zero on the recording's axis.
        stream: which stream of the file it is.
        codec: FFmpeg's name.
        pixel_format: FFmpeg's name.
        canvas: shape and turn of the pictures.
        counted_by_decoding: the stream has no usable time stamps: frames are told apart by counting from the first.
        missing_us: how much the file lacks at its end of what it declares, at least; see `missing_us`.
        sound_ends_us: where the last packet of each stream of sound ends, by its number in the file.
    """

    times: FrameTimes
    pts: NDArray[np.int64]
    sizes: NDArray[np.int64]
    keyframes: NDArray[np.int64]
    key_dts: NDArray[np.int64]
    time_base: Fraction
    origin_us: int
    stream: int
    codec: str
    pixel_format: str
    canvas: FrameGeometry
    counted_by_decoding: bool = False
    missing_us: int = 0
    sound_ends_us: Mapping[int, int] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.pts)

    def keyframe_number(self, frame: int) -> int:
        """Return which of `keyframes` decoding must start from to reach a frame."""
        return int(np.searchsorted(self.keyframes, frame, side="right")) - 1

    def position_of(self, pts: int) -> int | None:
        """Return the position of the frame with a stream time stamp, or None where no frame has it."""
        i = int(np.searchsorted(self.pts, pts))
        return i if i < len(self.pts) and self.pts[i] == pts else None

    @property
    def variable_rate(self) -> bool:
        """Whether the gaps between frames differ by more than a tick and a fiftieth of the usual gap."""
        if len(self.pts) < 3:
            return False
        gaps = np.diff(self.pts)
        usual = float(np.median(gaps))
        return bool(np.abs(gaps - usual).max() > 1 + usual / 50)


def load_index(path: Path, cache: Path | None = None, progress: Progress | None = None) -> FrameIndex:
    """Return the index of a file, from the cache folder when it was made before.

    Made by reading the packets without decoding them. Only a stream whose packets carry no usable time stamps is
    decoded once from end to end.
    """
    name = f"index-{fingerprint(path)}" if cache is not None else ""
    kept = load_arrays(cache, name)
    if kept is not None and (known := _from_arrays(kept)) is not None:
        return known
    index = _read(path, progress or Silent())
    save_arrays(cache, name, _to_arrays(index))
    return index


def forget_index(path: Path, cache: Path) -> None:
    """Delete the cached index of a file."""
    with suppress(OSError):
        (cache / f"index-{fingerprint(path)}.npz").unlink()


def _read(path: Path, progress: Progress) -> FrameIndex:
    name = " ".join(path.name.split())
    undecodable = undecodable_error(name)
    with open_media(path) as container:
        stream = require_picture_stream(container, name)
        frame = first_frame(container, stream)
        if frame is None:
            raise undecodable
        canvas = FrameGeometry.from_frame(frame, stream.sample_aspect_ratio)
        number, codec = stream.index, stream.codec_context.name
    with open_media(path) as container:
        stream = require_picture_stream(container, name)
        scan = scan_packets(container, name, progress, stream, (frame.width, frame.height))
        missing = missing_us(container, path)
        base = stream.time_base or Fraction(1, SECOND_US)
        pictures = _by_packets(container, stream, scan.pictures, frame.pts)
        origin = axis_start_us(container)
    if pictures is None:
        with open_media(path) as container:
            stream = require_picture_stream(container, name)
            pictures = _count_by_decoding(container, stream, scan.pictures, progress)
    if pictures is None:
        raise undecodable
    times = ticks_array_to_us(pictures.ticks, base.numerator, base.denominator) - origin
    return FrameIndex(
        FrameTimes(times[:-1], int(times[-1])),
        pictures.ticks[:-1],
        pictures.sizes,
        pictures.keyframes,
        pictures.key_dts,
        base,
        origin,
        number,
        codec,
        frame.format.name,
        canvas,
        pictures.are_counted,
        missing,
        scan.sound_ends_us,
    )


@dataclass(frozen=True, slots=True, eq=False)
class _Pictures:
    """The pictures of a stream: their time stamps and the end of the last, their bytes, where decoding can start."""

    ticks: NDArray[np.int64]
    sizes: NDArray[np.int64]
    keyframes: NDArray[np.int64]
    key_dts: NDArray[np.int64]
    are_counted: bool = False


def _by_packets(
    container: InputContainer, stream: VideoStream, packets: Sequence[PicturePacket], first_pts: int | None
) -> _Pictures | None:
    """Tell the pictures by their packets alone; None where their time stamps cannot be gone by."""
    if container.format.name == "avi" and stream.codec_context.has_b_frames:
        return None
    stamps = {packet.pts: packet for packet in packets if packet.pts is not None}
    if first_pts is None or any(packet.pts is None for packet in packets) or len(stamps) < 0.9 * len(packets):
        return None
    shown = [packet for pts, packet in sorted(stamps.items()) if pts >= first_pts]
    if not shown:
        return None
    pts = np.array([packet.pts for packet in shown], np.int64)
    keys = [place for place, packet in enumerate(shown) if packet.is_keyframe or not place]
    dts = [shown[place].dts for place in keys]
    last = shown[-1].duration
    if last <= 0:
        last = int(np.median(np.diff(pts))) if len(pts) > 1 else round(_usual_gap(stream))
    return _Pictures(
        np.append(pts, pts[-1] + max(1, last)),
        np.array([packet.size for packet in shown], np.int64),
        np.array(keys, np.int64),
        np.array([pts[place] if stamp is None else stamp for place, stamp in zip(keys, dts, strict=True)], np.int64),
    )


def _count_by_decoding(
    container: InputContainer, stream: VideoStream, packets: Sequence[PicturePacket], progress: Progress
) -> _Pictures | None:
    """Count the pictures by decoding them all.

    Times between pictures that have one are even. Where none has, they are the times of decoding, else an even pace.
    """
    stream.thread_type = "AUTO"
    stamps: list[int | None] = []
    for packet in packets_from_key(container.demux(stream)):
        progress.check_cancelled()
        try:
            stamps += [frame.pts for frame in stream.codec_context.decode(packet)]
        except av.FFmpegError:
            continue
        progress.progress(len(stamps), 0, "Counting the frames")
    if not stamps:
        return None
    if not any(stamp is not None for stamp in stamps):
        slots = sorted({packet.dts for packet in packets if packet.dts is not None})
        stamps = [*slots] if len(slots) == len(stamps) else [0, *stamps[1:]]
    zero = np.zeros(1, np.int64)
    ticks = _fill_gaps(stamps, _usual_gap(stream))
    return _Pictures(ticks, np.zeros(len(stamps), np.int64), zero, zero, are_counted=True)


def _fill_gaps(stamps: Sequence[int | None], gap: float) -> NDArray[np.int64]:
    """Return rising time stamps of all pictures, and the end of the last, where some are known."""
    places = np.array([place for place, stamp in enumerate(stamps) if stamp is not None])
    known = np.array([stamp for stamp in stamps if stamp is not None], np.float64)
    rising = np.append(True, known[1:] > np.maximum.accumulate(known)[:-1])
    places, known = places[rising], known[rising]
    every = np.arange(len(stamps) + 1)
    ticks = np.interp(every, places, known)
    ticks += np.minimum(every - places[0], 0) * gap + np.maximum(every - places[-1], 0) * gap
    return np.maximum.accumulate(np.rint(ticks).astype(np.int64) - every) + every


def _usual_gap(stream: VideoStream) -> float:
    rate = Fraction(stream.average_rate or stream.guessed_rate or 25)
    return float(1 / rate / (stream.time_base or Fraction(1, SECOND_US)))


_ARRAYS = ("pts", "sizes", "keyframes", "key_dts")
_FACTS = ("origin_us", "stream", "codec", "pixel_format", "counted_by_decoding", "missing_us")


def _to_arrays(index: FrameIndex) -> Arrays:
    width, height, rotation, aspect, is_mirrored = astuple(index.canvas)
    facts = {
        "format": _FORMAT,
        "end_us": index.times.end_us,
        "time_base": str(index.time_base),
        "canvas": [width, height, rotation, str(aspect), is_mirrored],
        "sounds": [*index.sound_ends_us.items()],
        **{name: getattr(index, name) for name in _FACTS},
    }
    arrays = {name: getattr(index, name) for name in _ARRAYS}
    return {"facts": np.array(json.dumps(facts)), "times": index.times.times_us, **arrays}


def _from_arrays(kept: Arrays) -> FrameIndex | None:
    try:
        facts = json.loads(str(kept["facts"]))
        times, pts, sizes, keys, key_dts = (kept[name] for name in ("times", *_ARRAYS))
        if not len(times) == len(pts) == len(sizes) or len(keys) != len(key_dts) or not len(pts):
            return None
        if facts["format"] != _FORMAT or not (np.diff(pts) > 0).all() or not len(keys) or keys[0] != 0:
            return None
        width, height, rotation, aspect, is_mirrored = facts["canvas"]
        return FrameIndex(
            FrameTimes(times, facts["end_us"]),
            *(pts, sizes, keys, key_dts),
            time_base=Fraction(facts["time_base"]),
            canvas=FrameGeometry(width, height, rotation, Fraction(aspect), is_mirrored),
            sound_ends_us=dict(facts["sounds"]),
            **{name: facts[name] for name in _FACTS},
        )
    except (KeyError, ValueError, TypeError, ZeroDivisionError):
        return None
