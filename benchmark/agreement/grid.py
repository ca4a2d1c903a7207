"""What each annotator says at each instant of a time grid, without laying the grid out.

Between two neighbouring boundaries nobody changes anything, so a stretch and the number of instants in it say it all.
"""

from dataclasses import dataclass

import numpy as np

from benchmark.agreement.overlap import Spans
from benchmark.agreement.types import Bools, Ints


@dataclass(frozen=True, slots=True, eq=False)
class Grid:
    """Stretches in which every annotator says the same thing throughout.

    Attributes:
        axis: (u,) which axis the stretch lies on.
        instants: (u,) how many instants of the grid lie in it, at least 1.
        states: (annotators, u) code of the state, an index into `names`; -1 where the annotator did no work.
        names: state -> the labels that are marked at once; the empty one is the gap.
    """

    axis: Ints
    instants: Ints
    states: Ints
    names: tuple[tuple[int, ...], ...]


def time_grid(
    lanes: list[Spans], length_us: Ints, step_us: int, worked: Bools | None = None, start_us: int = 0
) -> Grid:
    """Look at every lane at `start_us`, then every `step_us`, before the end of each axis.

    A span holds at an instant from its start, and no longer at its end.

    Args:
        lanes: one an annotator.
        length_us: (axes,) where each axis ends; a span may reach further and is cut.
        step_us: microseconds between instants.
        worked: (axes, annotators) where an annotator worked at all; everywhere when not given.
        start_us: first instant of every axis.
    """
    ticks = _instant(length_us, step_us, start_us)
    base = np.cumsum(ticks) - ticks
    total = int(ticks.sum())
    held = [
        (
            base[lane.axis] + np.minimum(_instant(lane.start_us, step_us, start_us), ticks[lane.axis]),
            base[lane.axis] + np.minimum(_instant(lane.end_us, step_us, start_us), ticks[lane.axis]),
        )
        for lane in lanes
    ]
    cuts = np.unique(np.concatenate([base, [total], *(edge for pair in held for edge in pair)]))
    stretches = len(cuts) - 1
    states = np.zeros((len(lanes), stretches), np.int64)
    names: list[tuple[int, ...]] = [()]
    for label in np.unique(np.concatenate([lane.label for lane in lanes] or [np.zeros(0, np.int64)])).tolist():
        active = [
            _covered(np.searchsorted(cuts, start[mine]), np.searchsorted(cuts, end[mine]), stretches)
            for (start, end), mine in ((pair, lane.label == label) for lane, pair in zip(lanes, held, strict=True))
        ]
        kinds, numbered = np.unique(2 * states + np.array(active), return_inverse=True)
        states = numbered.reshape(states.shape)
        names = [names[kind // 2] + ((label,) if kind % 2 else ()) for kind in kinds.tolist()]
    axis = np.searchsorted(base, cuts[:-1], side="right") - 1
    if worked is not None:
        states = np.where(worked[axis].T, states, -1)
    return Grid(axis, np.diff(cuts), states, tuple(names))


def _instant(time_us: Ints, step_us: int, start_us: int) -> Ints:
    """Return the number of the first instant at or after each time."""
    return np.maximum(-((start_us - time_us) // step_us), 0)


def _covered(start: Ints, end: Ints, stretches: int) -> Ints:
    change = np.bincount(start, minlength=stretches + 1) - np.bincount(end, minlength=stretches + 1)
    covered: Ints = (np.cumsum(change)[:stretches] > 0).astype(np.int64)
    return covered
