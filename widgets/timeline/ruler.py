"""Where the ruler's ticks stand and what they say."""

from dataclasses import dataclass

from project.timebase import format_time
from widgets.timeline.viewport import Viewport

_MS, _S = 1_000, 1_000_000
_STEPS = (
    (_MS, 5), (2 * _MS, 4), (5 * _MS, 5), (10 * _MS, 5), (20 * _MS, 4), (50 * _MS, 5),
    (100 * _MS, 5), (200 * _MS, 4), (500 * _MS, 5),
    (_S, 5), (2 * _S, 4), (5 * _S, 5), (10 * _S, 5), (15 * _S, 3), (30 * _S, 6),
    (60 * _S, 6), (120 * _S, 4), (300 * _S, 5), (600 * _S, 5), (900 * _S, 3), (1800 * _S, 6),
    (3600 * _S, 6), (7200 * _S, 4), (21600 * _S, 6),
)  # fmt: skip
"""Distances between labels, and into how many parts the small ticks cut them."""
LABEL_PX = 96


@dataclass(frozen=True, slots=True)
class Ticks:
    """Times of the ticks in a view: of those with a label, and of the small ones."""

    labelled: tuple[int, ...]
    small: tuple[int, ...]
    step_us: int


def ticks(view: Viewport, start_us: float, end_us: float) -> Ticks:
    """Return the ticks from one time to another at the view's zoom."""
    step, parts = next((s for s in _STEPS if s[0] >= LABEL_PX * view.us_per_px), _STEPS[-1])
    part = step // parts
    end = min(end_us, view.duration_us)
    first = max(0, int(start_us) // step)
    labelled = tuple(range(first * step, int(end) + 1, step))
    small = tuple(t for t in range(first * step, int(end) + 1, part) if t % step)
    return Ticks(labelled, small, step)


def label(time_us: int, step_us: int) -> str:
    """Write a tick's time: h:mm:ss, with milliseconds only where ticks are closer than a second."""
    text = format_time(time_us)
    return text if step_us < _S else text[:-4]
