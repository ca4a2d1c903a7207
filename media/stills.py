"""Single pictures of a clip as JPEG files that hold nothing but the picture."""

import hashlib
from fractions import Fraction
from pathlib import Path

import av
import numpy as np
from av.codec.context import Flags
from av.video.codeccontext import VideoCodecContext

from media.index import load_index
from media.steady import shown_at_ticks
from project.errors import UserError
from project.progress import Progress, Silent

_QUALITY = 3
_COMMENT, _SCAN = 0xFE, 0xDA


def stills(source: Path, folder: Path, *, progress: Progress | None = None) -> dict[Path, str]:
    """Write the picture that is on screen at every whole second, as `00000.jpg` and so on, into new files.

    Returns each file with the SHA-256 of what was written.

    Raises:
        UserError: the source cannot be read, or a file cannot be written.
        Cancelled: the user stopped it.
    """
    progress = progress or Silent()
    index = load_index(source)
    written = {}
    for tick, picture in shown_at_ticks(source, index, 1):
        progress.check_cancelled()
        target = folder / f"{tick:05}.jpg"
        try:
            content = jpeg(picture.image)
            with target.open("xb") as file:
                file.write(content)
        except OSError as error:
            raise UserError(
                f"{target.name} cannot be written: {error.strerror}.", "Free some space, or choose another folder."
            ) from None
        written[target] = hashlib.sha256(content).hexdigest()
        progress.progress(tick + 1, index.times.end_us // 1_000_000 + 1, "Writing a picture a second")
    return written


def jpeg(image: "np.ndarray[tuple[int, ...], np.dtype[np.uint8]]") -> bytes:
    """Return an RGB picture, (h, w, 3), as a JPEG without any comment."""
    height, width = image.shape[:2]
    codec = av.CodecContext.create("mjpeg", "w")
    assert isinstance(codec, VideoCodecContext)
    codec.width, codec.height, codec.pix_fmt = width, height, "yuvj420p"
    codec.time_base = Fraction(1, 1)
    codec.flags |= Flags.bitexact | Flags.qscale
    codec.global_quality = _QUALITY * 118
    frame = av.VideoFrame.from_ndarray(np.ascontiguousarray(image), format="rgb24")
    frame = frame.reformat(format="yuvj420p", dst_color_range=2)
    frame.pts = 0
    data = b"".join(bytes(packet) for packet in (*codec.encode(frame), *codec.encode(None)))
    return without_comments(data)


def without_comments(data: bytes) -> bytes:
    """Return a JPEG without its comment segments."""
    kept, at = [data[:2]], 2
    while at + 4 <= len(data) and data[at] == 0xFF and data[at + 1] != _SCAN:
        length = 2 + int.from_bytes(data[at + 2 : at + 4])
        if data[at + 1] != _COMMENT:
            kept.append(data[at : at + length])
        at += length
    return b"".join([*kept, data[at:]])
