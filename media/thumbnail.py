"""A small picture of a recording, quickly."""

from pathlib import Path

import av
import numpy as np
from numpy.typing import NDArray

from media.canvas import Canvas
from media.index import first_frame
from media.source import opened, picture_stream, start_of
from project.errors import UserError


def thumbnail(path: Path, time_us: int, longest_side: int) -> NDArray[np.uint8]:
    """Return a (height, width, 3) RGB picture from near a time, no side longer than `longest_side`.

    It shows the nearest keyframe before the time, which is the one picture that needs no other to be decoded. It is
    never enlarged.

    Raises:
        UserError: the file cannot be read or has no picture.
    """
    name = " ".join(path.name.split())
    with opened(path) as container:
        stream = picture_stream(container)
        if stream is None:
            raise UserError(f"{name} has no picture.", "It can be used as sound only.")
        try:
            container.seek(start_of(container) + max(0, time_us))
            frame = first_frame(container, stream)
            if frame is None:
                container.seek(start_of(container))
                frame = first_frame(container, stream)
        except av.FFmpegError:
            frame = None
        if frame is None:
            raise UserError(f"The picture of {name} cannot be decoded.", "Convert it to MP4 (H.264) first.")
        canvas = Canvas.of(frame, stream.sample_aspect_ratio)
        scale = min(1.0, longest_side / max(canvas.width, canvas.height))
        small = frame.to_ndarray(
            format="rgb24",
            width=max(1, round(canvas.square_width * scale)),
            height=max(1, round(canvas.stored_height * scale)),
            interpolation="AREA",
            threads=1,
        )
        return np.ascontiguousarray(canvas.turned(small), dtype=np.uint8)
