"""Small clips made on the fly, and reading them back."""

from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path

import av
import numpy as np

from media.decoding import iterate_frames

Planes = tuple[np.ndarray, np.ndarray, np.ndarray]


def make_clip(
    path: Path,
    times_ms: Sequence[int],
    size: tuple[int, int] = (160, 120),
    *,
    block: int = 8,
    seed: int = 0,
    sound: bool = False,
) -> Path:
    """Write noise in blocks of some pixels, another in every frame, at the given times, with a keyframe in five.

    Odd sizes are written without compression.
    """
    make = np.random.default_rng(seed)
    width, height = size
    odd = width % 2 or height % 2
    with av.open(str(path), "w") as container:
        stream = container.add_stream("rawvideo" if odd else "libx264", rate=25)
        stream.width, stream.height = width, height
        stream.pix_fmt = "yuv420p"
        stream.time_base = stream.codec_context.time_base = Fraction(1, 1000)
        if not odd:
            stream.codec_context.options = {"crf": "12", "preset": "ultrafast", "g": "5"}
        voice = container.add_stream("aac", rate=16000) if sound else None
        for time in times_ms:
            blocks = make.integers(0, 256, (height // block + 1, width // block + 1, 3), np.uint8)
            rgb = np.ascontiguousarray(blocks.repeat(block, 0).repeat(block, 1)[:height, :width])
            frame = av.VideoFrame.from_ndarray(rgb, format="rgb24").reformat(format="yuv420p")
            frame.pts, frame.time_base = time, Fraction(1, 1000)
            container.mux(stream.encode(frame))
        container.mux(stream.encode(None))
        if voice is not None:
            tone = np.sin(np.arange(16 * times_ms[-1]) * 0.1).astype(np.float32)[None]
            heard = av.AudioFrame.from_ndarray(tone, format="fltp", layout="mono")
            heard.rate, heard.pts = 16000, 0
            container.mux(voice.encode(heard))
            container.mux(voice.encode(None))
    return path


def planes_of(path: Path) -> list[Planes]:
    """Decode all frames."""
    return [tuple(plane.copy() for plane in picture.planes) for picture in iterate_frames(path)]
