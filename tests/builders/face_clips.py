"""Small clips of noise, in which nothing looks like anything else, and reading them back."""

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from media.decoding import iterate_frames
from tests.builders import clips

SIZE = (160, 120)
Planes = tuple[np.ndarray, np.ndarray, np.ndarray]


def make_clip(
    path: Path, times_ms: Sequence[int], size: tuple[int, int] = (160, 120), *, block: int = 8, **more: Any
) -> Path:
    """Write noise in blocks of some pixels, another in every frame, at the given times, with a keyframe in five.

    Odd sizes are written without compression.
    """
    odd = size[0] % 2 or size[1] % 2
    how = {"codec": "rawvideo"} if odd else {"gop": 5, "options": {"crf": "12"}}
    stamps = [time * 1000 for time in times_ms]
    return clips.make_clip(path, size=size, times_us=stamps, draw=partial(noise, block=block), **how, **more)


def noise(index: int, width: int, height: int, block: int) -> np.ndarray:
    """Return (height, width, 3) RGB."""
    blocks = np.random.default_rng(index).integers(0, 256, (height // block + 1, width // block + 1, 3), np.uint8)
    return blocks.repeat(block, 0).repeat(block, 1)[:height, :width]


def planes_of(path: Path) -> list[Planes]:
    """Decode all frames."""
    return [tuple(plane.copy() for plane in picture.planes) for picture in iterate_frames(path)]
