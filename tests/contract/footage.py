"""A clip of two seconds with a real face in it, whose place is known."""

import json
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from media.decoding import iterate_frames
from resources import resource
from tests.builders.clips import make_clip

FPS = 10
FRAMES = 2 * FPS
SIZE = (960, 540)
_STEP = 6


def face_clip(path: Path, frames: int = FRAMES) -> Path:
    """Write the first picture of the sample recording, pushed to the right from frame to frame, with 2 s of sound."""
    still = next(iterate_frames(resource("sample", "sample.mp4"))).image.copy()

    def draw(index: int, width: int, height: int) -> NDArray[np.uint8]:
        return np.roll(still, index * _STEP, axis=1)

    return make_clip(path, size=SIZE, frames=frames, fps=FPS, sound=True, sound_seconds=2.0, draw=draw)


def true_box(frame: int) -> tuple[float, float, float, float]:
    """Return x, y, width, height of the face in a frame of the clip."""
    x, y, width, height = json.loads(resource("sample", "sample.truth.json").read_text("utf-8"))["faces"][0]
    return x + frame * _STEP, y, width, height
