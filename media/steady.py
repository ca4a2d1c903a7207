"""A copy of a clip at a steady rate: at each tick the picture that is on screen then."""

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import av
import numpy as np
from av.container import OutputContainer

from media.encoding import EncodeOptions, VideoEncoder
from media.index import FrameIndex, load_index
from media.iterate import pictures
from media.picture import Picture
from media.silent import OPTIONS
from media.soundtrack import Soundtrack
from media.source import opened, sound_stream, write_error
from project.progress import Progress, Silent
from project.timebase import SECOND, FrameTimes


def steady_copy(
    source: Path, destination: Path, rate: int, *, sound: bool = False, progress: Progress | None = None
) -> int:
    """Write a clip of `rate` pictures a second, from time zero to the end; returns how many pictures it has.

    Before the first picture of the source, that one is shown.

    Args:
        source: the clip.
        destination: an MP4 (H.264), told nothing about.
        rate: pictures a second.
        sound: whether the sound comes with it.
        progress: told in pictures.

    Raises:
        UserError: the source cannot be read or has no picture, or the destination cannot be written.
        Cancelled: the user stopped it.
    """
    progress = progress or Silent()
    index = load_index(source)
    count = ticks_of(index, rate)
    with opened(source) as container:
        heard = sound and sound_stream(container) is not None
    times = np.arange(count, dtype=np.int64) * SECOND // rate
    steady = replace(
        index,
        times=FrameTimes(times, count * SECOND // rate),
        pts=np.arange(count, dtype=np.int64),
        time_base=Fraction(1, rate),
    )
    options = EncodeOptions()
    try:
        with av.open(f"file:{destination.absolute()}", "w", format="mp4", options=OPTIONS) as output:
            encoder = VideoEncoder(output, steady, options)
            track = Soundtrack(output, source, None, options) if heard else None
            try:
                _write(output, encoder, track, source, index, rate, progress)
            finally:
                if track is not None:
                    track.close()
    except (OSError, av.FFmpegError) as error:
        raise write_error(destination, error) from None
    return count


def ticks_of(index: FrameIndex, rate: int) -> int:
    """Return how many ticks lie between zero and the end of a clip, at least one."""
    return max(1, -(-index.times.end_us * rate // SECOND))


def shown_at_ticks(source: Path, index: FrameIndex, rate: int) -> Iterator[tuple[int, Picture]]:
    """Yield every tick with the picture that is on screen then; the same picture may come several times."""
    count = ticks_of(index, rate)
    wanted = [index.times.frame_at(tick * SECOND // rate) for tick in range(count)]
    tick = 0
    for picture in pictures(source, index):
        while tick < count and wanted[tick] == picture.index:
            yield tick, picture
            tick += 1


def _write(
    output: OutputContainer,
    encoder: VideoEncoder,
    track: Soundtrack | None,
    source: Path,
    index: FrameIndex,
    rate: int,
    progress: Progress,
) -> None:
    finer = int(Fraction(1, rate) / encoder.time_base)
    count = ticks_of(index, rate)
    for tick, picture in shown_at_ticks(source, index, rate):
        progress.check_cancelled()
        if track is not None:
            output.mux(list(track.until(tick * SECOND // rate)))
        output.mux(encoder.encode(picture.encodable(), tick * finer, finer))
        progress.progress(tick + 1, count, f"Writing at {rate} pictures a second")
    output.mux(encoder.rest())
    if track is not None:
        output.mux(list(track.until(None)))
