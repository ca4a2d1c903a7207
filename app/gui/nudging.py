"""Where a span is after it was nudged by frames."""

from project.timebase import FrameTimes

_FRAME_US = 40_000
"""A step where nobody knows the frames."""


def nudged(start_us: int, end_us: int, frames: int, edge: str, times: FrameTimes | None) -> tuple[int, int]:
    """Return the new start and end.

    Args:
        start_us: of the span.
        end_us: of the span.
        frames: how many, backwards where negative.
        edge: what moves: `start`, `end` or `both`.
        times: of the recording's frames, where known.
    """
    if times is None:
        start, end = start_us + frames * _FRAME_US, end_us + frames * _FRAME_US
    else:
        start = times.step(start_us, frames)
        end = times.step(end_us, frames) if edge == "end" else end_us + (start - start_us)
    return (start_us if edge == "end" else start), (end_us if edge == "start" else end)
