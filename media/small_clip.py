"""A stretch of a file as a small video without sound, for judges that take one."""

import io
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import av

from media.cache import cache_folder
from media.canvas import Canvas
from media.chosen import scaled
from media.decoding import Decoder
from media.encoding import EncodeOptions, VideoEncoder, clip_time_base
from media.index import FrameIndex, load_index
from media.iterate import span
from project.errors import UserError
from project.timebase import SECOND

_OPTIONS = EncodeOptions(crf=23)


def small_clip(path: Path, start_us: int, end_us: int, size: tuple[int, int], index: FrameIndex | None = None) -> bytes:
    """Return a stretch as an MP4 (H.264 without B-frames, no sound), upright, with every frame at its own time.

    It begins with the frame on screen at `start_us`, whose time stamp becomes zero, and ends before the first frame
    that begins at `end_us` or later. Nothing else of the source is carried over. A frame that cannot be decoded is
    black.

    Args:
        path: of the media file.
        start_us: on the file's axis.
        end_us: on the file's axis.
        size: even width and height, in pixels.
        index: of the file, when at hand.

    Raises:
        UserError: the file cannot be read or has no picture, or the stretch is empty.
    """
    index = index or load_index(path, cache_folder())
    first, stop = span(index, start_us, end_us)
    if stop <= first:
        raise UserError("The stretch is empty.", "Choose an end after the start.")
    times = index.times
    base = clip_time_base(index.time_base)
    ends = times.time_of(stop) if stop < len(index) else times.end_us
    ticks = [
        round(Fraction(time_us - times.time_of(first), SECOND) / base)
        for time_us in (*(times.time_of(at) for at in range(first, stop)), ends)
    ]
    written = io.BytesIO()
    options = {"fflags": "+bitexact", "movie_timescale": str(base.denominator)}
    with av.open(written, "w", format="mp4", options=options) as output:
        encoder = VideoEncoder(output, replace(index, canvas=Canvas(*size)), _OPTIONS)
        decoder = Decoder(path, index)
        try:
            decoder.restart(index.key_of(first))
            decoder.skip_to(first)
            while (found := decoder.next()) is not None and found.index < stop:
                if found.index < first:
                    continue
                frame = scaled(found.frame or index.canvas.black(), index.canvas, size, full=False)
                place = found.index - first
                output.mux(encoder.encode(frame, ticks[place], max(1, ticks[place + 1] - ticks[place])))
            output.mux(encoder.rest())
        finally:
            decoder.close()
    return written.getvalue()
