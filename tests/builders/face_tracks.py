"""Face tracks made by hand."""

from collections.abc import Sequence

import numpy as np

from project.entities.study_records import FaceTrack

Box = tuple[float, float, float, float]


def track(
    boxes: Sequence[Box],
    *,
    name: str = "face",
    first: int = 0,
    frames: Sequence[int] | None = None,
    times_us: Sequence[int] | None = None,
    score: float = 1.0,
    dismissed: bool = False,
) -> FaceTrack:
    """One box a frame, 25 frames a second unless the times are given."""
    numbers = np.array(range(first, first + len(boxes)) if frames is None else frames, np.int32)
    return FaceTrack(
        name,
        numbers,
        numbers.astype(np.int64) * 40_000 if times_us is None else np.array(times_us, np.int64),
        np.array(boxes, np.float32).reshape(-1, 4),
        np.full(len(numbers), score, np.float32),
        np.zeros(len(numbers), np.uint8),
        dismissed=dismissed,
    )
