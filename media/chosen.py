"""A few exact frames of a file as small JPEGs, at little more than what decoding them costs."""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from pathlib import Path

import av
import numpy as np
from av.codec.context import Flags
from av.video.codeccontext import VideoCodecContext

from media.cache import cache_folder
from media.canvas import Canvas, planes
from media.decoding import Decoder
from media.index import FrameIndex, load_index
from media.stills import without_comments

_COARSEST = 31
_STEPS = 14
"""Of FFmpeg's quantizer at which the mean of its table is that of a JPEG of quality 50: 8 x 57.6 / 33.0."""


def chosen_jpegs(
    path: Path, positions: Sequence[int], size: tuple[int, int], quality: int, index: FrameIndex | None = None
) -> list[bytes]:
    """Return frames of a file, upright, as JPEGs of one size.

    Frames are converted from the decoder's planes to those of a JPEG (BT.601, full range) on the way to their size,
    without RGB in between. One that cannot be decoded comes black.

    Args:
        path: of the media file.
        positions: of the frames in the index, ascending.
        size: width and height of each JPEG, in pixels.
        quality: from 1 to 100, as near as the steps of the encoder come.
        index: of the file, when at hand.

    Raises:
        UserError: the file cannot be read or has no picture.
    """
    index = index or load_index(path, cache_folder())
    return [small_jpeg(frame, index.canvas, size, quality) for frame in chosen_frames(path, index, positions)]


def chosen_frames(path: Path, index: FrameIndex, positions: Sequence[int]) -> Iterator[av.VideoFrame | None]:
    """Yield the frames at ascending positions; None for one that cannot be decoded.

    Decoding starts from the key frame before a position unless it stands nearer already, and leaves out all frames that
    no other refers to.
    """
    decoder = Decoder(path, index)
    try:
        for position in positions:
            found = _roll(decoder, index, position, index.key_of(position))
            if found is None:
                # A key frame that cannot really be started from: one further back before giving up.
                found = _roll(decoder, index, position, max(0, index.key_of(position) - 1), again=True)
            yield found
    finally:
        decoder.close()


def _roll(decoder: Decoder, index: FrameIndex, position: int, key: int, *, again: bool = False) -> av.VideoFrame | None:
    if again or not int(index.keyframes[key]) <= decoder.position <= position:
        decoder.restart(key)
    decoder.skip_to(position)
    while (found := decoder.next()) is not None:
        if found.index >= position:
            return found.frame if found.index == position else None
    return None


def fitting(canvas: Canvas, longest: int) -> tuple[int, int]:
    """Return the even width and height of a picture as shown with no side longer than `longest`; never enlarged."""
    scale = min(1.0, longest / max(canvas.width, canvas.height))
    width, height = (max(2, round(side * scale / 2) * 2) for side in (canvas.width, canvas.height))
    return width, height


def scaled(frame: av.VideoFrame, canvas: Canvas, size: tuple[int, int], *, full: bool) -> av.VideoFrame:
    """Return a decoded frame upright in another size, 8-bit 4:2:0; `full` makes it full range BT.601, as in a JPEG."""
    width, height = reversed(size) if canvas.rotation % 180 else size
    small = frame.reformat(
        width=width,
        height=height,
        format="yuvj420p" if full else "yuv420p",
        dst_colorspace="ITU601" if full else None,
        dst_color_range=2 if full else None,
        interpolation="AREA",
        threads=1,
    )
    if not canvas.rotation:
        return small
    turned = av.VideoFrame(*size, small.format.name)
    for target, source in zip(planes(turned), planes(small), strict=True):
        target[:] = np.asarray(canvas.turned(source))
    turned.colorspace, turned.color_range = small.colorspace, small.color_range
    return turned


def small_jpeg(frame: av.VideoFrame | None, canvas: Canvas, size: tuple[int, int], quality: int) -> bytes:
    """Return a decoded frame as a JPEG of a size, without comments; None is black."""
    small = scaled(frame if frame is not None else canvas.black(), canvas, size, full=True)
    codec = av.CodecContext.create("mjpeg", "w")
    assert isinstance(codec, VideoCodecContext)
    codec.width, codec.height, codec.pix_fmt = *size, "yuvj420p"
    codec.time_base = Fraction(1, 1)
    codec.flags |= Flags.bitexact
    codec.qmin = codec.qmax = quantizer(quality)
    codec.thread_count = 1
    small.pts = 0
    data = b"".join(bytes(packet) for packet in (*codec.encode(small), *codec.encode(None)))
    return without_comments(data)


def quantizer(quality: int) -> int:
    """Return the step of FFmpeg's quantizer, 1 to 31, that stands for a JPEG quality from 1 to 100.

    A quality q multiplies the usual table (ITU-T T.81, Annex K) by 50 / q below 50 and by 2 - q / 50 above, after the
    Independent JPEG Group; FFmpeg multiplies MPEG's table by its step.
    """
    factor = 50 / quality if quality < 50 else 2 - quality / 50
    return min(_COARSEST, max(1, round(_STEPS * factor)))
