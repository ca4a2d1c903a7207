"""Makes JPEG stills, thumbnails and small silent clips of exact frames; the files hold no metadata."""

import hashlib
import io
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import av
import numpy as np
from av.codec.context import Flags
from av.video.codeccontext import VideoCodecContext
from numpy.typing import NDArray

from media.clip_writer import frames_at_ticks
from media.decoding import Decoder, decoder_at, frame_range
from media.encoding import EncodeOptions, VideoEncoder, clip_time_base
from media.frame_index import FrameIndex, load_index
from media.packet_scan import first_frame
from media.picture import FrameGeometry, planes
from media.source import axis_start_us, open_media, require_picture_stream, undecodable_error
from project.errors import UserError
from project.files.atomic_files import explain_os_errors
from project.files.temporary_files import cache_folder
from project.progress import Progress, Silent
from project.timebase import SECOND_US

_QUALITY = 3
_COMMENT, _SCAN = 0xFE, 0xDA


def write_stills(source: Path, folder: Path, *, progress: Progress | None = None) -> dict[Path, str]:
    """Write the picture that is on screen at every whole second, as `00000.jpg` and so on, into new files.

    Returns each file with the SHA-256 of what was written.
    """
    progress = progress or Silent()
    index = load_index(source)
    written = {}
    for tick, picture in frames_at_ticks(source, index, 1):
        progress.check_cancelled()
        target = folder / f"{tick:05}.jpg"
        content = encode_jpeg(picture.image)
        with (
            explain_os_errors(f"{target.name} cannot be written", "Free some space, or choose another folder."),
            target.open("xb") as file,
        ):
            file.write(content)
        written[target] = hashlib.sha256(content).hexdigest()
        progress.progress(tick + 1, index.times.end_us // 1_000_000 + 1, "Writing a picture a second")
    return written


def encode_jpeg(image: "np.ndarray[tuple[int, ...], np.dtype[np.uint8]]") -> bytes:
    """Return an RGB picture, (h, w, 3), as a JPEG without any comment."""
    frame = av.VideoFrame.from_ndarray(np.ascontiguousarray(image), format="rgb24")
    return _to_jpeg(frame.reformat(format="yuvj420p", dst_color_range=2))


def _to_jpeg(frame: av.VideoFrame, quantizer: int = 0) -> bytes:
    """Return a full-range 4:2:0 frame as a JPEG without comments, with one step of the quantizer or a high quality."""
    codec = av.CodecContext.create("mjpeg", "w")
    assert isinstance(codec, VideoCodecContext)
    codec.width, codec.height, codec.pix_fmt = frame.width, frame.height, "yuvj420p"
    codec.time_base = Fraction(1, 1)
    codec.flags |= Flags.bitexact
    if quantizer:
        codec.qmin = codec.qmax = quantizer
        codec.thread_count = 1
    else:
        codec.flags |= Flags.qscale
        codec.global_quality = _QUALITY * 118
    frame.pts = 0
    return without_comments(b"".join(bytes(packet) for packet in (*codec.encode(frame), *codec.encode(None))))


def without_comments(data: bytes) -> bytes:
    """Return a JPEG without its comment segments."""
    kept, at = [data[:2]], 2
    while at + 4 <= len(data) and data[at] == 0xFF and data[at + 1] != _SCAN:
        length = 2 + int.from_bytes(data[at + 2 : at + 4])
        if data[at + 1] != _COMMENT:
            kept.append(data[at : at + length])
        at += length
    return b"".join([*kept, data[at:]])


_MAX_QUANTIZER = 31
_STEPS = 14
"""Of FFmpeg's quantizer at which the mean of its table is that of a JPEG of quality 50: 8 x 57.6 / 33.0."""


def decode_jpegs(path: Path, positions: Sequence[int], size: tuple[int, int], quality: int) -> list[bytes]:
    """Return frames of a file, upright, as JPEGs of one size.

    Frames are converted from the decoder's planes to those of a JPEG (BT.601, full range) on the way to their size,
    without RGB in between. One that cannot be decoded comes black. `positions` are ascending; `quality` goes from 1 to
    100, as near as the steps of the encoder come.
    """
    index = load_index(path, cache_folder())
    return [encode_scaled_jpeg(frame, index.canvas, size, quality) for frame in decode_frames(path, index, positions)]


def decode_frames(path: Path, index: FrameIndex, positions: Sequence[int]) -> Iterator[av.VideoFrame | None]:
    """Yield the frames at ascending positions; None for one that cannot be decoded.

    Decoding starts from the key frame before a position unless it stands nearer already, and leaves out all frames that
    no other refers to.
    """
    with closing(Decoder(path, index)) as decoder:
        for position in positions:
            key = index.keyframe_number(position)
            # A key frame may be none that can really be started from: one further back before giving up.
            tries = (_decode_forward(decoder, index, position, start) for start in (key, max(0, key - 1)))
            yield next((frame for frame in tries if frame is not None), None)


def _decode_forward(decoder: Decoder, index: FrameIndex, position: int, key: int) -> av.VideoFrame | None:
    if not int(index.keyframes[key]) <= decoder.position <= position:
        decoder.restart(key)
    decoder.skip_to(position)
    while (found := decoder.next()) is not None:
        if found.index >= position:
            return found.frame if found.index == position else None
    return None


def fit_size(canvas: FrameGeometry, longest: int) -> tuple[int, int]:
    """Return the even width and height of a picture as shown with no side longer than `longest`; never enlarged."""
    scale = min(1.0, longest / max(canvas.width, canvas.height))
    width, height = (max(2, round(side * scale / 2) * 2) for side in (canvas.width, canvas.height))
    return width, height


def scale_frame(frame: av.VideoFrame, canvas: FrameGeometry, size: tuple[int, int], *, full: bool) -> av.VideoFrame:
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
    if not canvas.rotation and not canvas.is_mirrored:
        return small
    turned = av.VideoFrame(*size, small.format.name)
    for target, source in zip(planes(turned), planes(small), strict=True):
        target[:] = np.asarray(canvas.turn_upright(source))
    turned.colorspace, turned.color_range = small.colorspace, small.color_range
    return turned


def encode_scaled_jpeg(
    frame: av.VideoFrame | None, canvas: FrameGeometry, size: tuple[int, int], quality: int
) -> bytes:
    """Return a decoded frame as a JPEG of a size, without comments; None is black."""
    small = scale_frame(frame if frame is not None else canvas.black_frame(), canvas, size, full=True)
    return _to_jpeg(small, quantizer_step(quality))


def quantizer_step(quality: int) -> int:
    """Return the step of FFmpeg's quantizer, 1 to 31, that stands for a JPEG quality from 1 to 100.

    A quality q multiplies the usual table (ITU-T T.81, Annex K) by 50 / q below 50 and by 2 - q / 50 above, after the
    Independent JPEG Group; FFmpeg multiplies MPEG's table by its step.
    """
    factor = 50 / quality if quality < 50 else 2 - quality / 50
    return min(_MAX_QUANTIZER, max(1, round(_STEPS * factor)))


_OPTIONS = EncodeOptions(crf=23)


def encode_small_clip(path: Path, start_us: int, end_us: int, size: tuple[int, int]) -> bytes:
    """Return a stretch as an MP4 (H.264 without B-frames, no sound), upright, with every frame at its own time.

    It begins with the frame on screen at `start_us`, whose time stamp becomes zero, and ends before the first frame
    that begins at `end_us` or later. Nothing else of the source is carried over. A frame that cannot be decoded is
    black. Width and height are even.
    """
    index = load_index(path, cache_folder())
    first, stop = frame_range(index, start_us, end_us)
    if stop <= first:
        raise UserError("The interval is empty.", "Choose an end after the start.")
    edges, base = [*index.times.times_us.tolist(), index.times.end_us], clip_time_base(index.time_base)
    ticks = [round(Fraction(edge - edges[first], SECOND_US) / base) for edge in edges[first : stop + 1]]
    written = io.BytesIO()
    options = {"fflags": "+bitexact", "movie_timescale": str(base.denominator)}
    with (
        av.open(written, "w", format="mp4", options=options) as output,
        decoder_at(path, index, first) as decoder,
    ):
        encoder = VideoEncoder(output, replace(index, canvas=FrameGeometry(*size)), _OPTIONS)
        while (found := decoder.next()) is not None and found.index < stop:
            if found.index < first:
                continue
            frame = scale_frame(found.frame or index.canvas.black_frame(), index.canvas, size, full=False)
            place = found.index - first
            output.mux(encoder.encode(frame, ticks[place], max(1, ticks[place + 1] - ticks[place])))
        output.mux(encoder.flush())
    return written.getvalue()


def read_thumbnail(path: Path, time_us: int, longest_side: int) -> NDArray[np.uint8]:
    """Return a (height, width, 3) RGB picture from near a time, no side longer than `longest_side`.

    It shows the nearest keyframe before the time, which is the one picture that needs no other to be decoded. It is
    never enlarged.
    """
    name = " ".join(path.name.split())
    with open_media(path) as container:
        stream = require_picture_stream(container, name)
        try:
            container.seek(axis_start_us(container) + max(0, time_us))
            frame = first_frame(container, stream)
            if frame is None:
                container.seek(axis_start_us(container))
                frame = first_frame(container, stream)
        except av.FFmpegError:
            frame = None
        if frame is None:
            raise undecodable_error(name)
        canvas = FrameGeometry.from_frame(frame, stream.sample_aspect_ratio)
        scale = min(1.0, longest_side / max(canvas.width, canvas.height))
        small = frame.to_ndarray(
            format="rgb24",
            width=max(1, round(canvas.square_width * scale)),
            height=max(1, round(canvas.stored_height * scale)),
            interpolation="AREA",
            threads=1,
        )
        return np.ascontiguousarray(canvas.turn_upright(small), dtype=np.uint8)
